"""Which memories a page shows, and what people type into it."""

from typing import Any

from django import forms
from django.http import Http404, QueryDict

from characters.models import Character
from memories.engine.values import State
from reverie.accounts.forms import CleanText
from reverie.accounts.models import User

SCOPES = [("character", ""), ("global", "")]
MOST_WORDS = 500  # code points of a search; no memory is longer by default


class Wanted(forms.Form):
    """The filters of a list. One that says nothing we know is no filter."""

    scope = forms.ChoiceField(choices=SCOPES, required=False)
    state = forms.ChoiceField(choices=[(state.value, "") for state in State], required=False)
    q = CleanText(required=False)


def wanted(query: QueryDict) -> dict[str, Any]:
    """The filters that a query names, each known or empty."""
    form = Wanted(query)
    form.is_valid()
    found = form.cleaned_data
    return {
        "scope": found.get("scope") or None,
        "state": State(found["state"]) if found.get("state") else None,
        "words": found.get("q", "")[:MOST_WORDS],
    }


class NewMemory(forms.Form):
    """What a person adds. Its text is checked by `keeping.add`, which says what is wrong."""

    character = forms.ModelChoiceField(Character.objects.none(), required=False)
    text = CleanText(required=False, strip=False)
    pinned = forms.BooleanField(required=False)
    forget = forms.UUIDField(required=False)

    def __init__(self, user: User, data: QueryDict) -> None:
        super().__init__(data)
        self.fields["character"].queryset = Character.objects.of(user)  # type: ignore[attr-defined]


class Edited(forms.Form):
    """`seen`: the `updated_at` of the memory as the editor knew it."""

    text = CleanText(required=False, strip=False)
    seen = forms.DateTimeField(required=False)


def checked(form: forms.Form) -> dict[str, Any]:
    """What a form says. Raises `Http404` for things that are not there or not one's own."""
    if not form.is_valid():
        raise Http404
    return form.cleaned_data
