"""What visitors leave with the board, and the orders that citations lead to. No row names a person or an address."""

from django.db import models

from evaluation.models import ItemBank, LanguageModel, Run


class HumanSet(models.Model):
    """The answers of one person to some items of a bank, given to the board with consent.

    `answers` is a list of [item id, ratings in the order of the item's labels]. `excluded` says by which rule, fixed
    beforehand, the set does not count; "" for one that counts. Staff can take a set out as well (`dropped`).
    """

    class Excluded(models.TextChoices):
        NO = "", "counts"
        EQUAL = "equal", "equal answers"
        FAST = "fast", "answered too fast"

    bank = models.ForeignKey(ItemBank, on_delete=models.CASCADE, related_name="human_sets")
    answers = models.JSONField()
    consent_version = models.PositiveSmallIntegerField()
    day = models.DateField()
    excluded = models.CharField(max_length=10, choices=Excluded, blank=True, default=Excluded.NO)
    dropped = models.BooleanField(default=False, help_text="taken out by staff")
    dropped_because = models.CharField(max_length=200, blank=True, help_text="for staff only")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["bank", "excluded", "dropped"], name="human_set_counts")]

    def __str__(self) -> str:
        return f"Set {self.pk} of {self.day}"


class RankingDay(models.Model):
    """The order of a ranking at the end of a day on which it changed; see `standings.orders`.

    `mark` is the state of the standings that it was made of. `n_moved` counts the models with another rank than in the
    order before it.
    """

    ranking = models.CharField(max_length=120)
    day = models.DateField()
    mark = models.CharField(max_length=80, blank=True)
    n_moved = models.PositiveIntegerField(default=0)
    content = models.BinaryField()

    class Meta:
        ordering = ["ranking", "-day"]
        constraints = [models.UniqueConstraint(fields=["ranking", "day"], name="one_order_per_ranking_and_day")]

    def __str__(self) -> str:
        return f"{self.ranking} on {self.day}"


class Report(models.Model):
    """What a visitor told the staff: a mistake on a page, or a model that the board should have. Nothing tells who."""

    class Kind(models.TextChoices):
        MISTAKE = "mistake"
        SUGGESTION = "suggestion"

    kind = models.CharField(max_length=10, choices=Kind)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    model = models.ForeignKey(LanguageModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=120, blank=True, help_text="of a suggested model")
    link = models.URLField(max_length=300, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)
    done = models.BooleanField(default=False)
    note = models.TextField(blank=True, help_text="for staff only")

    class Meta:
        ordering = ["done", "-at", "-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.at:%Y-%m-%d}"
