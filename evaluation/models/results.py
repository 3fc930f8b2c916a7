"""What a run was answered: results and their raw replies."""

from django.db import models
from django.db.models import Q

from evaluation.models.banks import Item
from evaluation.models.runs import Run
from evaluation.states import ItemState


class ItemResult(models.Model):
    """The final result of one item in one repeat. A row exists only once nothing more will be asked.

    `answer`, `reading`, `flags`, `reason`, `score` and `values` are those of `part`: the part of the reply that counts
    once the run has ended, and null for the first one, which counts until then. `other_parts` holds the parts that do
    not count as {part: {answer, reading, flags, reason, score}}. Both are null for nearly all rows. `values` holds the
    item's values where the benchmark has several measures of an item; `score` is then the first of them. `shown` is
    what the prompt of the stored reply showed and its reading needs, such as the order of the options.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="results")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="results")
    repeat = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=6, choices=ItemState)
    reading = models.CharField(max_length=8, default="none")
    answer = models.JSONField(null=True)
    reason = models.CharField(max_length=120, blank=True)
    flags = models.CharField(max_length=120, blank=True, help_text="comma-separated")
    score = models.FloatField(null=True)
    other_parts = models.JSONField(null=True)
    # New columns are nullable: SQLite would copy the whole table for another kind.
    part = models.CharField(max_length=20, null=True)  # noqa: DJ001 - see above
    values = models.JSONField(null=True)
    shown = models.JSONField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    latency_ms = models.PositiveIntegerField(null=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item", "repeat"], name="one_result_per_run_item_repeat"),
            models.CheckConstraint(condition=Q(repeat__gte=1), name="result_repeat_at_least_one"),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(answer__isnull=False), name="scored_result_has_answer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} in run {self.run_id}"

    @property
    def strict_score(self) -> float | None:
        return self.score if self.reading == "official" else None


class Reply(models.Model):
    """The raw text that a result was read from, cleaned only of what no database takes (NUL, lone surrogates)."""

    result = models.OneToOneField(ItemResult, on_delete=models.CASCADE, primary_key=True, related_name="reply")
    text = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)

    def __str__(self) -> str:
        return f"reply of result {self.pk}"
