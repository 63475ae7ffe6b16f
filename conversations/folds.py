"""When the beginning of a prompt is laid anew, and why (D10)."""

from datetime import UTC

from django.utils import timezone

from conversations import remembering, sent
from conversations.engine.prompt import Prompt
from conversations.models import Conversation, Fold, Participant
from conversations.remembering import Remembered
from conversations.speakers import Voice


def remembered(last: Fold | None, voice: Voice) -> tuple[Remembered, str]:
    """The memories of a reply, and why its prefix cannot stand on the last fold (or nothing)."""
    if last is None:
        return remembering.anew(voice), Fold.Reason.FIRST
    laid = remembering.laid_by(last)
    standing = remembering.standing(voice, laid)
    if laid.active & voice.recalled.slept:
        return remembering.anew(voice), Fold.Reason.SLEEP
    why = reason(last, sent.refs((*voice.head(), *standing.head)), voice)
    if not why and remembering.pinned_since(voice, laid):
        why = Fold.Reason.PIN
    return (remembering.anew(voice) if why else standing), why


def reason(last: Fold, prefix: sent.Refs, voice: Voice) -> str:
    """Why `prefix` cannot stand on the last fold, whatever the talk is; empty when it can."""
    if last.created_at.astimezone(UTC).date() != timezone.now().astimezone(UTC).date():
        return Fold.Reason.DAY
    laid_for = (last.prefix, last.model, last.context)
    if laid_for != (prefix, voice.model.name, voice.budget.context):
        return Fold.Reason.CHANGE
    return ""


def moved(last: Fold | None, first: int, whole: Prompt) -> str:
    """Why the talk begins elsewhere than it did under the last fold; empty when it does not."""
    if last is None or last.first_position == first:
        return ""
    return Fold.Reason.CONTEXT if whole.begins else Fold.Reason.CHANGE


def lay(
    conversation: Conversation,
    speaker: Participant,
    voice: Voice,
    whole: Prompt,
    first: int,
    why: str,
) -> Fold:
    """Keep what the prefix is from now on; `first` is the position where the talk begins."""
    return Fold.objects.create(
        conversation=conversation,
        participant=speaker,
        reason=why,
        prefix=sent.refs(whole.head),
        first_position=first,
        model=voice.model.name,
        context=voice.budget.context,
    )
