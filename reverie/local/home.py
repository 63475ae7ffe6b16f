"""The home: the folder with everything that is not code. Imports no Django, so settings may ask it.

Everything here is worked out from the environment and the files alone; no server has to run.
"""

import base64
import hashlib
import os
import re
import secrets
import tempfile
from pathlib import Path
from urllib.parse import quote

from reverie.local.failures import CannotStart
from reverie.local.system_account import can_reach, own_folder, unprivileged

CHECKOUT = Path(__file__).resolve().parents[2]
PORT = 5432  # names the socket only: there is no TCP
ROLE = DATABASE = "reverie"
PASSWORD = "database-password"
# /tmp whatever TMPDIR says: every process must come to the same folder.
TEMPORARY = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())
# Kept over a restart of the machine, where the system has such a folder.
LASTING = Path("/var/tmp") if Path("/var/tmp").is_dir() else TEMPORARY
_SOCKET_PATH_BYTES = 100  # the kernel allows 103 to 107


def home() -> Path:
    """REVERIE_HOME, else `.reverie` in the checkout, else (root only) a folder outside it."""
    if named := os.environ.get("REVERIE_HOME"):
        return Path(named).expanduser().absolute()
    return fallback() or CHECKOUT / ".reverie"


def fallback() -> Path | None:
    """Where the default home goes when we are root and PostgreSQL's account cannot reach the
    checkout, for example below a private /root. Not keyed by version: upgrades find their data."""
    default = CHECKOUT / ".reverie"
    if os.geteuid() != 0 or can_reach(CHECKOUT, unprivileged(default / "postgres")):
        return None
    return LASTING / f"reverie-{os.geteuid()}-{digest(default)}"


def digest(path: Path) -> str:
    """A short name for a folder, the same in every process."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def prepare(folder: Path) -> Path:
    """Make the home if there is none, open to its owner only.

    Raises CannotStart when it cannot be made or written.
    """
    try:
        if folder.parent in {TEMPORARY, LASTING}:
            return own_folder(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"The home {folder} cannot be made: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotStart(f"The home {folder} cannot be written by this account.")
    return folder


def secret(folder: Path, name: str) -> str:
    """A random secret (32 bytes, base64) that is made at its first use and readable by us only.

    Raises CannotStart when the home cannot hold it.
    """
    if found := kept_secret(folder, name):
        return found
    try:
        _lay(prepare(folder) / name)
    except OSError as error:
        raise CannotStart(f"{folder / name} cannot be made: {error.strerror}.") from None
    return kept_secret(folder, name)


def kept_secret(folder: Path, name: str) -> str:
    """The secret if it was ever made, else an empty text.

    Raises CannotStart when this account may not read it.
    """
    try:
        return (folder / name).read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise CannotStart(f"{folder / name} cannot be read: {error.strerror}.") from None


def _lay(path: Path) -> None:
    """Write a new secret whole or not at all; of two processes that race, the first one wins."""
    descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(base64.urlsafe_b64encode(secrets.token_bytes(32)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def socket_folder(folder: Path) -> Path:
    """Where PostgreSQL's socket lies: in the home, or in a short folder if that path is too long
    for a socket or has signs that PostgreSQL reads as a list."""
    inside = folder / "run"
    length = len(os.fsencode(inside / f".s.PGSQL.{PORT}.lock"))
    if length <= _SOCKET_PATH_BYTES and re.fullmatch(r"[\w./ -]+", str(inside)):
        return inside
    return TEMPORARY / f"reverie-run-{os.geteuid()}-{digest(folder)}"


def database_url(folder: Path) -> str:
    """The address of the embedded database of this home, whether or not it runs or exists yet.

    Only scram is accepted, so that an impostor on the socket cannot ask for the plain password.
    A lost password of existing data is not replaced by a new one.
    """
    made = (folder / "postgres").is_dir()
    password = (kept_secret if made else secret)(folder, PASSWORD)
    socket = quote(str(socket_folder(folder)), safe="")
    return (
        f"postgresql://{ROLE}:{quote(password, safe='')}@{socket}:{PORT}/{DATABASE}"
        "?require_auth=scram-sha-256"
    )
