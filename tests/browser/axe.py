"""What axe finds on a page. The policy of the page does not concern what the driver runs."""

from pathlib import Path

import axe_core_python
from playwright.sync_api import Page

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")


def serious(page: Page) -> list[str]:
    """What axe calls serious or critical, with the first place of each."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:160]} {one['nodes'][0]['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
