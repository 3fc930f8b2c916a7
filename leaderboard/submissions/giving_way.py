"""Who may keep a web thread waiting when others want to: whoever has waited longest lately gives way. No Django.

A limit of seconds alone would not do: whoever has a few networks takes the next place in the moment that one is free.
So what counts is the time that a network has taken lately. A newcomer takes the place of the network with the most of
it, and a network that comes back at once is no newcomer.
"""

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

HAND_OVER_SECONDS = 1.0  # that a newcomer waits for who has to leave; leaving takes some milliseconds


@dataclass(eq=False, slots=True)
class Waiting:
    """A caller that waits for a stranger. `leaving` is done once it has to make room.

    `spent_seconds` are those that its network took lately, before this time.
    """

    network: str
    spent_seconds: float = 0.0
    since: float = field(default_factory=time.monotonic)
    leaving: Future[None] = field(default_factory=Future)
    heir: "Waiting | None" = None

    @property
    def has_to_leave(self) -> bool:
        return self.leaving.done()

    def seconds(self) -> float:
        """How long it has waited this time."""
        return time.monotonic() - self.since

    def pause(self, seconds: float) -> None:
        """Sleeps for so long, or until it has to leave."""
        try:
            self.leaving.result(timeout=seconds)
        except TimeoutError:
            return


class Places:
    """So many may wait at once in this process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: list[Waiting] = []
        self._changed = threading.Condition()

    def take(self, newcomer: Waiting, turn_seconds: float) -> bool:
        """Whether the newcomer has a place now. Where none is free, the one with the most seconds has to leave, if
        these are at least `turn_seconds` more than the newcomer's own. One newcomer at a time waits for that, since
        its thread waits as well."""
        with self._changed:
            if len(self._held) < self._most:
                self._held.append(newcomer)
                return True
            longest = max(self._held, key=_all_seconds)
            if _all_seconds(longest) < newcomer.spent_seconds + turn_seconds or self._one_is_leaving():
                return False
            longest.heir = newcomer
            longest.leaving.set_result(None)
            if not self._changed.wait_for(lambda: newcomer in self._held, HAND_OVER_SECONDS):
                longest.heir = None
            return newcomer in self._held

    def give_back(self, waiting: Waiting) -> None:
        with self._changed:
            self._held.remove(waiting)
            if waiting.heir:
                waiting.heir.since = time.monotonic()
                self._held.append(waiting.heir)
                self._changed.notify_all()

    def _one_is_leaving(self) -> bool:
        return any(waiting.has_to_leave for waiting in self._held)


def _all_seconds(waiting: Waiting) -> float:
    return waiting.spent_seconds + waiting.seconds()
