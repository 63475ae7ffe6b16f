"""What the next reply would take of its model's context."""

from dataclasses import dataclass
from uuid import UUID

from conversations import laying, speakers
from conversations.engine.prompt import Prompt
from conversations.engine.values import Part
from conversations.models import Conversation
from reverie.accounts.models import User
from reverie.providers.choosing import chat_model

CHARACTER = (Part.CHARACTER, Part.PERSONA, Part.BOND, Part.INSTRUCTIONS, Part.TIME)
MEMORIES = (Part.PINS, Part.MEMORIES, Part.SAVED, Part.RECALLED)


@dataclass(frozen=True)
class Estimate:
    """Tokens of the next prompt by what takes them, and of the context that they must fit."""

    parts: dict[str, int]
    reserve: int
    context: int
    tokenizer: str

    @property
    def used(self) -> int:
        return sum(self.parts.values())

    @property
    def overfull(self) -> bool:
        return self.used + self.reserve > self.context


def estimate(user: User, conversation_id: UUID) -> Estimate:
    """Computed as a reply is, with nothing said and nothing written.

    Raises `Conversation.DoesNotExist`, and `ValidationError` with code `character_gone`.
    """
    talks = Conversation.objects.of(user).select_related("owner", "persona", "model_choice")
    conversation = talks.get(pk=conversation_id)
    speaker = conversation.participants.with_characters()[0]
    voice = speakers.voice(conversation, speaker, chat_model(conversation.model_choice))
    parts = _parts(laying.upcoming(conversation, speaker, voice))
    return Estimate(parts, voice.budget.reserve, voice.budget.context, voice.model.tokenizer)


def _parts(whole: Prompt) -> dict[str, int]:
    """The talk has the frames of the messages too, so that the parts add up to the whole."""
    character, memories = (
        sum(section.tokens for section in whole.sections if section.name in names)
        for names in (CHARACTER, MEMORIES)
    )
    talk = whole.tokens - character - memories
    return {"character": character, "memories": memories, "talk": talk}
