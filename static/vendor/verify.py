"""Compare the vendored files with `vendor.json`: nothing changed, nothing missing, nothing more."""

import hashlib
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OURS = {"vendor.json", "verify.py"}


def problems(folder: Path) -> list[str]:
    """One sentence for each vendored file that is not what `vendor.json` says."""
    listed = {entry["file"]: entry for entry in json.loads((folder / "vendor.json").read_text())}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if _counts(path)} - OURS
    unlisted = [f"{name} is not in vendor.json." for name in sorted(found - listed.keys())]
    missing = [f"{name} is missing." for name in sorted(listed) if not (folder / name).is_file()]
    changed = [
        f"{name} is not {listed[name]['name']} {listed[name]['version']}: its hash differs."
        for name in sorted(listed)
        if (folder / name).is_file()
        and hashlib.sha256((folder / name).read_bytes()).hexdigest() != listed[name]["sha256"]
    ]
    return unlisted + missing + changed


def _counts(path: Path) -> bool:
    """Licences lie beside what they are for; everything else has a hash."""
    return path.is_file() and "LICENSE" not in path.name and "__pycache__" not in path.parts


if __name__ == "__main__":
    sys.exit("\n".join(problems(FOLDER)) or None)
