"""Whatever JSON is sent to whatever operation of the API: never a crash (A12)."""

import json
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.api import api
from tests.reverie.endpoints import OPERATIONS, filled
from tests.reverie.houses import House
from tests.reverie.test_edges_api import LONE, NUL, RTL, refusal, send

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A12")]


@pytest.fixture
def juno(db):
    return House.of("juno")


texts = st.text(max_size=40) | st.sampled_from(
    [
        NUL,
        LONE,
        RTL,
        "",
        *("x" * size for size in (17, 81, 201, 4_001, 32_001, 40_001)),
        str(uuid4()),
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def fields(key: str) -> list[str]:
    """The fields of the body that an operation takes."""
    method, path = key.split()
    described = api.get_openapi_schema(path_prefix="/")
    told = described["paths"][f"/{path}"][method.lower()]
    body = told.get("requestBody", {}).get("content", {}).get("application/json")
    if body is None:
        return []
    return list(
        described["components"]["schemas"][body["schema"]["$ref"].split("/")[-1]]["properties"]
    )


FIELDS = {key: fields(key) or ["anything"] for key in OPERATIONS}


@st.composite
def calls(draw):
    """An operation, and a body that is near to what it takes or far from it."""
    with_body = [key for key in OPERATIONS if FIELDS[key] != ["anything"]]
    key = draw(st.sampled_from(with_body) | st.sampled_from(list(OPERATIONS)))
    odd = draw(
        st.dictionaries(st.sampled_from(FIELDS[key]), texts | values, min_size=1, max_size=2)
    )
    near = st.just({**(OPERATIONS[key].body or {}), **odd})
    return key, draw(near | near | near | values)


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=calls())
def test_no_json_makes_the_api_fail(call, juno):
    key, body = call
    path = filled(OPERATIONS[key].path, juno.ids)
    raw = json.dumps(filled(body, juno.ids) if isinstance(body, dict) else body)
    with transaction.atomic():  # the next call finds everything again
        answer = send(juno, key.split()[0], path, raw)
        transaction.set_rollback(True)
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        refusal(answer)
