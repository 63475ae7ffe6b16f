"""Every page that a person can open, with something on each of it."""

import json
from dataclasses import dataclass
from typing import Any

from characters.models import CardDraft, Character, Persona
from conversations import trash
from conversations.models import Conversation, Reply
from memories import keeping
from memories.models import Memory
from reverie.accounts import invitations, signin
from reverie.accounts.models import ApiToken, User
from reverie.providers.models import ConnectedModel
from tests.factories import (
    exchange,
    make_character,
    make_conversation,
    make_memory,
    make_persona,
)


@dataclass(frozen=True)
class House:
    """One person with a character, a persona, and a talk of theirs, and one in the trash."""

    person: User
    character: Character
    persona: Persona
    chat: Conversation
    reply: Reply
    gone: Conversation
    draft: CardDraft
    memory: Memory


def make_house(person: User) -> House:
    # Who may invite sees most.
    person.is_staff = True
    person.save()
    ApiToken.issue(person, name="Zzyzx")
    invitations.make(person, note="Zzyzx")
    # Words of nobody's language, so that what is left on a page is the product's own.
    persona = make_persona(person, "Qi", description="Zzyzx.", is_default=True)
    character = make_character(
        person,
        "Vexa",
        description="Zzyzx.",
        greeting="Zzyzx?",
        tagline="Zzyzx, zzyzx",
        tags=["zz"],
        language=person.language or "en",
        alternate_greetings=["Zzyzx!"],
    )
    chat = make_conversation(person, character)
    opened = exchange(chat, "Zzyzx, zzyzx?", "*Zzyzx.* Zzyzx\n\n- **zzyzx**\n- `zzyzx`\n\n> zzyzx")
    counted = {"prompt_tokens": 1200, "cached_tokens": 700, "completion_tokens": 90}
    Reply.objects.filter(pk=opened.reply.pk).update(**counted, cost="0.0123")
    gone = make_conversation(person, character)
    trash.delete(person, gone.pk)
    # Without a name, with a change to tell and something too long: all that its page can show.
    told = {"tags": "zz", "creator": "zz" * 200, "character_book": {"entries": [{"sticky": 1}]}}
    draft = CardDraft.objects.create(owner=person, file_name="Vexa", card=json.dumps(told))
    memory = make_memory(person, character, "Zzyzx", unused_days=4, strength="plain")
    make_memory(person, character, "Zzyzx, zzyzx.", pinned=True)
    states: tuple[dict[str, Any], ...] = (
        {"unused_days": 7},
        {"held": True},
        {"from_character": "Qi"},
    )
    for n, fields in enumerate(states):
        make_memory(person, character, f"Zzyzx {n}", **fields)
    keeping.delete(person, make_memory(person, character, "Zzyzx zzyzx").pk)
    return House(person, character, persona, chat, opened.reply, gone, draft, memory)


def paths(house: House, *, signed_in: bool = True) -> list[str]:
    """The pages of somebody who is signed in, or of a stranger."""
    if not signed_in:
        return [
            "/",
            "/sign-in/",
            signin.link_path(house.person),
            "/sign-in/no/",
            "/limits/",
            f"/join/{invitations.make(house.person)[1]}/",
            "/join/",
            "/join/no/",
            "/forgotten/",
            "/forgotten/sent/",
            "/forgotten/no-no/",
            "/email/no/",
            "/nowhere/",
        ]
    chat, character = f"/chats/{house.chat.pk}/", f"/characters/{house.character.pk}/"
    persona = f"/personas/{house.persona.pk}/"
    return [
        "/",
        "/chats/",
        "/chats/?q=zzyzx",
        "/chats/?q=nobody",
        f"/chats/?deleted={house.gone.pk}",
        "/chats/deleted/",
        f"/chats/{house.gone.pk}/erase/",
        chat,
        f"{chat}edit/",
        f"{chat}settings/",
        f"{chat}budget/",
        f"{chat}replies/{house.reply.pk}/prompt/",
        "/characters/",
        "/characters/?q=nobody",
        "/characters/?tag=zz&sort=newest",
        "/characters/new/",
        "/characters/import/",
        f"/characters/drafts/{house.draft.pk}/",
        character,
        f"{character}bond/",
        f"{character}export/",
        f"{character}delete/",
        "/personas/",
        "/personas/new/",
        persona,
        f"{persona}delete/",
        "/memories/",
        "/memories/?q=nothing",
        f"/memories/with/{house.character.pk}/",
        f"/memories/with/{house.character.pk}/?scope=global",
        "/memories/activity/",
        f"/memories/{house.memory.pk}/",
        f"{chat}story/",
        "/settings/",
        "/usage/",
        "/limits/",
        "/settings/confirm/",
        "/settings/invitations/",
    ]


def operator_paths(model: ConnectedModel) -> list[str]:
    """The pages of who runs the site and nobody else."""
    one = f"/models/{model.pk}/"
    kinds = [f"/models/new/?kind={kind}" for kind in ("openrouter", "ollama")]
    return ["/", "/models/", *kinds, f"/models/new/?like={model.pk}", one, f"{one}delete/"]
