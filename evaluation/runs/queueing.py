"""The order in which runs start: owners take turns, a host bears so many at once. Pure: no query, no clock.

`transitions.py` picks the next run by the same order in the database; here it is played forward, to tell a run its
place.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

NEVER = 0  # the turn of an owner that had none; the first one is 1


@dataclass(frozen=True, slots=True)
class Shares:
    """How many runs may be at work at once on one endpoint host and for one owner; 0 sets no limit."""

    per_host: int = 0
    per_owner: int = 0

    def full(self, at_work: Iterable[tuple[str, str]]) -> tuple[set[str], set[str]]:
        """The hosts and the owners that bear no more, by the (host, owner) of each run at work. "" is never full."""
        pairs = list(at_work)
        hosts, owners = ([pair[at] for pair in pairs] for at in (0, 1))
        return _reached(hosts, self.per_host), _reached(owners, self.per_owner)


NO_LIMITS = Shares()


@dataclass(frozen=True, slots=True)
class Entry:
    """A run in the queue or at work. `work` is what it still has to do, in any unit, the same for all."""

    run_id: int
    host: str
    owner: str
    work: float
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """When a run's turn comes: after `ahead` runs, `work` units from now; `host_busy` where its own host holds it."""

    ahead: int
    work: float
    host_busy: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """The whole queue: what waits, what is at work, the last turn of each owner, and the workers' slots."""

    waiting: Sequence[Entry]
    at_work: Sequence[Entry]
    turns: Mapping[str, int]
    shares: Shares
    slots: int


def start_of(run_id: int, line: Line, *, most: int) -> Start | None:
    """Plays the queue forward until the run starts; None where `most` others start before, or it is not in the line."""
    play = _Play(line)
    mine = next((entry for entry in line.waiting if entry.run_id == run_id), None)
    busy = mine is not None and mine.host in line.shares.full((e.host, e.owner) for e in line.at_work)[0]
    for number, entry in enumerate(play.starts()):
        if entry.run_id == run_id:
            return Start(number + play.ended_of_old, play.now, busy)
        if number + 1 >= most:
            break
    return None


class _Play:
    """Each start and each end in its order. `now` counts from 0 in units of work."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.turns = dict(line.turns)
        self.last_turn = max(self.turns.values(), default=NEVER)
        self.now = 0.0
        self.ended_of_old = 0
        self.old = {entry.run_id for entry in line.at_work}
        self.begun = count()
        self.at_work = [(entry.work, next(self.begun), entry) for entry in line.at_work]
        self.queue = [self._keyed(entry) for entry in line.waiting]
        heapq.heapify(self.at_work)
        heapq.heapify(self.queue)
        self.held: list[Entry] = []

    def starts(self) -> Iterator[Entry]:
        """The entries in the order of their start, at the time `now`."""
        while self.queue or self.held:
            entry = self._next() if len(self.at_work) < self.line.slots else None
            if entry is not None:
                self._begin(entry)
                yield entry
            elif self.at_work:
                self._end_one()
            else:
                return

    def _keyed(self, entry: Entry) -> tuple[int, int, int, Entry]:
        return -entry.priority, self.turns.get(entry.owner, NEVER), entry.run_id, entry

    def _next(self) -> Entry | None:
        """The first that may start. Those that may not are held until a run ends."""
        hosts, owners = self.line.shares.full((entry.host, entry.owner) for _, _, entry in self.at_work)
        while self.queue:
            key = heapq.heappop(self.queue)
            entry = key[-1]
            if key != (now := self._keyed(entry)):
                heapq.heappush(self.queue, now)  # its owner has had a turn since
            elif entry.host in hosts or entry.owner in owners:
                self.held.append(entry)
            else:
                return entry
        return None

    def _begin(self, entry: Entry) -> None:
        self.last_turn += 1
        self.turns[entry.owner] = self.last_turn
        heapq.heappush(self.at_work, (self.now + entry.work, next(self.begun), entry))

    def _end_one(self) -> None:
        self.now, _, ended = heapq.heappop(self.at_work)
        self.ended_of_old += ended.run_id in self.old
        for entry in self.held:
            heapq.heappush(self.queue, self._keyed(entry))
        self.held.clear()


def _reached(names: Iterable[str], most: int) -> set[str]:
    if most <= 0:
        return set()
    return {name for name, times in Counter(names).items() if name and times >= most}
