"""What one person has, one of everything, each with a word in it that nobody else may read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any, Self

from django.apps import apps
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.test.client import ClientHandler
from PIL import Image

from characters.models import Bond, CardDraft
from conversations import history, trash
from conversations.models import Reply
from memories.models import MemoryChange
from reverie.accounts import invitations
from reverie.accounts.models import ApiToken, User
from tests.factories import (
    exchange,
    make_character,
    make_conversation,
    make_memory,
    make_model,
    make_persona,
)

OWNER_OF = {
    "accounts.User": "pk",
    "accounts.ApiToken": "user",
    "accounts.Invitation": "made_by",
    "characters.Character": "owner",
    "characters.CardDraft": "owner",
    "characters.Persona": "owner",
    "characters.Bond": "user",
    "memories.MemoryScope": "owner",
    "memories.Memory": "scope__owner",
    "memories.MemoryChange": "owner",
    "memories.MemoryVector": "memory__scope__owner",
    "conversations.Conversation": "owner",
    "conversations.Participant": "conversation__owner",
    "conversations.Message": "conversation__owner",
    "conversations.Reply": "conversation__owner",
    "conversations.PromptPiece": "owner",
    "conversations.Fold": "conversation__owner",
}
NOBODYS = {"providers.ConnectedModel"}  # who runs the site connects them for everybody


def own_models() -> list[type[Model]]:
    """Every model of the product itself, without those of its libraries."""
    ours = [
        config
        for config in apps.get_app_configs()
        if config.path.startswith(f"{settings.BASE_DIR}/") and "site-packages" not in config.path
    ]
    return [model for config in ours for model in config.get_models()]


@dataclass
class House:
    """A person with one of each: a character, a card not yet kept, a persona, a bond, memories; and
    a talk, a deleted one, and a token."""

    user: User
    secret: str
    token: str
    ids: dict[str, str]

    @classmethod
    def of(cls, name: str, **fields: Any) -> Self:
        user, secret = User(username=name, language="en", **fields), f"secret-of-{name}"
        user.set_unusable_password()
        user.save()
        character = make_character(user, f"{secret} character", description=secret, tagline=secret)
        character.avatar.save(f"{name}.webp", ContentFile(_picture()))
        draft = CardDraft(owner=user, file_name=secret, card=json.dumps({"name": secret}))
        draft.picture.save(f"{name}.webp", ContentFile(_picture()))
        persona = make_persona(user, f"{secret} persona", description=secret, is_default=True)
        Bond.objects.create(user=user, character=character, note=secret)
        memory = make_memory(user, character, f"{secret} memory")
        everywhere = make_memory(user, None, f"{secret} global memory", pinned=True)
        talk = make_conversation(user, character)
        turn = exchange(talk, f"{secret} said", f"{secret} answered")
        version = {"conversation": talk, "message": turn.answer, "status": Reply.Status.DONE}
        Reply.objects.create(**version, number=1, text=f"{secret} otherwise")
        gone = exchange(talk, f"{secret} taken back", f"{secret} unheard").message
        history.delete_message(user, talk.pk, gone.pk, following=True)
        trashed = make_conversation(user, character)
        exchange(trashed, f"{secret} thrown away", f"{secret} answered in vain")
        trash.delete(user, trashed.pk)
        invitation, _ = invitations.make(user, note=secret, email=f"{secret}@example.com")
        token = ApiToken.issue(user)
        return cls(
            user=user,
            secret=secret,
            token=token,
            ids={
                "owner": str(user.pk),
                "character": str(character.pk),
                "draft": str(draft.pk),
                "persona": str(persona.pk),
                "memory": str(memory.pk),
                "pinned": str(everywhere.pk),
                "change": str(MemoryChange.objects.get(memory_uid=memory.pk).pk),
                "chat": str(talk.pk),
                "trashed": str(trashed.pk),
                "said": str(turn.message.pk),
                "answer": str(turn.answer.pk),
                "gone": str(gone.pk),
                "reply": str(turn.reply.pk),
                "invitation": str(invitation.pk),
                "api_token": str(ApiToken.objects.get(user=user).pk),
            },
        )

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Everything that is this person's, to compare with later."""
        found = {}
        for model in own_models():
            if (name := model._meta.label) in NOBODYS:
                continue
            rows = model._default_manager.filter(**{OWNER_OF[name]: self.user.pk})
            found[name] = list(rows.order_by("pk").values())
        for row in found["accounts.User"]:
            row.pop("last_login")
        return found

    def suspend(self) -> None:
        """In the database only, as somebody else would do it."""
        User.objects.filter(pk=self.user.pk).update(is_active=False)

    def browser(self, *, csrf: bool = False) -> Client:
        """A browser in which this person is signed in; a crash of the product is a 500 in it."""
        client = stranger(csrf=csrf)
        client.force_login(self.user)
        return client

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def street() -> Iterator[dict[str, House]]:
    """Juno, and who else lives here; committed, so that many tests can look at the same houses."""
    with transaction.atomic():
        model = make_model()
        houses = {
            "owner": House.of("juno"),
            "other": House.of("mallory"),
            "staff": House.of("steve", is_staff=True),
            "superuser": House.of("root", is_staff=True, is_superuser=True),
        }
        for house in houses.values():
            house.ids["model"] = str(model.pk)
    try:
        yield houses
    finally:
        User.objects.filter(pk__in=[house.user.pk for house in houses.values()]).delete()
        model.delete()


def stranger(*, csrf: bool = False) -> Client:
    """A browser in which nobody is signed in."""
    client = Client(raise_request_exception=False)
    client.handler = _site(csrf)
    return client


@cache
def _site(csrf: bool) -> ClientHandler:
    """The product, loaded once: the middleware reads every static file when it is made."""
    return ClientHandler(enforce_csrf_checks=csrf)


def _picture() -> bytes:
    kept = BytesIO()
    Image.new("RGB", (8, 8), "purple").save(kept, "WEBP")
    return kept.getvalue()
