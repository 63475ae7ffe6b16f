"""People and their things, for tests. Names are of the product's little world."""

from itertools import count
from typing import Any
from uuid import uuid4

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt

from characters.models import Character, Persona
from conversations import turns
from conversations.models import Conversation, Reply
from conversations.turns import Opened
from memories import keeping
from memories.models import Memory
from reverie.accounts.models import User
from reverie.providers import connecting
from reverie.providers.models import ConnectedModel

_numbers = count(1)


def make_user(username: str = "", **fields: Any) -> User:
    return User.objects.create_user(
        username or f"person{next(_numbers)}", password="a good long password", **fields
    )


def with_second_factor(user: User) -> User:
    """The person, with an app that makes codes."""
    data = {"secret": encrypt("JBSWY3DPEHPK3PXP")}
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data=data)
    return user


def make_character(owner: User, name: str = "Tomori", **fields: Any) -> Character:
    defaults = {"greeting": "Hello, {{user}}.", "description": "{{char}} sings in a small band."}
    return Character.objects.create(owner=owner, name=name, **(defaults | fields))


def make_persona(owner: User, name: str = "Juno", **fields: Any) -> Persona:
    return Persona.objects.create(owner=owner, name=name, **fields)


def make_model(label: str = "Lamplight", key: str = "", **fields: Any) -> ConnectedModel:
    """A connected model, at an address that nobody answers."""
    defaults = {"model": "lamp-1", "base_url": "https://nowhere.invalid/v1"}
    row = ConnectedModel(label=label, **(defaults | fields))
    connecting.keep(row, key)
    return row


def make_conversation(owner: User, character: Character | None = None) -> Conversation:
    return turns.begin(owner, character or make_character(owner))


def say(conversation: Conversation, text: str = "How is Mochi?", **fields: Any) -> Opened:
    """Open a turn; nobody answers it until the test does."""
    client_id = fields.pop("client_id", None) or uuid4()
    return turns.open(conversation.owner, conversation.pk, client_id, text)


def exchange(conversation: Conversation, text: str, answer: str) -> Opened:
    """A whole turn, answered with these words."""
    opened = say(conversation, text)
    prepared = turns.prepare(opened.reply.pk)
    assert prepared
    outcome = turns.Outcome(Reply.Status.DONE, answer)
    assert turns.close(prepared.reply_id, prepared.attempt, outcome)
    return opened


def make_memory(
    owner: User,
    character: Character | None,
    text: str = "Juno's cat is called Mochi",
    *,
    pinned: bool = False,
    **fields: Any,
) -> Memory:
    """A memory as a person adds it; `fields` are then set as time or an AI would have."""
    memory = keeping.add(owner, text, character=character, pinned=pinned)
    if fields:
        Memory.objects.filter(pk=memory.pk).update(**fields)
        memory.refresh_from_db()
    return memory
