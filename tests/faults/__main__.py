"""`python -m tests.faults --seeds 200`, or one again: `python -m tests.faults --seed 17`."""

import argparse
import atexit
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

LIVES_PER_WORLD = 25  # seeds that share one set of processes


def _set_up() -> None:
    """Let Django load; its own database is never asked."""
    from tests.faults.programs import environment

    home = Path(tempfile.mkdtemp(prefix="reverie-faults-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    # So that what was started ends with us, and its folders go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.environ |= environment(home, DATABASE_URL="postgresql:///none?host=/nonexistent")
    os.environ["DJANGO_SETTINGS_MODULE"] = "reverie.settings"
    import django

    django.setup()


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs of the product under faults, by seed.")
    parser.add_argument("--seeds", type=int, default=20, help="how many, from 1 on")
    parser.add_argument("--seed", type=int, help="only this one, with everything that was done")
    parser.add_argument("--first", type=int, default=1, help="the first of `--seeds`")
    told = parser.parse_args()
    _set_up()
    seeds = [told.seed] if told.seed else list(range(told.first, told.first + told.seeds))
    return run(seeds, whole=told.seed is not None)


def run(seeds: list[int], *, whole: bool) -> int:
    """Run these seeds and print what came of them; 1 when a promise was broken."""
    from tests.faults.harness import Result, Run
    from tests.faults.world import World

    began, results = time.monotonic(), list[Result]()
    for start in range(0, len(seeds), LIVES_PER_WORLD):
        with World() as world:
            for seed in seeds[start : start + LIVES_PER_WORLD]:
                results.append(result := Run(world, seed).run())
                shown = result.report() if whole or result.breaches else result.line()
                sys.stdout.write(shown + "\n")
                sys.stdout.flush()
                if whole:
                    sys.stdout.writelines(program.said()[-4000:] for program in world.programs)
    broken = [result.seed for result in results if result.breaches]
    said = sum(len(result.history.said) for result in results)
    acked = sum(one.acked for result in results for one in result.history.said)
    sys.stdout.write(
        f"{len(results)} seeds in {time.monotonic() - began:.0f} s: {said} messages, "
        f"{acked} acked, {len(broken)} seeds broken {broken or ''}\n"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
