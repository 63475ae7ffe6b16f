"""Compare the catalogues with the code: every text translated, every .mo made of its .po.

Works on a copy, so that a check changes nothing. Needs gettext.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = shutil.ignore_patterns(".*", "__pycache__", "vendor", "tests", "bench", "docs")


def problems(root: Path) -> list[str]:
    """What is not translated, doubtful, or not compiled, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(root, copy, ignore=ELSEWHERE)
        catalogues = sorted((copy / "locale").glob("*/LC_MESSAGES/*.po"))
        stale = [line for po in catalogues for line in _not_compiled(po, Path(folder))]
        _extract(copy, catalogues)
        return [line for po in catalogues for line in _not_translated(po)] + stale


def _extract(copy: Path, catalogues: list[Path]) -> None:
    """Bring the catalogues of the copy up to what the code says."""
    home = {"REVERIE_HOME": str(copy / ".home"), "DJANGO_SETTINGS_MODULE": "reverie.settings"}
    for po in catalogues:
        options = ["-l", po.parent.parent.name, "-d", po.stem, "--no-location", "-v", "0"]
        subprocess.run(
            [sys.executable, "manage.py", "makemessages", *options],
            cwd=copy,
            env=os.environ | home,
            check=True,
        )


def _not_translated(po: Path) -> list[str]:
    name = f"{po.parent.parent.name}/{po.stem}.po"
    return [
        f"{name}: {text} {what}"
        for option, what in (("--untranslated", "has no translation"), ("--only-fuzzy", "is fuzzy"))
        for text in _texts(_run("msgattrib", option, "--no-obsolete", "--no-wrap", str(po)))
    ]


def _texts(catalogue: str) -> list[str]:
    """The source texts of a catalogue, each in quotes; its heading has none."""
    found = re.findall(r'^msgid ((?:".*"\n)+)', catalogue, re.MULTILINE)
    joined = ("".join(text.replace('"\n"', "").split("\n")) for text in found)
    return [text for text in joined if text != '""']


def _not_compiled(po: Path, scratch: Path) -> list[str]:
    made, kept = scratch / "made.mo", po.with_suffix(".mo")
    _run("msgfmt", "--check", f"--output-file={made}", str(po))
    name = f"{po.parent.parent.name}/{kept.name}"
    if not kept.is_file():
        return [f"{name} is missing: run manage.py compilemessages."]
    # Other versions of gettext lay the same catalogue out in other bytes.
    if _run("msgunfmt", str(made)) != _run("msgunfmt", str(kept)):
        return [f"{name} is not made of its .po: run manage.py compilemessages."]
    return []


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit("\n".join(problems(ROOT)) or None)
