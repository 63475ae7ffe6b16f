"""Starting a chat, giving it a name, and saying how it is talked in."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from characters.forms import meant
from characters.models import Bond, Character, Persona
from conversations.models import (
    FEWEST_REPLY_TOKENS,
    MOST_REPLY_TOKENS,
    MOST_TEMPERATURE,
    Conversation,
)
from reverie.accounts.forms import clean_text
from reverie.accounts.models import User
from reverie.providers import choosing
from reverie.providers.models import ConnectedModel


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


class ChatSettings(forms.Form):
    """Who one is, which model talks and how, and what is so in every chat with the character."""

    persona = forms.ModelChoiceField(
        Persona.objects.none(),
        label=_("You are"),
        required=False,
        help_text=_("From your next message on. What is remembered of you stays the same."),
    )
    model = forms.ModelChoiceField(ConnectedModel.objects.none(), label=_("Model"), required=False)
    temperature = forms.FloatField(
        label=_("Temperature"),
        required=False,
        min_value=0,
        max_value=MOST_TEMPERATURE,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=_("Low is calm and even, high is lively and wild. Empty: as the model has it."),
    )
    reply_tokens = forms.IntegerField(
        label=_("Longest reply, in tokens"),
        required=False,
        min_value=FEWEST_REPLY_TOKENS,
        max_value=MOST_REPLY_TOKENS,
        help_text=_(
            "About 100 tokens are a short paragraph. Empty: the model decides. A model that thinks"
            " first spends some of them on that."
        ),
    )
    memory_detail = forms.ChoiceField(label=_("Memory detail"), choices=Bond.Detail.choices)
    learns = forms.BooleanField(label=_("Learn from chat"), required=False)

    def __init__(self, conversation: Conversation, bond: Bond | None, data: object = None) -> None:
        """`bond` None: the character was deleted."""
        super().__init__(data, initial=_as_it_is(conversation, bond))  # type: ignore[arg-type]
        persona: Any = self.fields["persona"]
        persona.queryset = Persona.objects.of(conversation.owner)
        persona.empty_label = gettext("%(name)s, without a persona") % {
            "name": conversation.owner.name_for_characters
        }
        model: Any = self.fields["model"]
        model.queryset = ConnectedModel.objects.enabled()
        model.empty_label = _default()
        for name in ("memory_detail", "learns"):
            self.fields[name].show_hidden_initial = True
        if bond is None:
            del self.fields["memory_detail"], self.fields["learns"]

    @property
    def of_chat(self) -> dict[str, Any]:
        """What `history.change` takes."""
        told = self.cleaned_data
        return {
            "persona_id": told["persona"] and told["persona"].pk,
            "model_id": told["model"] and told["model"].pk,
            "temperature": told["temperature"],
            "reply_tokens": told["reply_tokens"],
        }

    @property
    def of_bond(self) -> dict[str, Any]:
        """What `keeping.write_bond` takes."""
        names = ("memory_detail", "learns")
        return {name: self.cleaned_data[name] for name in names if meant(self, name)}


def _as_it_is(conversation: Conversation, bond: Bond | None) -> dict[str, Any]:
    """A model that is switched off is not chosen any more."""
    chosen = conversation.model_choice
    return {
        "persona": conversation.persona_id,
        "model": chosen.pk if chosen and chosen.enabled else None,
        "temperature": conversation.temperature,
        "reply_tokens": conversation.reply_tokens,
        "memory_detail": bond and bond.memory_detail,
        "learns": bond and bond.learns,
    }


def _default() -> str:
    first = choosing.offered()[0]
    if first.is_demo:
        return gettext("The default: the demo, no AI")
    return gettext("The default: %(model)s") % {"model": first.label}
