"""Characters and personas as people write them."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from characters import avatars, keeping, personas
from characters.models import NOTE_LENGTH, Bond, Character, Persona
from reverie.accounts.forms import CleanText, clean_text
from reverie.accounts.models import User
from reverie.text import clean


class Tags(CleanText):
    """A list of short texts, written with commas of either language between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        parts = (part.strip() for part in re.split("[,、，\n]", super().clean(value)))
        return list(dict.fromkeys(part for part in parts if part))


class ManyTexts(forms.Textarea):
    """One box for each text; the page draws them."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        return list(data.getlist(name))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data


class Greetings(forms.Field):
    """Texts that are not empty, in their order."""

    widget = ManyTexts

    def clean(self, value: Any) -> list[str]:
        texts = [clean.clean(text).strip() for text in value or []]
        return [text for text in texts if text]


class CharacterForm(forms.ModelForm):
    tags = Tags(
        label=gettext_lazy("Tags"), required=False, help_text=gettext_lazy("With commas between.")
    )
    alternate_greetings = Greetings(label=gettext_lazy("Other greetings"), required=False)
    picture = forms.FileField(
        label=gettext_lazy("Picture"),
        required=False,
        widget=forms.FileInput(attrs={"accept": "image/png,image/jpeg,image/webp,image/gif"}),
        help_text=gettext_lazy("PNG, JPEG, WebP or GIF, up to 5 MB."),
    )
    no_picture = forms.BooleanField(label=gettext_lazy("Remove the picture"), required=False)

    class Meta:
        model = Character
        formfield_callback = clean_text
        fields = (
            "name",
            "nickname",
            "tagline",
            "description",
            "personality",
            "scenario",
            "greeting",
            "alternate_greetings",
            "example_dialogue",
            "system_prompt",
            "post_history_instructions",
            "tags",
            "language",
            "creator",
            "creator_notes",
            "character_version",
        )
        help_texts = {
            "nickname": gettext_lazy("What the character is called in chats, if not by the name."),
            "tagline": gettext_lazy("One line for the library. It is not sent to the model."),
            "description": gettext_lazy("Who this is: looks, life, what matters to them."),
            "personality": gettext_lazy("A few words on how they are."),
            "scenario": gettext_lazy("Where you meet, and what is going on."),
            "greeting": gettext_lazy("The first message of every new chat."),
            "example_dialogue": gettext_lazy("A few lines that show how they talk."),
            "system_prompt": gettext_lazy(
                "Takes the place of the product's own instructions; {{original}} stands for those."
            ),
            "post_history_instructions": gettext_lazy(
                "Sent after the talk, right before your newest message."
            ),
            "language": gettext_lazy("New chats with this character are in it."),
            "creator_notes": gettext_lazy("For people. It is not sent to the model."),
        }

    def clean_picture(self) -> Any:
        file = self.cleaned_data["picture"]
        return avatars.portrait(file, file.size or 0) if isinstance(file, UploadedFile) else None

    @transaction.atomic
    def save(self, commit: bool = True) -> Character:
        """Store the character and its picture; the old picture goes once that is committed."""
        character: Character = self.instance
        picture = self.cleaned_data["picture"]
        old = character.avatar.name
        if picture:
            character.avatar.save(f"{character.pk}.webp", picture, save=False)
        elif self.cleaned_data["no_picture"]:
            character.avatar = ""
        if old and character.avatar.name != old:
            storage = character.avatar.storage
            transaction.on_commit(lambda: storage.delete(old))
        super().save(commit)
        return character


class PersonaForm(forms.ModelForm):
    class Meta:
        model = Persona
        formfield_callback = clean_text
        fields = ("name", "description", "is_default")
        labels = {"is_default": gettext_lazy("Wear this one in new chats")}
        help_texts = {
            "description": gettext_lazy(
                "What characters know about you from the start: who you are, how you look,"
                " what you do."
            ),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.is_default:  # Another one takes over; none is never the case.
            del self.fields["is_default"]

    def save(self, commit: bool = True) -> Persona:
        return personas.keep(self.instance)


class CardUpload(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Card"),
        widget=forms.FileInput(attrs={"accept": ".png,.json,.charx,.jpg,.jpeg,.zip"}),
        help_text=gettext_lazy("PNG, JSON or CHARX, up to 48 MB."),
        allow_empty_file=True,  # said in the importer's own words
    )


class CardForm(CharacterForm):
    """What of a card has to be looked at before it can be kept: its name, and what is wrong."""

    picture = no_picture = None  # type: ignore[assignment]

    def __init__(self, fields: dict[str, Any], data: Any, owner: User) -> None:
        """`fields` as the card has them; `data` as they were posted, if they were."""
        told = QueryDict(mutable=True)
        for name, value in fields.items():
            shown = self.base_fields[name].prepare_value(value)
            told.setlist(name, shown if isinstance(shown, list) else [shown])
        self.posted = [name for name in data or () if name in self.base_fields]
        for name in self.posted:
            told.setlist(name, data.getlist(name))
        super().__init__(told, instance=Character(owner=owner))
        wrong = [name for name in self.errors if name in self.fields]
        self.shown = [self[name] for name in dict.fromkeys(["name", *self.posted, *wrong])]

    @property
    def changes(self) -> dict[str, Any]:
        """What a person may have written; the rest stays as the card has it, to the letter."""
        return {name: self.cleaned_data[name] for name in self.posted}

    def refuse(self, problem: ValidationError) -> None:
        """Show what the act refused at its field, or at the name."""
        fields = getattr(problem, "error_dict", {"name": [problem]})
        for name, errors in fields.items():
            self.add_error(name if name in self.fields else None, errors)


def meant(form: forms.BaseForm, name: str) -> bool:
    """Whether a person changed this field on the page they were shown, which tells what it was.

    Another tab may have changed it since: an old page that saves a note must not switch learning
    on again (R112). A form that was sent without what it was means what it says.
    """
    return form.add_initial_prefix(name) not in form.data or name in form.changed_data


class BondForm(forms.ModelForm):
    note_most = NOTE_LENGTH

    class Meta:
        model = Bond
        formfield_callback = clean_text
        fields = ("note", "learns", "memory_detail", "persona")
        widgets = {"memory_detail": forms.RadioSelect, "note": forms.Textarea(attrs={"rows": 4})}
        labels = {
            "note": gettext_lazy("What is between you"),
            "learns": gettext_lazy("Learn from chat"),
            "persona": gettext_lazy("Who you are to this character"),
        }
        help_texts = {
            "note": gettext_lazy(
                "Old friends, rivals, strangers on a train. It is sent with the character and"
                " never fades."
            ),
            "persona": gettext_lazy("For new chats. A chat under way keeps the one it has."),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["learns"].show_hidden_initial = True
        persona = self.fields["persona"]
        assert isinstance(persona, forms.ModelChoiceField)
        persona.queryset = Persona.objects.of(self.instance.user).order_by("name")
        persona.empty_label = str(gettext_lazy("The one I wear in new chats"))

    def save(self, commit: bool = True) -> Bond:
        told = {k: v for k, v in self.cleaned_data.items() if k != "persona"}
        if not meant(self, "learns"):
            del told["learns"]
        worn = self.cleaned_data["persona"]
        fields = {**told, "persona_id": worn.pk if worn else None}
        return keeping.write_bond(self.instance.user, self.instance.character, fields)
