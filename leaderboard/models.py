"""What the site stores beside the engine: the computed ranking."""

from django.db import models

from evaluation.models import LanguageModel, Origin, Run


class Standing(models.Model):
    """A model's place in one ranking, computed by `standings.py` and by nothing else.

    `ranking` is the key of a benchmark on a bank. `rank` is null for rows that stand in the table without competing
    (baselines, demo, published figures beside runs). `runs_used` counts the replicates behind `score`.
    """

    ranking = models.CharField(max_length=120)
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="standings")
    run = models.ForeignKey(
        Run, null=True, on_delete=models.CASCADE, related_name="+", help_text="newest run used; null if published"
    )
    origin = models.CharField(max_length=10, choices=Origin)
    score = models.FloatField()
    strict_score = models.FloatField(null=True)
    standard_error = models.FloatField(null=True)
    approximate = models.BooleanField(default=False, help_text="interval and ranks come from the field, not from items")
    cv_percent = models.FloatField(null=True, help_text="over runs and repeats; null for fewer than two")
    repeats = models.PositiveIntegerField(default=0, help_text="passes behind the score, over all runs used")
    interval_low = models.FloatField(null=True)
    interval_high = models.FloatField(null=True)
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    tie_group = models.PositiveIntegerField(null=True)
    n_items = models.PositiveIntegerField(null=True)
    n_scored = models.PositiveIntegerField(null=True)
    runs_used = models.PositiveIntegerField(default=0)
    measured_on = models.DateField(null=True)
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["ranking", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "model"], name="one_standing_per_ranking_and_model"),
        ]

    def __str__(self) -> str:
        return f"{self.ranking}: {self.model_id} {self.score:.2f}"
