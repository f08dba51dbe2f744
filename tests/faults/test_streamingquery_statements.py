"""Statements of several sessions about the same streaming queries, while their servers are killed.

The statements of a session depend on the seed alone, EDDYLINE_SEED, which a failure prints with
what happened.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tiers import seed
from waiting import eventually

from .query_history import ERRORS, Answer, History, State, Statement
from .query_servers import QueryServer

NAMES = ("a", "b", "c")
SESSIONS = 6
KINDS = {
    "CREATE": 3,
    "CREATE OR REPLACE": 4,
    "CREATE OR REPLACE RESET": 2,
    "START": 4,
    "STOP": 4,
    "RESTART": 4,
    "DROP": 1,
    "DROP PURGE": 2,
    "SHOW": 3,
}
# of a server that is not the owner, or ceases to be it
NOT_OWNER = (ERRORS + "NOT_OWNER", ERRORS + "LEASE_LOST")
RUN = "java_method('io.eddyline.spark.faults.MicroBatch', 'run')"


def text(kind: str, name: str, version: int) -> str:
    """Returns a statement; `version` tells apart the definitions of a query."""
    if kind == "SHOW":
        return "SHOW STREAMING QUERIES"
    if not kind.startswith("CREATE"):
        action, *purge = kind.split()
        return " ".join([action, "STREAMING QUERY", name, *purge])
    create, *reset = kind.split(" RESET")
    return (
        f"{create} STREAMING QUERY {name} {'RESET CHECKPOINT' if reset else ''} "
        f"AS INSERT INTO {name} WITH BATCH ID batch "
        f"SELECT n, {version} AS version, {RUN} AS run FROM STREAM events"
    )


class Place:
    """Two servers over one folder, and what must hold of what they write there.

    Attributes:
        answered: how many statements an owner has answered.
    """

    def __init__(self, folder: Path, statements: int) -> None:
        self.folder = folder
        self.statements = statements
        self.answered = 0
        self.histories = {name: History() for name in NAMES}
        self._numbers = count(1)
        self._events = count(1)
        self._read: set[Path] = set()
        self._owners: set[int] = set()  # processes that have been the owner
        # the numbers of the events that each run has written, by query and micro-batch
        self.written: dict[tuple[str, str, int], dict[tuple[int, str], list[int]]]
        self.written = defaultdict(lambda: defaultdict(list))
        for name in ("events", *NAMES):
            (folder / name).mkdir()
        first = [f"CREATE TABLE events (n INT) USING json LOCATION '{folder}/events'"] + [
            f"CREATE TABLE {name} (n INT, version INT, run STRING, batch BIGINT) USING json "
            f"LOCATION '{folder}/{name}'"
            for name in NAMES
        ]
        self.servers = [QueryServer(folder, f"server{i}", first, SESSIONS) for i in range(2)]

    def owner(self) -> tuple[int, int]:
        """Returns the number of the newest claim, and the process that has made it."""
        claims = {
            int(path.stem): path for path in (self.folder / "definitions/lease").glob("*.claim")
        }
        for number, path in sorted(claims.items(), reverse=True):
            try:
                process = json.loads(path.read_text())["process"]
                self._owners.add(process)
                return number, process
            except (FileNotFoundError, json.JSONDecodeError):
                continue
        return 0, 0

    def arrive(self) -> None:
        """Adds a file with an event."""
        number = next(self._events)
        part = self.folder / f"{number}.part"
        part.write_text(json.dumps({"n": number}))
        part.rename(self.folder / f"events/{number}.json")

    def run(self, session: int, kind: str, name: str, server: QueryServer) -> Answer:
        """Runs a statement, and writes it into the history."""
        number = next(self._numbers)
        statement = Statement(number, kind)
        before = self.owner()
        history = self.histories[name]
        history.begin(statement)
        found = server.ask(number, session, text(kind, name, number))
        elsewhere = before == self.owner() and before[1] != server.process
        answer = self._answer(kind, name, found, elsewhere)
        if answer.error in NOT_OWNER and not answer.interrupted:
            history.forget(statement)
        else:
            history.end(statement, answer)
        return answer

    def _answer(
        self, kind: str, name: str, found: dict[str, Any] | None, elsewhere: bool
    ) -> Answer:
        if found is None:
            return Answer(interrupted=True)
        if "error" in found:
            lost = found["error"] in NOT_OWNER
            return Answer(found["error"], interrupted=lost and not elsewhere)
        exists = name in {row["name"] for row in found["rows"]} if kind == "SHOW" else None
        return Answer(exists=exists)

    def session(self, number: int) -> None:
        """Runs random statements, most of them on the server that is the owner."""
        random = Random(f"{seed()} {number}")
        while self.answered < self.statements:
            (kind,) = random.choices([*KINDS], [*KINDS.values()])
            name = random.choice(NAMES)
            alive = [server for server in self.servers if server.process]
            owners = [server for server in alive if server.process == self.owner()[1]]
            server = random.choice(owners or alive if random.random() < 0.9 else alive)
            if self.run(number, kind, name, server).error in NOT_OWNER:
                time.sleep(0.1)
            else:
                self.answered += 1
            if random.random() < 0.3:
                self.arrive()

    def check_micro_batches(self) -> None:
        """Checks that a micro-batch is written once, but again after its process has ended."""
        for name in NAMES:
            for path in set((self.folder / name).glob("part-*")) - self._read:
                self._read.add(path)
                for row in map(json.loads, path.read_text().splitlines()):
                    query, process, run = row["run"].split()
                    batch = self.written[name, query, row["batch"]]
                    batch[int(process), run].append(row["n"])
        # who has run a micro-batch again has claimed before that, so the owner is read last
        _, owner = self.owner()
        excused = {process for server in self.servers for process in server.ended}
        excused |= self._owners - {owner}
        # one that has lost and taken the lease again was interrupted, which its log says
        excused |= {s.process for s in self.servers if s.has_lost_its_lease()}
        seen: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        for (name, query, batch), runs in self.written.items():
            lasting = [process for process, _ in runs if process not in excused]
            assert len(lasting) <= 1, (name, query, batch, dict(runs))
            for numbers in runs.values():
                assert len(set(numbers)) == len(numbers), (name, query, batch, dict(runs))
                for n in numbers:
                    assert seen[name, query].setdefault(n, batch) == batch, (name, query, batch, n)

    def stored(self, name: str) -> State:
        """Returns the stored definition."""
        for path in ("{}.json.next", "{}.json", "{}.json.next", "{}.json"):
            try:
                found = json.loads((self.folder / "definitions" / path.format(name)).read_text())
            except FileNotFoundError:
                continue
            if found["purging"]:  # the owner finishes that
                return None
            (version,) = re.findall(r"(\d+) AS version", found["statement"])
            return int(version), found["running"]
        return None

    def check_end(self) -> None:
        """Checks the definitions, and that each query catches up once it runs."""
        eventually(lambda: self._at_owner("SHOW", "a") is not None)
        for name in NAMES:
            ends = self.histories[name].ends()
            assert self.stored(name) in ends, (name, self.stored(name), ends)
        self.arrive()
        for name in NAMES:
            eventually(lambda name=name: self._is_to_run(name))
        for name in NAMES:
            eventually(lambda name=name: self._has_caught_up(name))

    def _is_to_run(self, name: str) -> bool:
        """Returns whether the query is stored as running; else starts it, which may fail."""
        state = self.stored(name)
        if state is None or not state[1]:
            self._at_owner("START" if state else "CREATE", name)
        return state is not None and state[1]

    def _at_owner(self, kind: str, name: str) -> Answer | None:
        """Runs a statement on the owner; returns None if there is none."""
        for server in self.servers:
            if server.process == self.owner()[1]:
                answer = self.run(0, kind, name, server)
                if answer.error is None and not answer.interrupted:
                    return answer
                assert answer.interrupted or answer.error in NOT_OWNER, answer
        return None

    def _has_caught_up(self, name: str) -> bool:
        self.check_micro_batches()
        checkpoint = self.folder / f"checkpoints/{name}"
        generations = sorted(checkpoint.glob("generation/*"), key=lambda path: int(path.name))
        metadata_file = [checkpoint, *generations][-1] / "metadata"
        if not metadata_file.exists():  # its owner has not started it yet
            return False
        metadata = json.loads(metadata_file.read_text())
        numbers = {
            n
            for (named, query, _), runs in self.written.items()
            if (named, query) == (name, metadata["id"])
            for ns in runs.values()
            for n in ns
        }
        return numbers == set(range(1, len(list((self.folder / "events").iterdir())) + 1))


def live(place: Place, deaths: int) -> None:
    """Runs the sessions, and lets servers die meanwhile."""
    random = Random(f"{seed()} deaths")
    for server in place.servers:
        server.start()
    for server in place.servers:
        server.wait()
    with ThreadPoolExecutor(SESSIONS) as pool:
        sessions = [pool.submit(place.session, number) for number in range(SESSIONS)]
        for death in range(1, deaths + 1):
            reached = death * place.statements // (deaths + 1)

            while place.answered < reached and not any(session.done() for session in sessions):

                def has_gone_on(before: int = place.answered) -> bool:
                    place.check_micro_batches()
                    return place.answered > before or any(session.done() for session in sessions)

                eventually(has_gone_on)
            owners = [s for s in place.servers if s.process == place.owner()[1]]
            server = random.choice([*owners, *place.servers])
            server.kill()
            server.start()
            server.wait()
        for session in sessions:
            session.result()
    place.check_end()


@pytest.mark.parametrize(
    ("statements", "deaths"),
    [(90, 2), pytest.param(1000, 25, marks=[pytest.mark.slow, pytest.mark.timeout(0)])],
)
def test_random_statements(tmp_path: Path, statements: int, deaths: int) -> None:
    place = Place(tmp_path, statements)
    try:
        live(place, deaths)
    except BaseException:
        for name, history in place.histories.items():
            print(f"EDDYLINE_SEED={seed()}, {name}:\n{history}\n")
        raise
    finally:
        for server in place.servers:
            server.close()
