"""Who speaks in a talk, and everything that the head of their prompt is made of."""

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from characters.models import Bond, Character
from conversations.engine import prompt
from conversations.engine.values import Budget, Card, Mask, Piece, Section
from conversations.engine.window import Cap, cap
from conversations.models import Conversation, Participant
from memories import recall
from memories.engine.values import Note
from memories.models import Memory
from memories.recall import Query, Recalled
from reverie.accounts.models import User
from reverie.providers.base import ChatModel
from reverie.text import tokens


@dataclass(frozen=True)
class Voice:
    """One character about to speak to one person, under one model."""

    card: Card
    mask: Mask
    bond: str
    detail: str
    language: str
    zone: ZoneInfo
    model: ChatModel
    notes: tuple[Note, ...] = ()  # the memories in force
    nonce: str = ""
    reply_tokens: int | None = None
    recalled: Recalled = field(default_factory=Recalled)

    @property
    def limit(self) -> Cap:
        return cap(self.detail, self.model.context_tokens)

    @property
    def budget(self) -> Budget:
        """Half of the context may be the reply, when somebody asks for so long a one."""
        context = self.model.context_tokens
        asked = min(self.reply_tokens or 0, context // 2)
        return Budget(context, max(asked, min(settings.REPLY_RESERVE_TOKENS, context // 4)))

    @property
    def most_tokens(self) -> int | None:
        """What a reply may have at most; None: as the model decides."""
        return min(self.reply_tokens, self.budget.reserve) if self.reply_tokens else None

    def count(self, text: str) -> int:
        return tokens.count(text, self.model.tokenizer)

    def head(self) -> tuple[Section, ...]:
        return prompt.head(self.card, self.mask, self.bond, self.language, self.count)

    def tail(self, now: datetime | None = None) -> tuple[Section, ...]:
        local = (now or timezone.now()).astimezone(self.zone)
        with translation.override(self.language):
            written = f"{local:%Y-%m-%d %H:%M} ({date_format(local, 'l')}, {self.zone.key})"
        return prompt.tail(self.card, self.mask, written, self.language, self.count)

    def unfinished(self, text: str) -> tuple[Section, ...]:
        return prompt.unfinished(self.card, self.mask, text, self.language, self.count)

    def spoken_for(self) -> Piece:
        return prompt.spoken_for(self.card, self.mask, self.language, self.count)


def voice(
    conversation: Conversation,
    participant: Participant,
    model: ChatModel,
    query: Query | None = None,
) -> Voice:
    """The voice of `participant`, after a search for `query` where there is one.

    Raises `ValidationError` when the character was deleted.
    """
    character = participant.character
    if character is None:
        raise ValidationError(_("This character was deleted."), code="character_gone")
    owner = conversation.owner
    bond = Bond.objects.known(owner, character)
    reads = remembers(conversation, bond)
    recalled = recall.search(owner, character, query) if reads else Recalled()
    return Voice(
        card=card(character),
        mask=mask(conversation),
        bond=bond.note,
        detail=bond.memory_detail,
        language=conversation.language,
        zone=owner.zone,
        model=model,
        notes=notes(owner, character) if reads else (),
        nonce=nonce(conversation),
        reply_tokens=conversation.reply_tokens,
        recalled=recalled,
    )


def remembers(conversation: Conversation, bond: Bond) -> bool:
    """Whether memories are read here, and so searched: not with learning off (R112, D27), nor in
    a challenge, where everybody starts alike (R116)."""
    return bond.learns and conversation.kind != Conversation.Kind.CHALLENGE


def notes(owner: User, character: Character) -> tuple[Note, ...]:
    """What this character remembers: its own and the global, in any chat, under any persona
    (R53, R55–R60)."""
    memories = Memory.objects.of(owner).in_force(character)
    return tuple(memory.note for memory in memories.order_by("id"))


def nonce(conversation: Conversation) -> str:
    """Marks where memories begin and end. The same in each reply of a talk, since it stands in the
    prompt's beginning, and known to nobody who writes a memory (A8)."""
    key = settings.SECRET_KEY.encode()[:64]
    return blake2b(conversation.pk.bytes, digest_size=6, key=key).hexdigest()


def card(character: Character) -> Card:
    return Card(
        id=str(character.pk),
        name=character.called,
        description=character.description,
        personality=character.personality,
        scenario=character.scenario,
        example_dialogue=character.example_dialogue,
        system_prompt=character.system_prompt,
        post_history_instructions=character.post_history_instructions,
    )


def mask(conversation: Conversation) -> Mask:
    """The persona worn in this talk, or the person's own name."""
    if persona := conversation.persona:
        return Mask(str(persona.pk), persona.name, persona.description)
    return Mask("", conversation.owner.name_for_characters)
