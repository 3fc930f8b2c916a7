"""Figures that others published."""

from django.db import models
from django.db.models import F, Q

from evaluation.models.language_models import LanguageModel


class ReferenceScore(models.Model):
    """A figure that somebody else published for a model, with its source. One per benchmark is preferred.

    `low` and `high` are its 95 % interval as published. `figures` has what the same table prints of the model besides,
    {measure: value}, such as traits or single conditions; a table names its measures in `published_tables`.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="reference_scores")
    benchmark = models.CharField(max_length=60)
    value = models.FloatField()
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    figures = models.JSONField(null=True, blank=True)
    setting = models.CharField(max_length=300, blank=True)
    as_of = models.CharField(max_length=10, blank=True, help_text="ISO 8601, to the known precision")
    source = models.TextField()
    match = models.CharField(max_length=200, default="exact")
    matched_name = models.CharField(max_length=200, blank=True)
    preferred = models.BooleanField(default=False)
    by_hand = models.BooleanField(default=False, help_text="corrected or added by staff: published tables leave it")
    changed_at = models.DateTimeField(auto_now=True, help_text="marks what pages keep ready of it")

    class Meta:
        ordering = ["model_id", "benchmark", "-preferred"]
        constraints = [
            models.UniqueConstraint(
                fields=["model", "benchmark"], condition=Q(preferred=True), name="one_preferred_reference_score"
            ),
            models.UniqueConstraint(
                fields=["model", "benchmark", "setting", "as_of", "source", "matched_name"],
                name="one_reference_score_per_source",
            ),
            models.CheckConstraint(
                condition=Q(low__isnull=True, high__isnull=True) | Q(low__lte=F("value"), high__gte=F("value")),
                name="reference_score_within_its_interval",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model}: {self.benchmark} {self.value:g}"
