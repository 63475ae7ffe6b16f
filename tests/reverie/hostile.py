"""Texts that try to become more than text, and a reader that notices when one did."""

from html.parser import HTMLParser

from reverie.text.markdown import TAGS

MARKUP = [
    "<script>alert(1)</script>",
    "<hostile-tag>x</hostile-tag>",
    "</script><script>hostile()</script>",
    "</textarea><script>hostile()</script>",
    "</title><script>hostile()</script>",
    "<!--><script>hostile()</script>-->",
    "<img src=x onerror=hostile()>",
    "<svg onload=hostile()><script>hostile()</script></svg>",
    "<svg><animate onbegin=hostile() attributeName=x></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=hostile()></style></table></math>",
    '<noscript><p title="</noscript><img src=x onerror=hostile()>">',
    "<iframe srcdoc='<script>hostile()</script>'></iframe>",
    "<object data=javascript:hostile()></object>",
    "<embed src=//evil.example>",
    "<link rel=stylesheet href=//evil.example/a.css>",
    "<style>@import '//evil.example/a.css'</style>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<form action=//evil.example><button>x</button></form>",
    "<a href=javascript:hostile()>x</a>",
    "<details open ontoggle=hostile()>x</details>",
    "<div hx-get=/sign-out/ hx-trigger=load>x</div>",
    "<template><script>hostile()</script></template>",
    '" onfocus=hostile() autofocus x="',
    "' onfocus=hostile() autofocus x='",
    "`onfocus=hostile()`",
    "{{ 7|add:7 }}{% load static %}{% csrf_token %}",
    "&lt;script&gt;hostile()&lt;/script&gt;",
    "\u2028</script><script>hostile()\u2029",
    "<\u017fcript>hostile()</\u017fcript>",
    "＜script＞hostile()＜/script＞",
]
MARKDOWN = [
    "[x](javascript:hostile())",
    "[x](JaVaScRiPt:hostile())",
    "[x](java\nscript:hostile())",
    "[x](&#106;avascript:hostile())",
    "[x](\x01javascript:hostile())",
    "[x](vbscript:hostile())",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](//evil.example/)",
    "[x](/sign-out/)",
    "[x](file:///etc/passwd)",
    '[x](https://evil.example "t" onmouseover=hostile())',
    '[x](https://evil.example/"onmouseover=hostile())',
    "<javascript:hostile()>",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)",
    "![x][r]\n\n[r]: https://evil.example/pixel.png",
    "[r]: javascript:hostile()\n\n[x][r]",
    "```html\n<script>hostile()</script>\n```",
    "`<script>hostile()</script>`",
    '```"><script>hostile()</script>\nx\n```',
    "| a |\n|---|\n| <script>hostile()</script> |",
    "# <img src=x onerror=hostile()>",
    "> <svg onload=hostile()>",
    "*".join("<b>" for _ in range(50)),
]
HOSTILE = MARKUP + MARKDOWN
CALM_SCHEMES = ("http:", "https:", "mailto:")
DEAD = {"iframe", "object", "embed", "base", "style", "frame", "applet", "audio", "video", "math"}


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and what is wrong with them."""

    def __init__(self, html: str, *, own: bool) -> None:
        """`own`: a page of ours, which may have scripts and pictures of its own."""
        super().__init__(convert_charrefs=True)
        self.own, self.wrong, self.links, self.data = own, list[str](), list[str](), False
        # Browsers take these for empty comments; this parser reads on to the next end.
        self.feed(html.replace("<!--->", "").replace("<!-->", ""))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.data = tag == "script" and "src" not in told
        wrong = [name for name in told if name.startswith("on") or name in ("style", "srcdoc")]
        if tag in DEAD or tag.startswith("hostile") or wrong or not self._calm(tag, told):
            self.wrong.append(self.get_starttag_text() or tag)
        if tag == "a" and "href" in told:
            self.links.append(told["href"])

    def handle_data(self, data: str) -> None:
        if self.data and "<" in data:
            self.wrong.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.data = False

    def _calm(self, tag: str, told: dict[str, str]) -> bool:
        """Whether nothing here runs, loads or sends what somebody else wrote."""
        address = told.get("src") or told.get("action") or told.get("formaction") or ""
        href = told.get("href", "").strip().lower()
        if not self.own:
            return tag in TAGS and (not href or href.startswith(CALM_SCHEMES))
        local = not address.startswith("//") and address[:1] in ("", "/", "?", "#")
        inline = tag == "script" and "src" not in told and told.get("type") != "application/json"
        return (
            local and not inline and not href.startswith(("javascript", "data:", "vbscript", "//"))
        )
