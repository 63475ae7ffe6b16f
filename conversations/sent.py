"""What was sent for a reply: kept as references to texts stored once (D42), shown whole."""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from conversations import compared
from conversations.engine import prompt
from conversations.engine.values import Part, Piece, Role, Section
from conversations.models import Fold, PromptPiece, Reply
from reverie.accounts.models import User

Refs = list[list[Any]]  # [[section, [[hash, tokens, source, role], …]], …]


def text_hash(text: str) -> str:
    """128 bits of BLAKE2b in 22 letters."""
    return urlsafe_b64encode(blake2b(text.encode(), digest_size=16).digest()).decode().rstrip("=")


def refs(sections: Sequence[Section]) -> Refs:
    """These sections as references, small enough to be kept with every reply."""
    return [
        [s.name.value, [[text_hash(p.text), p.tokens, p.source, p.role.value] for p in s.pieces]]
        for s in sections
    ]


def store(owner: User, sections: Sequence[Section]) -> Refs:
    """Keep the texts that are not kept yet, and give the references back."""
    texts = {text_hash(piece.text): piece.text for s in sections for piece in s.pieces}
    pieces = PromptPiece.objects.filter(owner=owner)
    # One that was cleared for good comes back when the same words are said anew.
    known = set(pieces.filter(hash__in=texts).exclude(text="").values_list("hash", flat=True))
    missing = [PromptPiece(owner=owner, hash=h, text=t) for h, t in texts.items() if h not in known]
    missing.sort(key=lambda piece: piece.hash)  # two talks at once lock in the same order
    PromptPiece.objects.bulk_create(
        missing, update_conflicts=True, unique_fields=["owner", "hash"], update_fields=["text"]
    )
    return refs(sections)


def sections(owner: User, kept: Refs) -> tuple[Section, ...]:
    """References as sections again. A text that was cleared for good is empty."""
    hashes = {ref[0] for _, pieces in kept for ref in pieces}
    rows = PromptPiece.objects.filter(owner=owner, hash__in=hashes)
    texts = dict(rows.values_list("hash", "text"))
    return tuple(Section(Part(name), tuple(_pieces(texts, pieces))) for name, pieces in kept)


def _pieces(texts: dict[str, str], kept: Iterable[Sequence[Any]]) -> Iterable[Piece]:
    for key, tokens, source, role in kept:
        yield Piece(texts.get(key, ""), tokens, source, Role(role))


def prompt_row(reply: Reply, *, erased: str = "") -> dict[str, Any] | None:
    """The prompt of this reply as it was sent (X1); None when nothing was sent yet.

    `erased` stands in its messages for a text that was cleared for good (D42).
    """
    sent = reply.sent
    if not sent:
        return None
    parts = sections(reply.conversation.owner, sent["sections"])
    fold = Fold.objects.filter(conversation=reply.conversation, pk=sent["fold"]).first()
    return {
        "model": reply.model,
        "tokenizer": sent["tokenizer"],
        "context_tokens": sent["context"],
        "reserve_tokens": sent["reserve"],
        "total_tokens": sent["tokens"],
        "fold": fold and {"reason": fold.reason, "created_at": fold.created_at.isoformat()},
        "sections": [_section_row(part) for part in parts],
        "memories": compared.memory_rows(reply.conversation, parts, sent.get("recall", {})),
        "skipped": sent["skipped"],
        "left_out": sent.get("left_out", []),
        "searched": sent.get("recall", {}).get("searched", False),
        "messages": [
            {"role": line.role.value, "content": line.content, "mark": line.mark}
            for line in prompt.lines([_marked(part, erased) for part in parts])
        ],
        "usage": usage_row(reply),
    }


def _marked(part: Section, erased: str) -> Section:
    return replace(part, pieces=tuple(replace(p, text=p.text or erased) for p in part.pieces))


def _section_row(part: Section) -> dict[str, Any]:
    rows = [
        {"role": p.role.value, "source": p.source, "tokens": p.tokens, "text": p.text}
        for p in part.pieces
    ]
    return {"name": part.name.value, "tokens": part.tokens, "pieces": rows}


def usage_row(reply: Reply) -> dict[str, Any]:
    """What the provider says that it counted; None where it said nothing."""
    return {
        "prompt_tokens": reply.prompt_tokens,
        "cached_tokens": reply.cached_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": None if reply.cost is None else str(reply.cost),
    }
