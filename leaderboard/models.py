"""What the site stores beside the engine: who submitted what, and the computed ranking."""

import secrets

from django.db import models

from evaluation.models import Endpoint, LanguageModel, Origin, Run


def new_token() -> str:
    """128 bits: the address of a submission's page, which is its only lock."""
    return secrets.token_urlsafe(16)


class Submission(models.Model):
    """One request to evaluate a model: who asks, what for, and what a moderator decided.

    `token` is the address of its page. `request` holds the form as sent, without the key. `dry_run` is the report of
    the dry run that it passed, or null. `owner` groups submissions for fair queueing: the contact, else the network.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="submissions")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="submissions")
    runs = models.ManyToManyField(Run, related_name="submissions", blank=True)
    request = models.JSONField(default=dict)
    dry_run = models.JSONField(null=True, blank=True)
    contact = models.EmailField(blank=True)
    owner = models.CharField(max_length=254)
    publish_consent = models.BooleanField(default=False)
    reason = models.TextField(blank=True, help_text="why it was rejected, shown to the submitter")
    note = models.TextField(blank=True, help_text="for moderators only")
    flagged = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["owner", "created_at"], name="submission_owner")]

    def __str__(self) -> str:
        return f"submission {self.pk} of {self.model_id}"


class SubmissionEvent(models.Model):
    """One line of a submission's timeline, in words that its page shows."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=300)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.text


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
