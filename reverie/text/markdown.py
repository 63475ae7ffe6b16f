"""Markdown of characters and people as safe HTML (A4)."""

import re
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from .clean import strip_invalid

TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
SCHEMES = {"http", "https", "mailto"}

_LINK = re.compile(r"(https?://|mailto:)\S", re.IGNORECASE)
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def render(text: str) -> str:
    """Safe HTML of `text`; line breaks kept, *narration* as <em>, no images. Never raises."""
    valid = strip_invalid(text)
    try:
        html = _parser.render(valid)
    except Exception:  # noqa: BLE001 - what cannot be parsed is still shown, as it is
        html = f"<p>{escape(valid)}</p>"
    return nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    # Indented speech is no code, "text over a line of dashes" no heading, "[x]: y" not invisible.
    parser.disable(["image", "html_block", "html_inline", "code", "lheading", "reference"])
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.core.ruler.push("lower_headings", _lower_headings)
    parser.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    return parser


def _lower_headings(state: object) -> None:
    """A heading in a message never outranks the headings of the page."""
    tokens: list[Token] = state.tokens  # type: ignore[attr-defined]
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Emphasis that also works inside Japanese, where no spaces stand around 「quotes」."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    run = state.scanDelims(state.pos, marker == "*")
    opens, closes = run.can_open, run.can_close
    if marker == "*":
        more_opens, more_closes = _beside_cjk(state.src, state.pos, state.pos + run.length)
        opens, closes = opens or more_opens, closes or more_closes
    for _ in range(run.length):
        token = state.push("text", "", 0)
        token.content = marker
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(marker), run.length, place, -1, opens, closes))
    state.pos += run.length
    return True


def _beside_cjk(source: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether a run of asterisks may (open, close) because a CJK character stands beside it."""
    before, after = source[start - 1 : start], source[end : end + 1]
    if not _CJK.match(before) and not _CJK.match(after):
        return False, False
    return bool(after.strip()), bool(before.strip())


_parser = _make_parser()
