"""The words that rows use for where they stand: statuses, origins, kinds of fault."""

from django.db import models

PUT_OFF = "put_off"  # in what a run has observed: items that failed last, and are asked at its end


class Status(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN_STATUSES = (Status.QUEUED, Status.RUNNING, Status.WAITING)


class Origin(models.TextChoices):
    MEASURED = "measured"
    IMPORTED = "imported"
    PUBLISHED = "published"
    BASELINE = "baseline"
    DEMO = "demo"


class FaultKind(models.TextChoices):
    ENDPOINT = "endpoint"
    MODEL = "model"
    PARSE = "parse"
    PLATFORM = "platform"


class Access(models.TextChoices):
    """What of an item bank the public may see. Scores of models on it are public in every case.

    OPEN: everything. WITHHELD: answers, item scores and references, but no text of an item and no reply. PRIVATE: an
    operator's own bank, of which nothing is shown item by item or run by run.
    """

    OPEN = "open"
    WITHHELD = "withheld"
    PRIVATE = "private"


class Driver(models.TextChoices):
    """Who carries a run forward: a worker from the queue, or the `evaluate` command in its own process."""

    WORKER = "worker"
    COMMAND = "command"


class ItemState(models.TextChoices):
    """`unread`: replies came and none could be read; `fault`: no reply came."""

    READ = "read"
    UNREAD = "unread"
    FAULT = "fault"
