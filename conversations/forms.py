"""Starting a chat, and giving it a name."""

from django import forms
from django.utils.translation import gettext_lazy as _

from characters.models import Character, Persona
from conversations.models import Conversation
from reverie.accounts.forms import clean_text
from reverie.accounts.models import User


class NewChat(forms.Form):
    """With whom, and as whom. Without a persona, the bond's or the default one is worn."""

    character = forms.ModelChoiceField(Character.objects.none())
    persona = forms.ModelChoiceField(Persona.objects.none(), required=False)

    def __init__(self, user: User, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.fields["character"].queryset = Character.objects.of(user)  # type: ignore[attr-defined]
        self.fields["persona"].queryset = Persona.objects.of(user)  # type: ignore[attr-defined]


class Title(forms.ModelForm):
    class Meta:
        model = Conversation
        formfield_callback = clean_text
        fields = ("title",)
        labels = {"title": _("Name of this chat")}
