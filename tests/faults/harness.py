"""One fault run: people and pages in one thread, blows in the main one, healing, verdict."""

import asyncio
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.faults import judge, moods
from tests.faults.history import History
from tests.faults.pages import Page, stall
from tests.faults.people import Person
from tests.faults.programs import WebProgram
from tests.faults.world import LEASE_SECONDS, SWEEP_SECONDS, World

ACTS, PEOPLE, PAGES, STROKES = 8, 3, 3, 2
BLOW_SECONDS = 2.0  # blows fall within so long
HEAL_SECONDS = 5 * (LEASE_SECONDS + 2 * SWEEP_SECONDS)
FAULTS = (
    "turns.open:inside=kill@1",
    "turns.open:after-commit=kill@2",
    "turns.open:inside=error@1",
    "turns.open:after-commit=error@1",
    "turns.prepare:inside=kill@1",
    "turns.prepare:inside=error@1",
    "generation:before-first-token=kill@1",
    "generation:after-first-token=kill@4",
    "leases.checkpoint:before=kill@3",
    "leases.checkpoint:before=error@2",
    "leases.checkpoint:before=sleep0.4",
    "turns.close:before=kill@1",
    "turns.close:before=error@1",
    "turns.close:inside=kill@1",
    "turns.close:inside=error@1",
    "turns.close:after-commit=kill@2",
    "turns.close:after-commit=error@1",
)


@dataclass
class Result:
    seed: int
    history: History
    breaches: list[str]
    seconds: float

    def line(self) -> str:
        acked = sum(said.acked for said in self.history.said)
        blows = ", ".join(f"{b.kind} {b.target}".strip() for b in self.history.blows)
        well = "clean" if not self.breaches else "BROKEN"
        return (
            f"seed {self.seed}: {well} in {self.seconds:.1f} s; {len(self.history.said)} messages, "
            f"{acked} acked, {len(self.history.acts)} calls; {blows}"
        )

    def report(self) -> str:
        again = f"python -m tests.faults --seed {self.seed}"
        return "\n".join([self.line(), *self.breaches, f"again: {again}", self.history.told()])


class Run:
    """A seed in a world that others have used before it and use after it."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        self.dice = random.Random(seed)
        self.history = History()
        self.ending = threading.Event()
        self.logs = {program.name: len(program.said()) for program in world.programs}

    def run(self) -> Result:
        began = time.monotonic()
        self.world.provider.responder = moods.responder(self.seed)
        talks = [self.world.begin_talk(f"Tomori {self.seed}"), self.world.begin_talk("Mochi")]
        people = threading.Thread(target=lambda: asyncio.run(self._live(talks)))
        people.start()
        try:
            self._strike(people)
            self._heal(talks)
        finally:
            self.ending.set()
            people.join()
        breaches = judge.verdict(self.world, self.history) + self._said_in_logs()
        return Result(self.seed, self.history, breaches, time.monotonic() - began)

    # --- what is done to it, in the main thread -------------------------------------------------
    def _strike(self, people: threading.Thread) -> None:
        """Blows at times of the seed; whatever dies is started again, until people have done."""
        blows = sorted(
            (self.dice.random() * BLOW_SECONDS, self._choose_blow()) for _ in range(STROKES)
        )
        while not self.finished:
            if blows and self.history.now() >= blows[0][0]:
                BLOWS[blows.pop(0)[1]](self)
            self.world.keep_alive()
            if not people.is_alive():
                return
            time.sleep(0.02)

    def _choose_blow(self) -> str:
        names = list(BLOWS)
        return self.dice.choices(names, [WEIGHTS[name] for name in names])[0]

    def _heal(self, talks: list[str]) -> None:
        """Everything up and without faults; then no reply may stay under way (P7)."""
        for web in self.world.webs:
            if web.faults:
                web.restart()
        self.world.keep_alive()
        self.world.await_ready()
        end = time.monotonic() + HEAL_SECONDS
        while active := self._active(talks):
            if time.monotonic() > end:
                self.history.breaches.append(f"P7: typing for ever: {active}")
                return
            self.world.keep_alive()
            time.sleep(0.05)

    def _active(self, talks: list[str]) -> list[tuple[str, ...]]:
        return self.world.query(
            "SELECT id::text, status, lease_until::text, now()::text FROM conversations_reply "
            "WHERE conversation_id = ANY(%s::uuid[]) AND status IN ('queued', 'streaming')",
            talks,
        )

    def _said_in_logs(self) -> list[str]:
        found = []
        for program in [*self.world.webs, self.world.sweep]:
            lines = judge.tracebacks(program.said()[self.logs[program.name] :])
            found += [f"{program.name} raised {line}" for line in lines]
        return found

    # --- people and pages, in a thread of their own ---------------------------------------------
    finished = False

    async def _live(self, talks: list[str]) -> None:
        webs, token, ending = self.world.webs, self.world.token, asyncio.Event()
        pages = [
            Page(talks[n % 2], webs, token, self.history, f"{self.seed} page {n}")
            for n in range(PAGES)
        ]
        watching = [asyncio.create_task(page.follow(ending)) for page in pages]
        idle = Page(talks[0], webs, token, History(), "")
        watching.append(asyncio.create_task(stall(idle, webs[self.seed % 2], ending)))
        people = [
            Person(f"person{n}", talks[n % 2], webs, token, self.history, str(self.seed))
            for n in range(PEOPLE)
        ]
        await asyncio.gather(*(person.live(ACTS) for person in people))
        self.finished = True
        while not self.ending.is_set():
            await asyncio.sleep(0.02)
        ending.set()
        await asyncio.gather(*watching)
        await self._compare(pages, webs)

    async def _compare(self, pages: list[Page], webs: list[WebProgram]) -> None:
        """A stale tab that catches up shows what a fresh one shows (P10)."""
        for page in pages:
            fresh = Page(page.talk, webs, self.world.token, History(), "")
            expected = await fresh.catch_up(webs[1])
            if await page.catch_up(webs[0]) != expected:
                self.history.breaches.append(f"P10: a stale tab differs in {page.talk}")


def _kill_web(run: Run) -> None:
    web = run.dice.choice(run.world.webs)
    run.history.blow("kill", web.name)
    web.restart()


def _arm_web(run: Run) -> None:
    web, fault = run.dice.choice(run.world.webs), run.dice.choice(FAULTS)
    run.history.blow("arm", f"{web.name} {fault}")
    web.restart(fault)


def _end_web(run: Run) -> None:
    web = run.dice.choice(run.world.webs)
    run.history.blow("SIGTERM", web.name)
    web.ask_to_end()
    web.await_end(10)


def _kill_worker(run: Run) -> None:
    run.history.blow("kill", "worker")
    run.world.worker.kill()


def _kill_sweep(run: Run) -> None:
    fault = run.dice.choice(("", "leases.sweep:inside=kill@1", "leases.sweep:inside=error@1"))
    run.history.blow("kill", f"sweep {fault}")
    run.world.sweep.restart(fault)


def _kill_database(run: Run) -> None:
    run.history.blow("kill", "database")
    run.world.kill_database()
    time.sleep(run.dice.random())
    run.world.revive_database()


def _kill_session(run: Run) -> None:
    run.history.blow("kill", "a session of the database")
    run.world.kill_session_of_database()


def _restart_database(run: Run) -> None:
    run.history.blow("restart", "database")
    run.world.cluster.stop()
    time.sleep(run.dice.random() * 2)
    run.world.revive_database()


BLOWS: dict[str, Callable[[Run], None]] = {
    "kill_web": _kill_web,
    "arm_web": _arm_web,
    "end_web": _end_web,
    "kill_worker": _kill_worker,
    "kill_sweep": _kill_sweep,
    "kill_database": _kill_database,
    "kill_session": _kill_session,
    "restart_database": _restart_database,
}
WEIGHTS = {
    "kill_web": 4,
    "arm_web": 8,
    "end_web": 2,
    "kill_worker": 1,
    "kill_sweep": 2,
    "kill_database": 3,
    "kill_session": 2,
    "restart_database": 2,
}
