"""Text of models and people as HTML that cannot do harm."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.text.markdown import TAGS, render

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/png;base64,AAAA)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](vbscript:msgbox)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example)",
    "[x](/accounts/delete)",
    "<javascript:alert(1)>",
    '[x](https://a.example "onmouseover=alert(1)")',
    "[x]: javascript:alert(1)\n\n[x]",
    "<svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "```<script>\nalert(1)\n```",
    "<a href=x onclick=alert(1)>x</a>",
    "<!--><script>alert(1)</script>-->",
]
TAG = re.compile(r"<(/?)([a-z0-9]+)((?:\s[^<>]*)?)>")


def assert_harmless(html: str) -> None:
    for _, name, attributes in TAG.findall(html):
        assert name in TAGS
        names = re.findall(r"\s([\w-]+)=", re.sub(r'"[^"]*"', '""', attributes))
        assert set(names) <= {"href", "title", "target", "rel", "start"}
    for link in re.findall(r'href="([^"]*)"', html):
        assert re.match(r"(https?://|mailto:)", link, re.IGNORECASE)


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_harmless(text: str) -> None:
    html = render(text)
    assert_harmless(html)
    assert "<img" not in html
    assert "<script" not in html


@pytest.mark.requirement("A4")
@given(st.text(st.sampled_from("<>[]()!*_`~#|\\&;:/\"'-\n \x00\ud800a1あ「javscript=")))
def test_no_text_whatever_fails_or_does_harm(text: str) -> None:
    assert_harmless(render(text))


def test_links_open_elsewhere_and_tell_nothing() -> None:
    html = render("[x](https://a.example/?b=1&c=2)")
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'href="https://a.example/?b=1&amp;c=2"' in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*She smiles.* Hello", "<em>She smiles.</em> Hello"),
        ("彼は*「こんにちは」*と言った", "彼は<em>「こんにちは」</em>と言った"),
        ("これは**「大事」**です", "これは<strong>「大事」</strong>です"),
        ("one\ntwo", "one<br>\ntwo"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("    four spaces", "four spaces"),
        ("[note]: she left", "[note]: she left"),
        ("~~no~~", "<s>no</s>"),
    ],
)
def test_role_play_reads_as_it_was_meant(text: str, html: str) -> None:
    assert render(text).strip() == f"<p>{html}</p>"


def test_a_heading_never_outranks_those_of_the_page() -> None:
    assert render("# Title").strip() == "<h3>Title</h3>"
