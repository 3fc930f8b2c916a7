"""Runs."""

from django.db import models
from django.db.models import F, Q

from evaluation.models.banks import ItemBank
from evaluation.models.endpoints import Endpoint
from evaluation.models.language_models import LanguageModel
from evaluation.states import OPEN_STATUSES, Driver, FaultKind, Origin, Status
from evaluation.transitions import RunQuerySet


class Run(models.Model):
    """One evaluation of one model on one bank, with `repeats` passes inside.

    `n_asks` is how many results the run has once nothing is left to ask: items may have their own repeats. All chance
    in its prompts comes from `seed`; 0 for runs from before there was one. Runs of different `variant` never rank
    together.

    `settings` is what was asked for; `manifest` what was done, sealed at the end. `limit` is null for a whole run and
    the number of items asked for a partial one, which never ranks.

    A judge's run has a `subject`: the run whose replies it rates. Its model is the subject's, since that is what ranks,
    and its endpoint is the judge's. `judging` says that whoever asked for the run lets judges read its replies.

    `figures` are those of the run's summary, {measure: {value, error, n}}, and `detail` is its benchmark's own table.
    `score` and `standard_error` repeat the figure that ranks, for constraints and SQL.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="runs")
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, related_name="runs")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="reruns")
    subject = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="judgements")
    judging = models.BooleanField(default=False, help_text="its replies may be sent to the judges of this board")
    benchmark = models.CharField(max_length=60)
    origin = models.CharField(max_length=10, choices=Origin)
    driver = models.CharField(max_length=10, choices=Driver, default=Driver.WORKER)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    published = models.BooleanField(default=False)
    published_changed_at = models.DateTimeField(null=True, blank=True, help_text="when it was listed or taken off")
    variant = models.CharField(max_length=40, blank=True)
    seed = models.BigIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=1)
    limit = models.PositiveIntegerField(null=True, blank=True)
    settings = models.JSONField(default=dict)
    departures = models.JSONField(
        default=dict, blank=True, help_text="settings that were not the benchmark's standard ones, known at the end"
    )
    manifest = models.JSONField(null=True, blank=True)
    source = models.CharField(max_length=300, blank=True, help_text="file of an imported run")
    source_sha256 = models.CharField(max_length=64, blank=True)

    lease_token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    rung_at = models.DateTimeField(null=True, blank=True, help_text="when a worker was last called to this run")
    host = models.CharField(max_length=253, blank=True, help_text="of its endpoint, for fair queueing; empty: no limit")
    owner = models.CharField(max_length=254, blank=True, help_text="whose turn it uses; empty: our own")
    priority = models.SmallIntegerField(default=0, help_text="a higher one starts first")
    turn = models.PositiveBigIntegerField(null=True, blank=True, help_text="number of its last claim, counted over all")
    waits = models.PositiveSmallIntegerField(default=0)
    idle_claims = models.PositiveSmallIntegerField(default=0, help_text="claims since the last new finished item")

    ranks = models.BooleanField(default=True, help_text="a whole run of a benchmark that ranks")
    figures = models.JSONField(default=dict, blank=True)
    detail = models.JSONField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    standard_error = models.FloatField(null=True, blank=True)
    repeat_scores = models.JSONField(default=list)
    counted_part = models.CharField(max_length=20, blank=True)
    n_items = models.PositiveIntegerField()
    n_asks = models.PositiveIntegerField(default=0)
    n_scored = models.PositiveIntegerField(default=0)
    parse_share = models.FloatField(null=True, blank=True)
    scorer_version = models.CharField(max_length=40, blank=True)
    published_score = models.FloatField(null=True, blank=True, help_text="what an imported file claims")
    score_history = models.JSONField(default=list)

    requests = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    fault_counts = models.JSONField(default=dict)
    observed = models.JSONField(default=dict, help_text="what the endpoint said of itself, and what was negotiated")
    failure_kind = models.CharField(max_length=10, choices=FaultKind, blank=True)
    failure_message = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    wall_seconds = models.FloatField(default=0.0)
    replies_erased_at = models.DateTimeField(null=True, blank=True, help_text="when retention took its reply texts")
    unannounced_since = models.DateTimeField(
        null=True, blank=True, help_text="when it ended; empty once the tasks of RUN_FINISHED_TASKS were called"
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["status", "not_before"], name="run_queue"),
            models.Index(fields=["bank", "benchmark", "status"], name="run_ranking"),
            models.Index(fields=["owner", "turn"], name="run_owner_turn"),
            models.Index(fields=["turn"], name="run_turn"),
            # Which models may be listed: a look at this is a tenth of one at the rows.
            models.Index(fields=["model"], condition=Q(published=True), name="run_public"),
            # None or a few at any time; the reaper of each worker asks for them every 15 s.
            models.Index(
                fields=["unannounced_since"], condition=Q(unannounced_since__isnull=False), name="run_unannounced"
            ),
            # The few runs that stand in a ranking without a score; every page asks for them.
            models.Index(
                fields=["bank", "benchmark"],
                condition=Q(status=Status.FAILED, failure_kind=FaultKind.PARSE),
                name="run_unread",
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(repeats__gte=1), name="run_repeats_at_least_one"),
            models.CheckConstraint(
                condition=~Q(status=Status.FINISHED) | Q(ranks=False) | Q(score__isnull=False),
                name="finished_run_has_score",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.RUNNING) | Q(lease_token__isnull=False), name="running_run_has_lease"
            ),
            models.CheckConstraint(condition=Q(n_scored__lte=F("n_items")), name="scored_within_items"),
            models.UniqueConstraint(
                fields=["endpoint", "bank", "benchmark"],
                condition=Q(status__in=OPEN_STATUSES, subject__isnull=True),
                name="one_open_run_per_endpoint_and_bank",
            ),
            models.UniqueConstraint(
                fields=["subject", "endpoint", "benchmark"],
                condition=Q(subject__isnull=False) & ~Q(status=Status.CANCELLED),
                name="one_judgement",
            ),
            models.UniqueConstraint(
                fields=["bank", "benchmark", "source_sha256"],
                condition=~Q(source_sha256=""),
                name="one_run_per_imported_file",
            ),
        ]

    def __str__(self) -> str:
        return f"Run {self.pk}: {self.model} on {self.bank}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES
