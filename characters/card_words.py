"""What is said to people about a card: why a file is refused, and what became of its parts."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from characters import weight
from characters.cards import limits
from characters.cards.values import Line, Reading, State
from characters.models import Character

MEGABYTE = 1024 * 1024
REFUSALS: dict[str, Promise | str] = {
    "file_too_big": format_lazy(
        gettext_lazy("This file is larger than {most} MB."), most=limits.FILE // MEGABYTE
    ),
    "json_too_big": format_lazy(
        gettext_lazy("The card in this file is larger than {most} MB of text."),
        most=limits.JSON // MEGABYTE,
    ),
    "unreadable": gettext_lazy(
        "This file is damaged, or of a kind that is not known here. PNG, JSON and CHARX cards are."
    ),
    "no_card": gettext_lazy(
        "There is no character card in this file. A picture that was sent through a messenger"
        " or taken from a preview has often lost it: ask for the original file."
    ),
    "too_deep": gettext_lazy("The card in this file is nested too deep to be a card."),
    "too_many_values": gettext_lazy("The card in this file has too many parts."),
    "too_many_entries": format_lazy(
        gettext_lazy("Its world book has more than {most} entries."), most=limits.ENTRIES
    ),
    "too_many_chunks": gettext_lazy("This picture is made of too many parts."),
    "too_many_files": format_lazy(
        gettext_lazy("There are more than {most} files in it."), most=limits.FILES
    ),
    "bad_names": gettext_lazy(
        "A file in it has a name that is not allowed: one that leads elsewhere, or is there twice."
    ),
    "unpacks_too_big": format_lazy(
        gettext_lazy("Unpacked, this file would be larger than {most} MB."),
        most=limits.UNPACKED // MEGABYTE,
    ),
}
STATES: dict[State, Promise] = {
    State.KEPT: gettext_lazy("Kept"),
    State.MAPPED: gettext_lazy("Kept"),
    State.UNUSED: gettext_lazy("Stored, not used yet"),
    State.CHANGED: gettext_lazy("Changed"),
}
WHY: dict[str, Promise] = {
    "null": gettext_lazy("It held nothing of its kind and is empty now."),
    "joined": gettext_lazy("It was a list; now it is one text, a line for each."),
    "number": gettext_lazy("It was no text; now it is."),
    "as_json": gettext_lazy("It was no text. It is kept here as it was written."),
    "list": gettext_lazy("It was no plain list of texts; now it is one."),
    "split": gettext_lazy("It was one text; it is split at the commas."),
    "tidied": gettext_lazy("Empty and double ones are left out."),
    "default": gettext_lazy("It was no such value; the usual one stands here now."),
    "number_from_text": gettext_lazy("It was a number written as text."),
    "switch": gettext_lazy("It was not written as true or false; now it is."),
    "wrapped": gettext_lazy("It was of the wrong kind; it is kept within one of the right kind."),
    "list_of_entries": gettext_lazy("It was a bare list of entries."),
    "entries_from_object": gettext_lazy("The entries were no list; all of them are one now."),
    "entry_wrapped": gettext_lazy("Something in it was no entry; its words are kept as one."),
    "name_missing": gettext_lazy("The card has no name. This is the file’s; choose another one."),
    "older_card": gettext_lazy("One of two cards in this file is damaged; the other one is used."),
    "lost_file": gettext_lazy(
        "Some of its files are damaged or there twice; what could be read is kept."
    ),
    "encoding": gettext_lazy("The file is not in Unicode: look whether special letters are right."),
    "no_picture": gettext_lazy("The picture cannot be read; the rest can."),
    "assets": gettext_lazy("Its files are kept and go out again with a PNG or CHARX."),
    "remote": gettext_lazy("Addresses elsewhere are kept and never visited:"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """One line of the report, in words."""

    field: str
    state: State
    label: str
    to: str
    note: str


def refusal(code: str) -> str:
    return str(REFUSALS[code])


def told(reading: Reading) -> list[Told]:
    """The report on a card, in the language of the moment."""
    return [
        Told(line.field, line.state, str(STATES[line.state]), _to(line), note(line))
        for line in reading.lines
    ]


def texts(reading: Reading) -> list[tuple[str, str]]:
    """The long texts of a card, as they would be kept, each with what we call it."""
    found = [(name, reading.fields.get(name, "")) for name in weight.COUNTED]
    found += [
        ("alternate_greetings", text) for text in reading.fields.get("alternate_greetings", [])
    ]
    return [(_called(name), text) for name, text in found if text]


def note(line: Line) -> str:
    if line.why == "book":
        return _book(line)
    words = [str(WHY[line.why])] if line.why else []
    if line.count > 1 and line.state == State.CHANGED:
        many = ngettext("(%(count)s time)", "(%(count)s times)", line.count)
        words.append(many % {"count": line.count})
    if line.items:
        words.append(", ".join(line.items[:20]))
    return " ".join(words)


def _book(line: Line) -> str:
    entries = ngettext("%(count)s entry.", "%(count)s entries.", line.count)
    words = [entries % {"count": line.count}, _("It waits for the world books to come.")]
    if line.items:
        words.append(_("Its settings: %(names)s.") % {"names": ", ".join(line.items[:40])})
    return " ".join(words)


def _to(line: Line) -> str:
    """What we call the field, where there is one."""
    return _called(line.to) if line.to else ""


def _called(column: str) -> str:
    return str(Character._meta.get_field(column).verbose_name)  # type: ignore[union-attr]
