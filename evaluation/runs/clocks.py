"""Times in the database that lie further ahead than anybody sets them. The clock was put back since, so they count as
past: a run would else wait until the clock has caught up.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

LONGEST_NAMED = 86_400.0  # seconds that an endpoint may have us wait: MAX_SECONDS of retry_after.py
MARGIN = timedelta(minutes=1)  # of clocks that differ a little


def lease_lives(now: Any = None) -> Q:
    """`now` is the database's time, or a datetime."""
    now = now or Now()
    return Q(lease_until__gte=now, lease_until__lte=now + longest_lease())


def lease_is_over(now: Any = None) -> Q:
    """Not of a run that never had one."""
    now = now or Now()
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + longest_lease())


def holds_lease(until: datetime | None, now: datetime) -> bool:
    return until is not None and now <= until <= now + longest_lease()


def is_due(now: Any = None) -> Q:
    now = now or Now()
    return Q(not_before__isnull=True) | Q(not_before__lte=now) | Q(not_before__gt=now + longest_wait())


def longest_lease() -> timedelta:
    return timedelta(seconds=2 * settings.RUN_LEASE_SECONDS)


def longest_wait() -> timedelta:
    return MARGIN + timedelta(seconds=max(LONGEST_NAMED, *settings.RUN_BREAKER_WAITS_SECONDS))
