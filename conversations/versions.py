"""Another version of an answer, or more of one."""

from datetime import timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from conversations import history, leases, speakers, turns
from conversations.models import Conversation, Message, MessageQuerySet, Reply
from conversations.turns import Opened
from reverie.accounts.models import User
from reverie.providers.choosing import chat_model
from reverie.text.ids import new_id

SECOND_PRESS = timedelta(seconds=2)  # a second "regenerate" within this is the same wish


@transaction.atomic
def regenerate(
    user: User, conversation_id: UUID, message_id: UUID, *, following: bool = False
) -> Opened:
    """Queue another version of the talk's last answer; the earlier ones stay (D25).

    A version that is being written ends with the text so far (C43); pressed twice is pressed
    once. With `following` what was said after the answer is deleted first. Raises `DoesNotExist`
    as `turns.open` does, and `ValidationError` with code `turn_in_progress`, `not_last`,
    `nothing_to_answer` or `character_gone`.
    """
    conversation = turns.locked(user, conversation_id)
    answer = Message.objects.within(conversation).shown().get(pk=message_id)
    active = Reply.objects.filter(conversation=conversation).active().first()
    if active and active.message_id != answer.pk:
        raise turns.in_progress()
    if active and active.number > 0 and timezone.now() - active.created_at < SECOND_PRESS:
        return Opened(asked(answer), answer, active, conversation)
    conversation = history.take(user, conversation_id)
    if following:
        history.remove(conversation, _later(conversation, answer))
    _refuse_unanswerable(conversation, answer)
    if active:
        leases.end_early(active, conversation)
    reply = turns.queue_reply(answer, new_id(), number=_next_number(answer))
    answer = _choose(answer, reply, conversation)
    return Opened(
        asked(answer), answer, reply, conversation, replaced=active.pk if active else None
    )


@transaction.atomic
def go_on(user: User, conversation_id: UUID, reply_id: UUID) -> Opened:
    """Queue an ended reply once more, to be written on from where it ends.

    Raises `ValidationError` with code `turn_in_progress`, `not_last` or `nothing_to_continue`.
    """
    conversation = history.take(user, conversation_id)
    if Reply.objects.filter(conversation=conversation).active().exists():
        raise turns.in_progress()
    reply = Reply.objects.kept().filter(conversation=conversation).get(pk=reply_id)
    answer = Message.objects.within(conversation).shown().get(pk=reply.message_id)
    _refuse_unanswerable(conversation, answer)
    if not reply.text.strip():
        raise ValidationError(
            _("There is no text to continue. Write it anew instead."), code="nothing_to_continue"
        )
    reply.status, reply.continues, reply.stopping = Reply.Status.QUEUED, True, False
    reply.attempt += 1  # fences off the process that lost it, should it still live
    reply.error_code, reply.error_detail, reply.retry_after = "", "", None
    reply.cut_by_length = False
    reply.lease_until = leases.fresh()
    reply.save()
    _choose(answer, reply, conversation)
    return Opened(asked(answer), answer, reply, conversation)


def asked(answer: Message) -> Message:
    """The message that this one answers. Raises `nothing_to_answer` when it is not there."""
    if answer.answers is None or answer.answers.deleted_in is not None:
        raise ValidationError(
            _("What this answered is not there any more."), code="nothing_to_answer"
        )
    return answer.answers


def _later(conversation: Conversation, answer: Message) -> MessageQuerySet:
    return Message.objects.within(conversation).filter(position__gt=answer.position)


def _refuse_unanswerable(conversation: Conversation, answer: Message) -> None:
    if answer.answers_id is None or _later(conversation, answer).exists():
        raise ValidationError(_("Only the last answer can be written anew."), code="not_last")
    asked(answer)
    assert answer.participant, "a character's message has a speaker"
    speakers.voice(conversation, answer.participant, chat_model(conversation.model_choice))


def _next_number(answer: Message) -> int:
    last = Reply.objects.filter(message=answer).order_by("number").last()
    return last.number + 1 if last else 0


def _choose(answer: Message, reply: Reply, conversation: Conversation) -> Message:
    """Let this version be told; the answer as it stands now."""
    answer.chosen_reply, answer.revision = reply, conversation.revision
    answer.save(update_fields=["chosen_reply", "revision"])
    return Message.objects.within(conversation).shown().get(pk=answer.pk)
