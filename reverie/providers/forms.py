"""Connecting a model, as the site's operator types it."""

import asyncio
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from reverie.text import clean
from reverie.text.sealing import Unreadable

from . import addresses, connecting, private_hosts
from .listing import Listed, listed
from .models import ConnectedModel

LONGEST_KEY = 2_000
PRICES = ("price_sent", "price_cached", "price_written")


class Line(forms.CharField):
    """One line of text as it may be stored (A12)."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(clean.clean(value) if isinstance(value, str) else value)


def _line(field: "models.Field[Any, Any]", **options: Any) -> forms.Field | None:
    if isinstance(field, models.CharField) and not field.choices:
        options.setdefault("form_class", Line)
    return field.formfield(**options)


class ModelForm(forms.ModelForm):
    api_key = Line(
        label=_("Key"),
        required=False,
        max_length=LONGEST_KEY,
        # Never drawn again, not even after a mistake elsewhere in the form (A9).
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    forget_key = forms.BooleanField(label=_("Forget the key"), required=False)
    # Not the model's own field: another default is no mistake, it gives way.
    is_default = forms.BooleanField(
        label=_("Use it in every chat that chooses nothing else"), required=False
    )

    class Meta:
        model = ConnectedModel
        formfield_callback = _line
        fields = (
            "kind",
            "base_url",
            "model",
            "label",
            "context_tokens",
            *PRICES,
            "enabled",
        )
        widgets = {
            "kind": forms.HiddenInput,
            "base_url": forms.URLInput(attrs={"inputmode": "url", "spellcheck": "false"}),
            "model": forms.TextInput(attrs={"list": "offered", "spellcheck": "false"}),
        }
        help_texts = {
            "base_url": _("As the provider names it; it mostly ends in /v1."),
            "model": _("The name by which the provider knows it."),
            "label": _("What people choose it by. Empty: the model’s name."),
            "context_tokens": _("What the model reads at once, prompt and reply together."),
            "price_cached": _("Empty: the same as the others."),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["is_default"] = self.instance.is_default
        for name in PRICES:  # 2.5, and not 2.500000
            if (price := self.initial.get(name)) is not None:
                self.initial[name] = f"{price.normalize():f}"

    def clean_base_url(self) -> str:
        return addresses.checked(
            self.cleaned_data["base_url"], private_hosts(), settings.PROVIDER_PRIVATE_HOSTS
        )

    def clean_api_key(self) -> str:
        key: str = self.cleaned_data["api_key"]
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValidationError(
                _("A key has only letters, digits and signs, without spaces. Copy it once more."),
                code="not_a_key",
            )
        return key

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if (found.get("price_sent") is None) != (found.get("price_written") is None):
            self.add_error(
                "price_written" if found.get("price_written") is None else "price_sent",
                ValidationError(
                    _("Give both prices, for what is sent and for what is written, or neither."),
                    code="half_a_price",
                ),
            )
        if found.get("is_default") and not found.get("enabled"):
            self.add_error(
                "is_default",
                ValidationError(
                    _("People have to be able to choose the default."), code="disabled"
                ),
            )
        return found

    def keep(self) -> bool:
        """Store it; whether the key was forgotten, since the address changed."""
        told = self.cleaned_data
        self.instance.is_default = told["is_default"]
        return connecting.keep(self.instance, told["api_key"], forget_key=told["forget_key"])

    def listed(self) -> list[Listed]:
        """What the typed address offers, with the typed key or the one kept for that address.

        Raises `ProviderError`. Ask it of a form whose `base_url` and `api_key` are valid.
        """
        base_url, key = self.cleaned_data["base_url"], self.cleaned_data["api_key"]
        if not key and base_url == self.initial.get("base_url"):
            try:
                key = self.instance.key()
            except Unreadable:
                key = ""
        return asyncio.run(listed(base_url, key, private_hosts()))
