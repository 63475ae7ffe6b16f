"""`python -m bench [NAME …]`: runs the benches and prints a table. Nothing is asserted."""

import argparse
from importlib import import_module

from bench import scratch
from bench.figures import Figure, table
from reverie.local.failures import CannotStart

BENCHES = ("first_call", "streaming", "load", "prompt")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the product.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    names = parser.parse_args().names or BENCHES
    if unknown := sorted(set(names) - set(BENCHES)):
        parser.error(f"there is no bench {', '.join(unknown)}")
    try:
        with scratch.database():
            print(table([figure for name in names for figure in _run(name)]))
    except CannotStart as problem:
        raise SystemExit(f"The benches cannot start. {problem}") from None


def _run(name: str) -> list[Figure]:
    print(f"measuring {name} …", flush=True)
    # Imported now and not above: benches use models, which need the database's settings.
    figures: list[Figure] = import_module(f"bench.{name}").measure()
    return figures


if __name__ == "__main__":
    main()
