"""What the site stores beside the engine: who submitted what, and the computed ranking."""

import secrets
from datetime import date

from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from evaluation.models import Endpoint, Item, ItemBank, LanguageModel, Origin, Run
from leaderboard.visitor_models import HumanSet, RankingDay, Report

__all__ = [
    "AheadTable",
    "FieldFigures",
    "HumanSet",
    "ItemAnswers",
    "Mail",
    "Note",
    "RankingDay",
    "ReadyPart",
    "Report",
    "Schedule",
    "Standing",
    "StatisticsFile",
    "StatisticsRow",
    "StatisticsSection",
    "Submission",
    "SubmissionEvent",
    "UploadedResults",
    "new_token",
]


def new_token() -> str:
    """128 bits: the address of a submission's page, which is its only lock."""
    return secrets.token_urlsafe(16)


def today() -> date:
    return timezone.now().date()


class Submission(models.Model):
    """One request to evaluate a model: who asks, what for, and what a moderator decided.

    `token` is the address of its page. `request` holds the form as sent, without the key. `dry_run` is the report of
    the dry run that it passed, or null. `owner` is whose quota and turns it uses: the network, since anybody can type
    any contact.
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
    judging_consent = models.BooleanField(default=False, help_text="replies may be sent to the judges of this board")
    consent_version = models.PositiveSmallIntegerField(default=1, help_text="of the words that were agreed to")
    proven_domain = models.CharField(max_length=253, blank=True, help_text="where the submitter's token was found")
    proven_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="why it was rejected, shown to the submitter")
    note = models.TextField(blank=True, help_text="for moderators only")
    flagged = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["owner", "created_at"], name="submission_owner")]

    def __str__(self) -> str:
        return f"Submission {self.pk}: {self.model}"


class SubmissionEvent(models.Model):
    """One line of a submission's timeline, in words that its page shows."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    text = models.CharField(max_length=300)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.text


class Mail(models.Model):
    """A mail to a submitter that is still to be sent; its row goes when it has gone out. See `submissions.mailing`."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="mails")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["next_at", "id"]

    def __str__(self) -> str:
        return self.subject


class UploadedResults(models.Model):
    """A file of results between its preview in the admin and the confirmation; deleted then, or a day later."""

    file_name = models.CharField(max_length=200)
    content = models.BinaryField()
    uploaded_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.file_name


class Standing(models.Model):
    """A model's place in one ranking, computed by `standings.py` and by nothing else.

    `ranking` is the key of a benchmark on a bank (`standings.keys`), or of a table that others published. `rank` is
    null for rows that stand in the table without competing (baselines, demo, published figures beside runs). `figures`
    are the values of the benchmark's other measures than the one that ranks, which is `score`. `runs_used` counts the
    replicates behind them, `run_ids` names these, oldest first; `other_settings` says in words how they asked otherwise
    than the benchmark's standard.
    """

    ranking = models.CharField(max_length=120)
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="standings")
    run = models.ForeignKey(
        Run, null=True, on_delete=models.CASCADE, related_name="+", help_text="newest run used; null if published"
    )
    origin = models.CharField(max_length=10, choices=Origin)
    score = models.FloatField()
    figures = models.JSONField(default=dict, blank=True, help_text="its further figures, by the keys of their measures")
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
    tied_with = models.PositiveIntegerField(null=True, help_text="how many other models it is tied with")
    rank_low_all = models.PositiveIntegerField(null=True, help_text="corrected for all comparisons at once")
    rank_high_all = models.PositiveIntegerField(null=True, help_text="corrected for all comparisons at once")
    own_error = models.FloatField(null=True, help_text="in points, without what the items do to all models alike")
    evidence = models.CharField(max_length=64, blank=True, help_text="hash of the results behind the row")
    rank_rule = models.PositiveSmallIntegerField(default=1, help_text="the rule that made ranks and ranges")
    n_items = models.PositiveIntegerField(null=True)
    n_scored = models.PositiveIntegerField(null=True)
    runs_used = models.PositiveIntegerField(default=0)
    run_ids = models.JSONField(default=list, blank=True)
    other_settings = models.TextField(blank=True, help_text="how its runs were asked; empty: by the standard settings")
    scorer_version = models.TextField(blank=True, help_text="of its runs; several are joined by commas")
    vouched_by = models.CharField(max_length=9, blank=True, help_text="who vouches for it: `wording.vouching`")
    measured_on = models.DateField(null=True)
    added_on = models.DateField(default=today, help_text="day on which a score of this origin came to the board")
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["ranking", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "model"], name="one_standing_per_ranking_and_model"),
        ]

    def __str__(self) -> str:
        return f"{self.model} in {self.ranking}: {self.score:.2f}"


class AheadTable(models.Model):
    """Which model of one ranking is ahead of which, computed with its standings.

    `model_ids` are primary keys, best first; `packed` are the bits of the square table, row after row: bit [i, j] says
    that model i is ahead of model j. Two models of which neither is ahead are tied.
    """

    ranking = models.CharField(max_length=120, unique=True)
    model_ids = models.JSONField()
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"who is ahead of whom in {self.ranking}"


class FieldFigures(models.Model):
    """How the items did over the field of one ranking, computed with its standings; see `standings.item_figures`."""

    ranking = models.CharField(max_length=120, unique=True)
    mark = models.CharField(max_length=80, help_text="of the standings that the figures belong to")
    figures = models.JSONField()
    runs = models.JSONField(default=dict, help_text="run -> its state when the answers of `ItemAnswers` were counted")

    def __str__(self) -> str:
        return f"figures of the field of {self.ranking}"


class ItemAnswers(models.Model):
    """What the field of one ranking answered to one item, counted; see `standings.item_answers`."""

    field = models.ForeignKey(FieldFigures, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    counts = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["field", "item"], name="one_count_per_field_and_item")]

    def __str__(self) -> str:
        return f"answers to {self.item_id} in {self.field_id}"


class ReadyPart(models.Model):
    """What a page says of all rows of a ranking, made after its standings, and by `pages.storing.rankings` alone.

    `mark` is that of the standings, facts and figures that it was made of; a page that finds another makes it anew.
    """

    ranking = models.CharField(max_length=120)
    name = models.CharField(max_length=20)
    mark = models.CharField(max_length=200)
    content = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ranking", "name"], name="one_ready_part_per_ranking_and_name")]

    def __str__(self) -> str:
        return f"{self.name} of {self.ranking}"


class StatisticsRow(models.Model):
    """What the statistics need of one model in one ranking, read once from the results of its runs that count.

    `stamp` marks these runs as they were read: another one, or one less, gives another stamp. `scores` are the item
    scores in points (float64, NaN where missing, items in the order of the bank), a mean over all runs and repeats.
    `answers` are the ratings of the newest run (float32, item after item), empty where the items have no reference.
    `repeats` holds how far the passes agree; {} for a single pass.
    """

    ranking = models.CharField(max_length=120)
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="+")
    stamp = models.CharField(max_length=64)
    scores = models.BinaryField()
    answers = models.BinaryField()
    repeats = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ranking", "model"], name="one_statistics_row_per_ranking_and_model"),
        ]

    def __str__(self) -> str:
        return f"{self.ranking}: {self.model_id}"


class StatisticsSection(models.Model):
    """One section of the statistics, computed by `leaderboard.statistics` and by nothing else.

    `ranking` is "" for a section that belongs to no single ranking. `n` is the number of models behind it. `value` has
    the form that the section's module documents; `inputs_hash` marks what it was computed from and by which version.
    `ready` and `ready_html` are what pages show of it, as `ready_mark` has it.
    """

    section = models.CharField(max_length=20)
    ranking = models.CharField(max_length=120, blank=True)
    version = models.PositiveSmallIntegerField()
    inputs_hash = models.CharField(max_length=64)
    n = models.PositiveIntegerField()
    value = models.JSONField()
    computed_at = models.DateTimeField()
    ready = models.JSONField(default=dict)
    ready_html = models.TextField(blank=True)
    ready_mark = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["ranking", "section"]
        constraints = [
            models.UniqueConstraint(fields=["section", "ranking"], name="one_statistics_section_per_ranking"),
        ]

    def __str__(self) -> str:
        return f"{self.section} of {self.ranking or 'the board'}"


class StatisticsFile(models.Model):
    """A ranking's numbers as one Parquet file, made by the statistics task together with the section "files".

    Of public banks only: `leaderboard.statistics.files` makes none of a private one. It is read as a whole, of 2,000
    models up to 20 MB; ask for `content` only to send it.
    """

    ranking = models.CharField(max_length=120)
    name = models.CharField(max_length=20)
    content = models.BinaryField()
    inputs_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ranking", "name"], name="one_statistics_file_per_ranking_and_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.ranking}"


class Schedule(models.Model):
    """A run that is repeated every so many days, as a replicate of the endpoint's newest: a watch for drift.

    `next_at` is when the next one is opened. `trouble` says why none was opened the last time; a schedule that cannot
    go on by itself is disabled with it. `created_by` is the name of an administrator.
    """

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="schedules")
    bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, related_name="+")
    every_days = models.PositiveSmallIntegerField(default=30)
    next_at = models.DateTimeField(default=timezone.now)
    enabled = models.BooleanField(default=True)
    trouble = models.TextField(blank=True)
    created_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["next_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "bank"], name="one_schedule_per_endpoint_and_bank"),
            models.CheckConstraint(condition=models.Q(every_days__gte=1), name="schedule_every_day_at_most"),
        ]

    def __str__(self) -> str:
        return f"{self.endpoint.model} on {self.bank}, every {self.every_days} days"


class Note(models.Model):
    """Something about a run that administrators should see once: that its score departs from earlier replicates."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="note")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    seen = models.BooleanField(default=False)

    class Meta:
        ordering = ["seen", "-at", "-id"]

    def __str__(self) -> str:
        """Not the text, which tells scores: the audit log keeps this, and people read it who may not see a private
        bank."""
        return f"Note on run {self.run_id}"
