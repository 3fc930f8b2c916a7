"""What goes on in time although the machine's clock is put back: the clock's tasks, and what the cache forgets."""

import logging
from pathlib import Path
from time import monotonic
from typing import Any

from celery.beat import PersistentScheduler, SchedulingError
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache

logger = logging.getLogger("celery.beat")  # whose lines these are, so that its level holds for them


class SteadyScheduler(PersistentScheduler):
    """Celery's own waits until the clock has caught up with the last time that it called each task."""

    schedule_filename: str

    def setup_schedule(self) -> None:
        """Makes the folder of its file, which a fresh checkout does not have: Celery's own ends without it."""
        Path(self.schedule_filename).parent.mkdir(parents=True, exist_ok=True)
        super().setup_schedule()

    def tick(self, *args: Any, **kwargs: Any) -> float:
        entries: list[Any] = list(self.schedule.values())
        ahead = [entry for entry in entries if entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # made anew from the entries
        return float(super().tick(*args, **kwargs))

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """One line for a call that fails, as all do while the broker is away; Celery's own fills a hundred."""
        logger.info("Sending due task %s (%s)", entry.name, entry.task)
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            logger.error("the clock calls again later: %s", error)


class SteadyCache(LocMemCache):
    """Django's own keeps a value until the clock has caught up with the time at which it should go."""

    _expire_info: dict[str, float | None]

    def get_backend_timeout(self, timeout: Any = DEFAULT_TIMEOUT) -> float | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else monotonic() + seconds

    def _has_expired(self, key: str) -> bool:
        expires = self._expire_info.get(key, -1)
        return expires is not None and expires <= monotonic()
