"""How fast an endpoint may be asked: bounded, adaptive concurrency and a learned rate. No Django.

`Pace` is arithmetic on times handed to it; `Gate` lets coroutines through as it says.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

WINDOW_SECONDS = 1.0
LAG_SECONDS = 0.05  # a request reaches the endpoint's clock later than ours
RATE_MARGIN = 0.95  # just below what was accepted, so that jitter does not cross the endpoint's limit
QUIET_SECONDS = 10.0  # without a refusal for so long, the learned rate is raised again
RATE_GROWTH = 1.05
LOWEST_RATE = 1.0  # a second; below it the waits that the endpoint names do the rest
LEAST_DECREASE = 0.8  # one more refusal lowers a learned rate to this share at the most
SHORTEST_WAIT_SECONDS = 1e-6  # less is rounding: waiting for it could come back to the same moment for ever
TELLING = (
    10  # so many accepted in a second tell a rate at once; fewer may be chance until a repeated request is refused
)
HALVING_SECONDS = 1.0
BURST_SECONDS = 1.0  # requests that start within it count as started together


@dataclass(slots=True)
class Start:
    """One request as the pace remembers it. `shared` says that others were in flight when it started."""

    at: float
    refused: bool = False
    shared: bool = False


class Pace:
    """Additive increase, multiplicative decrease on the requests in flight; after a refusal also a cap on their rate.

    The concurrency halves at most once a second (refusals of requests that began before the last halving tell nothing
    new) and grows by one for each round of successes, up to `most`. The rate is what the endpoint accepted in the last
    second, less a margin: an endpoint that allows 20 requests a second is then asked evenly, not in bursts that it
    refuses. All times are seconds on one monotonic clock.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self.rate: float | None = None
        self.crowded = False
        self._newest_answered = -math.inf
        self._recent: deque[Start] = deque()
        self._last_start = -math.inf
        self._last_halving = -math.inf
        self._last_refusal = -math.inf
        self._paused_until = -math.inf

    def delay(self, now: float) -> float:
        """Seconds until a request may start; infinite while too many are in flight."""
        if self.in_flight >= max(1, math.floor(self.limit)):
            return math.inf
        self._forget(now)
        earliest = self._paused_until
        if self.rate is not None:
            self.rate = self._grown(self.rate, now)
            earliest = max(earliest, self._last_start + 1 / self.rate, self._window_opens(self.rate))
        wait = earliest - now
        return wait if wait > SHORTEST_WAIT_SECONDS else 0.0

    def started(self, now: float) -> Start:
        start = Start(at=now, shared=self.in_flight > 0)
        self._recent.append(start)
        self._last_start = now
        self.in_flight += 1
        return start

    def ended(self) -> None:
        self.in_flight -= 1

    def succeeded(self, start: Start | None = None) -> None:
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        if start is not None:
            self._newest_answered = max(self._newest_answered, start.at)

    def slowed(self, start: Start, now: float) -> bool:
        """A timeout or an overloaded endpoint: fewer at once. Whether that was news, and not of the same burst."""
        is_news = start.at > self._last_halving and now - self._last_halving >= HALVING_SECONDS
        if is_news:
            self.limit = max(1.0, self.limit / 2)
            self._last_halving = now
        return is_news

    def may_have_queued(self, start: Start) -> bool:
        """Whether a request that timed out may only have waited for a free slot of the server behind the others.

        Not where it was alone, nor where one that started later was answered meanwhile: servers take them in order.
        """
        return start.shared and self._newest_answered <= start.at + BURST_SECONDS

    def refused(self, start: Start, now: float, *, again: bool) -> None:
        """Refused for asking too often: fewer at once, and no faster than what was accepted.

        `again` says that the request had waited as told and was refused once more.
        """
        start.refused = True
        self.slowed(start, now)
        self._last_refusal = now
        self._forget(now)
        accepted = self._accepted()
        if again or accepted >= TELLING:
            floor = max(LOWEST_RATE, LEAST_DECREASE * (self.rate or 0))
            self.rate = max(floor, RATE_MARGIN * accepted / WINDOW_SECONDS)

    def pause_until(self, moment: float) -> None:
        self._paused_until = max(self._paused_until, moment)

    def _accepted(self) -> int:
        return sum(not start.refused for start in self._recent)

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0].at <= now - WINDOW_SECONDS - LAG_SECONDS:
            self._recent.popleft()

    def _window_opens(self, rate: float) -> float:
        """When the last second holds one accepted start fewer than the rate allows."""
        accepted = [start.at for start in self._recent if not start.refused]
        over = len(accepted) - math.ceil(rate * WINDOW_SECONDS)
        return accepted[over] + WINDOW_SECONDS + LAG_SECONDS if over >= 0 else -math.inf

    def _grown(self, rate: float, now: float) -> float:
        """The rate, raised once a second after a quiet time."""
        if now - self._last_refusal < QUIET_SECONDS:
            return rate
        self._last_refusal = now - QUIET_SECONDS + WINDOW_SECONDS
        return rate * RATE_GROWTH


class Gate:
    """Lets requests start in the order of asking, as fast as the pace allows."""

    def __init__(self, most: int) -> None:
        self.pace = Pace(most)
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Start]:
        start = await self._enter()
        try:
            yield start
        finally:
            self.pace.ended()
            self._changed.set()

    async def _enter(self) -> Start:
        now = asyncio.get_running_loop().time
        async with self._turn:
            while (delay := self.pace.delay(now())) > 0:
                self._changed.clear()
                await self._wait(delay)
            return self.pace.started(now())

    async def _wait(self, seconds: float) -> None:
        """Until the time has passed or a request ended; a finite delay can only be cut short by a new estimate."""
        try:
            async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                await self._changed.wait()
        except TimeoutError:
            return
