"""Who runs the site connects models; keys go in and never come out to another address (A6, A9)."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from cryptography.fernet import Fernet
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from conversations.models import Conversation
from reverie.providers import connecting
from reverie.providers.choosing import chat_model, connected, offered
from reverie.providers.models import ConnectedModel
from tests.factories import make_conversation, make_model, make_user, with_second_factor
from tests.scripted import Script, ScriptedProvider

pytestmark = pytest.mark.django_db
KEY = "sk-canary-0123456789-tail"
FORM = {
    "kind": "other",
    "base_url": "https://models.example/v1",
    "model": "lamp-2",
    "context_tokens": "8192",
    "enabled": "on",
}


@pytest.fixture(autouse=True)
def unset(settings):
    settings.CHAT_BASE_URL = settings.CHAT_MODEL = settings.CHAT_API_KEY = ""
    settings.PROVIDER_PRIVATE_HOSTS = []


@pytest.fixture
def operator(db) -> Client:
    client = Client()
    client.force_login(with_second_factor(make_user("root", is_staff=True, is_superuser=True)))
    return client


def errors(answer, field: str) -> str:
    return " ".join(answer.context["form"].errors[field])


def save(operator: Client, row: ConnectedModel | None = None, **changed: str):
    path = reverse("model", args=[row.pk]) if row else reverse("model-new")
    return operator.post(path, {**FORM, **changed}, follow=True)


@pytest.mark.requirement("A9")
def test_a_key_is_sealed_and_only_its_end_is_ever_shown(operator):
    save(operator, api_key=KEY)
    row = ConnectedModel.objects.get()
    assert row.key() == KEY
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM providers_connectedmodel")
        assert KEY not in str(cursor.fetchall())
    page = operator.get(reverse("model", args=[row.pk])).content.decode()
    assert "ends in <code>tail</code>" in page
    for path in ("model-list", "model-new"):
        assert KEY not in operator.get(reverse(path)).content.decode()
    assert KEY not in page


@pytest.mark.requirement("A9")
def test_a_short_key_does_not_even_show_its_end():
    assert make_model(key="12345678").key_end == ""


@pytest.mark.requirement("A9")
def test_a_key_is_not_drawn_again_when_something_else_is_wrong(operator):
    answer = save(operator, api_key=KEY, context_tokens="7")
    assert answer.context["form"].errors
    assert KEY not in answer.content.decode()
    assert not ConnectedModel.objects.exists()


@pytest.mark.requirement("A9")
def test_the_console_shows_neither_key_nor_what_it_is_sealed_as(operator):
    row = make_model(key=KEY)
    for name in ("changelist", "change", "history", "delete"):
        ids = [] if name == "changelist" else [row.pk]
        page = operator.get(reverse(f"admin:providers_connectedmodel_{name}", args=ids))
        assert page.status_code == 200
        assert KEY not in page.content.decode()
        assert row.sealed_key not in page.content.decode()


@pytest.mark.requirement("A9")
def test_keys_of_the_environment_can_be_changed_without_typing_anything_in_again(settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.FIELD_KEYS = [old]
    row = make_model(key=KEY)
    settings.FIELD_KEYS = [new, old]
    assert row.key() == KEY
    connecting.keep(row)
    settings.FIELD_KEYS = [new]
    assert ConnectedModel.objects.get().key() == KEY, "saving sealed it under the first key"


@pytest.mark.requirement("A9")
def test_a_key_whose_seal_is_lost_is_told_and_breaks_no_page(operator, settings):
    row = make_model(key=KEY)
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]
    assert "cannot be read any more" in operator.get(reverse("model-list")).content.decode()
    assert connected(row).name == "lamp-1"
    assert save(operator, row, api_key="a-new-key-of-some-length").status_code == 200
    assert ConnectedModel.objects.get().key() == "a-new-key-of-some-length"


@pytest.mark.requirement("A6")
def test_another_address_forgets_the_key_and_says_so(operator):
    save(operator, api_key=KEY)
    row = ConnectedModel.objects.get()
    answer = save(operator, row, base_url="https://elsewhere.example/v1")
    assert "the key for the old one was forgotten" in answer.content.decode()
    row.refresh_from_db()
    assert (row.sealed_key, row.key_end) == ("", "")


@pytest.mark.requirement("A6")
def test_another_address_with_its_own_key_keeps_that_one(operator):
    row = make_model(key=KEY)
    save(operator, row, base_url="https://elsewhere.example/v1", api_key="another-key-of-there")
    row.refresh_from_db()
    assert row.key() == "another-key-of-there"


def test_an_empty_key_field_keeps_the_key_and_a_tick_forgets_it(operator):
    row = make_model(key=KEY, base_url=FORM["base_url"])
    save(operator, row)
    assert ConnectedModel.objects.get().key() == KEY
    answer = save(operator, row, forget_key="on")
    assert ConnectedModel.objects.get().key() == ""
    assert "was forgotten" not in answer.content.decode(), "who asks for it knows it"


@pytest.mark.requirement("A6")
@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("http://127.0.0.1:11434/v1", "127.0.0.1:11434"),
        ("https://10.1.2.3/v1", "10.1.2.3:443"),
        ("http://localhost:1234/v1", "localhost:1234"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
        ("https://2130706433/v1", "2130706433:443"),
        ("http://box.local/v1", "box.local:80"),
    ],
)
def test_a_private_address_is_refused_with_the_line_that_allows_it(
    operator, settings, address, host
):
    settings.PROVIDER_PRIVATE_HOSTS = ["vllm:8000"]
    answer = save(operator, base_url=address)
    assert f"PROVIDER_PRIVATE_HOSTS=vllm:8000,{host}" in errors(answer, "base_url")
    assert not ConnectedModel.objects.exists()
    settings.PROVIDER_PRIVATE_HOSTS = ["vllm:8000", host]
    save(operator, base_url=address)
    assert ConnectedModel.objects.exists(), "and the line does allow it"


@pytest.mark.requirement("A6")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://models.example/v1", "in the clear"),
        ("ftp://models.example/", "This is no address"),
        ("models.example", "This is no address"),
        ("https://", "This is no address"),
        ("https://me:secret@models.example/v1", "Leave name and password out"),
        ("https://[broken/v1", "This is no address"),
    ],
)
def test_an_address_that_would_not_do_is_refused_in_plain_words(operator, address, words):
    assert words in errors(save(operator, base_url=address), "base_url")
    assert not ConnectedModel.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context_tokens", "9" * 30),
        ("context_tokens", "-1"),
        ("price_sent", "NaN"),
        ("price_sent", "-1"),
        ("price_written", "1e40"),
        ("api_key", "two words"),
        ("api_key", "キー"),
        ("model", "m" * 300),
        ("kind", "nothing"),
        ("base_url", "https://" + "x" * 600),
    ],
)
def test_odd_input_is_refused_and_nothing_is_stored(operator, field, value):
    answer = save(operator, **{field: value})
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not ConnectedModel.objects.exists()


@pytest.mark.requirement("A12")
def test_nul_and_half_characters_are_taken_out(operator):
    sent = (
        urlencode({k: v for k, v in FORM.items() if k != "model"} | {"label": "La\x00mp"})
        + "&model=la%ED%A0%BDmp"
    )
    operator.post(reverse("model-new"), sent, content_type="application/x-www-form-urlencoded")
    row = ConnectedModel.objects.get()
    assert row.label == "Lamp"
    assert "\ud83d" not in row.model


def test_half_a_price_is_refused(operator):
    assert "both prices" in errors(save(operator, price_sent="1"), "price_written")


def test_the_first_one_offers_itself_as_the_default_and_there_is_never_a_second(operator):
    assert operator.get(reverse("model-new")).context["form"]["is_default"].value()
    save(operator, is_default="on", label="One")
    assert not operator.get(reverse("model-new")).context["form"]["is_default"].value()
    save(operator, is_default="on", label="Two")
    assert [str(row) for row in ConnectedModel.objects.filter(is_default=True)] == ["Two"]
    with pytest.raises(IntegrityError), transaction.atomic():
        ConnectedModel.objects.update(is_default=True)


def test_a_default_that_nobody_may_choose_is_refused_everywhere(operator):
    assert errors(save(operator, is_default="on", enabled=""), "is_default")
    row = make_model(enabled=False)
    answer = operator.post(reverse("model-default"), {"model": row.pk}, follow=True)
    assert "Switch it on first" in answer.content.decode()
    with pytest.raises(IntegrityError), transaction.atomic():
        ConnectedModel.objects.update(is_default=True)


def test_the_default_goes_to_another_and_back_to_the_demo(operator):
    one, two = make_model("One", is_default=True), make_model("Two")
    assert chat_model().name == "lamp-1"
    operator.post(reverse("model-default"), {"model": two.pk})
    assert ConnectedModel.objects.default() == two
    operator.post(reverse("model-default"), {"model": ""})
    assert chat_model().is_demo
    assert ConnectedModel.objects.filter(pk=one.pk, enabled=True).exists()


def test_the_environment_is_the_first_provider_and_is_read_only_here(operator, settings):
    settings.CHAT_BASE_URL, settings.CHAT_MODEL = "https://models.example/v1", "env-1"
    make_model("Lamplight")
    assert chat_model().name == "env-1"
    page = operator.get(reverse("model-list")).content.decode()
    assert "from the environment" in page
    assert [(one.label, one.default) for one in offered()] == [
        ("env-1", True),
        ("Lamplight", False),
    ]


def test_the_console_switches_off_and_on_and_makes_default(operator):
    row = make_model(is_default=True)
    path = reverse("admin:providers_connectedmodel_changelist")

    def act(name):
        operator.post(path, {"action": name, "_selected_action": [row.pk]})
        row.refresh_from_db()
        return row.enabled, row.is_default

    assert act("switch_off") == (False, False)
    assert act("make_default") == (False, False)
    assert act("switch_on") == (True, False)
    assert act("make_default") == (True, True)


def test_deleting_says_how_many_chats_chose_it_and_they_fall_back(operator, juno):
    row = make_model()
    chats = [make_conversation(juno) for _ in range(2)]
    Conversation.objects.filter(pk__in=[chat.pk for chat in chats]).update(model_choice=row)
    path = reverse("model-delete", args=[row.pk])
    assert "2 chats chose it" in operator.get(path).content.decode()
    operator.post(path)
    assert Conversation.objects.filter(model_choice=None).count() == 2


@pytest.mark.requirement("A6", "A9")
def test_another_from_the_same_place_copies_the_address_and_never_the_key(operator):
    row = make_model(key=KEY)
    page = operator.get(f"{reverse('model-new')}?like={row.pk}")
    assert page.context["form"]["base_url"].value() == row.base_url
    assert not page.context["form"].instance.sealed_key
    assert operator.get(f"{reverse('model-new')}?like=nothing").status_code == 404


def test_each_kind_comes_with_its_address_and_advice(operator):
    page = operator.get(f"{reverse('model-new')}?kind=ollama").content.decode()
    assert 'value="http://127.0.0.1:11434/v1"' in page
    assert "OLLAMA_CONTEXT_LENGTH" in page
    assert operator.get(f"{reverse('model-new')}?kind=%00%ff").status_code == 200


def test_the_endpoint_is_asked_which_models_it_has_and_nothing_is_saved(operator, settings):
    with ScriptedProvider() as provider:
        settings.PROVIDER_PRIVATE_HOSTS = list(provider.private_hosts)
        provider.listing = Script(body={"data": [{"id": "a/b", "context_length": 4096}, {}, 7]})
        asked = {"base_url": provider.base_url, "api_key": KEY, "model": "", "offered": "1"}
        answer = operator.post(reverse("model-new"), {**FORM, **asked})
        assert [one.name for one in answer.context["offered"]] == ["a/b"]
        assert KEY not in answer.content.decode()
        provider.listing = Script(status=401, body={"error": {"message": f"bad {KEY}"}})
        answer = operator.post(
            reverse("model-new"), {**FORM, **asked}, headers={"HX-Request": "true"}
        )
        assert "did not accept the key" in answer.content.decode()
        assert KEY not in answer.content.decode()
        for odd in ("no JSON", "[]", '{"data": 7}', "[" * 100_000):
            provider.listing = Script(body=odd)
            answer = operator.post(reverse("model-new"), {**FORM, **asked})
            assert "gives no list" in answer.content.decode()
    assert not ConnectedModel.objects.exists()


@pytest.mark.requirement("A6")
def test_a_kept_key_is_not_sent_to_an_address_that_is_only_typed(operator, settings):
    with ScriptedProvider() as there:
        settings.PROVIDER_PRIVATE_HOSTS = list(there.private_hosts)
        heard: list[str] = []
        there.hear = lambda headers: heard.append(headers.get("Authorization", ""))
        row = make_model(key=KEY)
        asked = {**FORM, "base_url": there.base_url, "offered": "1"}
        assert operator.post(reverse("model", args=[row.pk]), asked).context["offered"]
        assert heard == [""]


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("who", ["nobody", "somebody", "staff"])
def test_for_everybody_else_there_is_no_such_page(who, db):
    client = Client()
    if who != "nobody":
        client.force_login(make_user(who, is_staff=who == "staff"))
    for name in ("model-list", "model-new", "model-default", "model-test"):
        for call in (client.get, client.post):
            assert call(reverse(name)).status_code == (302 if who == "nobody" else 404)
    page = client.get("/").content.decode()
    assert reverse("model-list") not in page


def test_the_api_offers_names_and_tells_neither_addresses_nor_keys(operator, juno):
    make_model("Lamplight", KEY, is_default=True, context_tokens=9_000)
    make_model("Off", enabled=False)
    client = Client()
    client.force_login(juno)
    answer = client.get("/api/v1/models")
    assert answer.json() == {
        "items": [
            {
                "id": str(ConnectedModel.objects.get(is_default=True).pk),
                "name": "lamp-1",
                "label": "Lamplight",
                "context_tokens": 9_000,
                "is_demo": False,
                "default": True,
            }
        ],
        "next": None,
    }


@pytest.mark.django_db(transaction=True)
def test_many_who_make_a_default_at_once_leave_exactly_one():
    rows = [make_model(f"Lamp {number}") for number in range(4)]

    def act(number: int) -> None:
        try:
            if number % 2:
                connecting.make_default(rows[number % 4].pk)
            else:
                row = ConnectedModel.objects.get(pk=rows[number % 4].pk)
                row.is_default = True
                connecting.keep(row)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(act, range(24)))
    assert ConnectedModel.objects.filter(is_default=True).count() == 1
