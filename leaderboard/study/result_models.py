"""Counts of a study, what is computed of it, and which files were imported into it."""

from django.db import models
from django.db.models import F, Q

from leaderboard.study.states import Basis


class AggregateCount(models.Model):
    """Counts of one responder in one scope: all, positive, negative or an emotion.

    `bad` and `okay` are null together where only the number of Good is known. `basis` says where the counts come from;
    `recovered` marks those that were calculated from published tests.
    """

    study = models.ForeignKey("study.Study", on_delete=models.CASCADE, related_name="counts")
    responder = models.ForeignKey("study.Responder", on_delete=models.CASCADE, related_name="counts")
    scope = models.CharField(max_length=40)
    basis = models.CharField(max_length=9, choices=Basis)
    bad = models.PositiveIntegerField(null=True, blank=True)
    okay = models.PositiveIntegerField(null=True, blank=True)
    good = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    n_raters = models.PositiveIntegerField(null=True, blank=True)
    raters = models.JSONField(
        null=True, blank=True, help_text="[ratings, Good, raters]: how many raters gave so many Good, where known"
    )
    source = models.TextField(blank=True)

    class Meta:
        ordering = ["study_id", "responder_id", "scope"]
        constraints = [
            models.UniqueConstraint(fields=["responder", "scope", "basis"], name="one_count_per_scope_and_basis"),
            models.CheckConstraint(
                condition=Q(bad__isnull=True, okay__isnull=True, good__lte=F("n"))
                | Q(bad__isnull=False, okay__isnull=False, n=F("bad") + F("okay") + F("good")),
                name="count_adds_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope} of {self.responder_id}: {self.good} of {self.n}"


class StudyResult(models.Model):
    """The results of a study at one time, as `study.results.computed` gives them. Never changed: the newest counts.

    `key` changes with any number that the results depend on. `n_pairs` is the family of Holm's correction over all
    prompts: an adjusted p is of this row's date and family.
    """

    study = models.ForeignKey("study.Study", on_delete=models.CASCADE, related_name="results")
    with_rule = models.BooleanField(default=False, help_text="whether the exclusion rule is applied")
    key = models.CharField(max_length=64)
    n_pairs = models.PositiveSmallIntegerField()
    content = models.JSONField()
    computed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "id"]

    def __str__(self) -> str:
        return f"results of study {self.study_id}"


class StudyImport(models.Model):
    """A file of ratings or counts that was imported; the same file twice changes nothing."""

    study = models.ForeignKey("study.Study", on_delete=models.CASCADE, related_name="imports")
    sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=200)
    kind = models.CharField(max_length=7, choices=[("ratings", "ratings"), ("counts", "counts")])
    rows = models.PositiveIntegerField()
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "sha256"], name="one_import_per_file_and_study")]

    def __str__(self) -> str:
        return self.file_name
