"""The words that the tables of a study store. No query, no text for a page but the labels."""

from django.db import models


class StudyState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class GroupState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class ResponderKind(models.TextChoices):
    HUMAN = "human"
    MODEL = "model"


class EntryMode(models.TextChoices):
    """Who may take part: whoever comes with an id of the platform, or whoever has a code that we gave out."""

    PLATFORM = "platform"
    INVITED = "invited"


class ParticipationState(models.TextChoices):
    """Only `done` counts. `expired` keeps its ratings uncounted; `withdrawn` has none."""

    RESERVED = "reserved"
    DONE = "done"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


# A batch is taken while a participation is in one of these.
HOLDING = (ParticipationState.RESERVED, ParticipationState.DONE)


class ParticipationSource(models.TextChoices):
    LIVE = "live"
    IMPORTED = "imported"


class Level(models.IntegerChoices):
    """A rating, as stored; on screen Good comes first."""

    BAD = 1, "Bad"
    OKAY = 2, "Okay"
    GOOD = 3, "Good"


class Flag(models.TextChoices):
    """A doubt about a participation. One flag never excludes by itself: the exclusion rule of the study does."""

    ATTENTION = "attention", "attention item failed"
    FAST = "fast", "median under 3 seconds a screen"
    SAME = "same", "the same answer every time"
    REVERSED = "reversed", "more than half of the reversed questions wrong"


class Basis(models.TextChoices):
    """Where a stored count comes from. `recovered` was calculated from published tests, not counted."""

    COUNTED = "counted"
    RECOVERED = "recovered"
    IMPORTED = "imported"
    LIVE = "live"
