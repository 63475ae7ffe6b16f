"""Forms of a person's own settings, and the text field that all forms of the product use."""

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.db import models
from django.utils.translation import gettext_lazy as _

from reverie.accounts.models import Invitation, User
from reverie.text import clean


class CleanText(forms.CharField):
    """Text as it may be stored (A12). Limits count code points, which `maxlength` does not."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(clean.clean(value) if isinstance(value, str) else value)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {k: v for k, v in super().widget_attrs(widget).items() if k != "maxlength"}


def clean_text(field: "models.Field[Any, Any]", **options: Any) -> forms.Field | None:
    """`formfield_callback`: every text of a model is taken in by `CleanText`."""
    if isinstance(field, models.CharField | models.TextField) and not field.choices:
        options.setdefault("form_class", CleanText)
    return field.formfield(**options)


@cache
def zones() -> list[tuple[str, str]]:
    """Names of places, and UTC; without the abbreviations that are kept for old times."""
    places = {z for z in available_timezones() if "/" in z and not z.startswith("Etc/")}
    return [(zone, zone.replace("_", " ")) for zone in ["UTC", *sorted(places)]]


class Preferences(forms.ModelForm):
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=zones)
    language = forms.ChoiceField(label=_("Language"), choices=User.Language.choices)

    class Meta:
        model = User
        fields = ("shown_name", "language", "time_zone")
        formfield_callback = clean_text
        labels = {"shown_name": _("Your name in chats")}
        help_texts = {
            "shown_name": _("What characters call you when you wear no persona."),
            "time_zone": _("Characters that know the time use it too."),
        }


class Privacy(forms.ModelForm):
    class Meta:
        model = User
        fields = ("privacy",)
        widgets = {"privacy": forms.RadioSelect}


class NewInvitation(forms.ModelForm):
    email = forms.EmailField(label=_("Their email address (optional)"), required=False)

    class Meta:
        model = Invitation
        fields = ("note", "email")
        formfield_callback = clean_text
        labels = {"note": _("For whom")}
        help_texts = {"note": _("Only you see this.")}


def password_field(label: Any, autocomplete: str = "current-password") -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, widget=widget)


def checked(user: User, password: str) -> str:
    """The password, when it is theirs; wrong ones count as at signing in.

    Raises `ValidationError` with the codes `incorrect_password` and `too_many_login_attempts`.
    """
    adapter = get_adapter()
    if not adapter.reauthenticate(user, password):
        raise adapter.validation_error("incorrect_password")
    return password


class WithPassword(forms.Form):
    """What could let somebody else in takes the password once more, where there is one."""

    def __init__(self, user: User, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.user = user
        if user.has_usable_password():
            self.fields["password"] = password_field(_("Your password"))

    def clean_password(self) -> str:
        return checked(self.user, self.cleaned_data["password"])


class NewToken(WithPassword):
    """A token outlives the session that made it."""

    name = CleanText(
        label=_("What is it for?"), max_length=80, required=False, widget=forms.TextInput
    )


class Address(WithPassword):
    """Another email address: an email to it can set a new password."""

    email = forms.EmailField(
        label=_("Email address"),
        max_length=254,
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(user, data, initial={"email": user.email})


class ChangePassword(PasswordChangeForm):
    def clean_old_password(self) -> str:
        return checked(self.user, self.cleaned_data["old_password"])


def password_form(user: User, data: Any = None) -> "SetPasswordForm[User]":
    """To change the password, or to set the first one."""
    kind = ChangePassword if user.has_usable_password() else SetPasswordForm
    form = kind(user, data)
    for field in form.fields.values():  # It is not the first thing on its page.
        field.widget.attrs.pop("autofocus", None)
    return form
