"""What the engine stores: models, endpoints, banks, runs, results. Status changes are conditional updates.
The database is the truth and holds the invariants as constraints; the broker only rings.
"""

from django.db import models
from django.db.models import F, Q

from evaluation.benchmarks import WITHOUT_RUNS
from evaluation.states import OPEN_STATUSES, Access, Driver, FaultKind, ItemState, Origin, Status
from evaluation.transitions import RunQuerySet

__all__ = [
    "BANKS_WITH_PAGES",
    "OPEN_STATUSES",
    "Access",
    "Driver",
    "Endpoint",
    "FaultKind",
    "FormerName",
    "Item",
    "ItemBank",
    "ItemResult",
    "ItemState",
    "KeyEvent",
    "LanguageModel",
    "Origin",
    "Pulse",
    "ReferenceScore",
    "Reply",
    "Run",
    "Status",
]


class LanguageModel(models.Model):
    """A language model as the board lists it; `name` is its Hugging Face id or API name."""

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=140, unique=True)
    display_name = models.CharField(max_length=80)
    organisation = models.CharField(max_length=80, blank=True)
    params = models.CharField(max_length=40, blank=True, help_text="as published, for example 8x7B")
    params_billion = models.FloatField(null=True, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    licence = models.CharField(max_length=120, blank=True)
    released_on = models.DateField(null=True, blank=True)
    released_month_only = models.BooleanField(default=False)
    link = models.URLField(blank=True)
    facts_by_hand = models.JSONField(default=list, blank=True, help_text="names of fields that published tables leave")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True, help_text="marks what pages keep ready of its facts")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(params_billion__isnull=True) | Q(params_billion__gt=0), name="params_billion_positive"
            )
        ]

    def __str__(self) -> str:
        return self.display_name or self.name


class FormerName(models.Model):
    """A name and slug that once were a model's own, or those of one that was merged into it.

    Its old address leads to the model, and a file that still uses the name means it. The newest row of a name counts.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="former_names")
    name = models.CharField(max_length=120, db_index=True)
    slug = models.SlugField(max_length=140)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class Endpoint(models.Model):
    """An OpenAI-compatible address that answers for a model. The key is sealed or absent, never plain."""

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="endpoints")
    base_url = models.CharField(max_length=2048)
    api_model = models.CharField(max_length=200)
    sealed_key = models.TextField(blank=True)
    key_kept_until = models.DateField(null=True, blank=True, help_text="the submitter's choice; else erased at the end")
    key_erased_at = models.DateTimeField(null=True, blank=True)
    extra_body = models.JSONField(default=dict, blank=True)
    system_prompt = models.TextField(blank=True)
    max_concurrency = models.PositiveSmallIntegerField(default=8)
    owner = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(max_concurrency__gte=1), name="endpoint_concurrency_at_least_one")
        ]

    def __str__(self) -> str:
        return f"{self.api_model} at {self.base_url}"


class KeyEvent(models.Model):
    """One line of the audit of a key: that and when it was sealed, used or erased. Never the key."""

    class Kind(models.TextChoices):
        SEALED = "sealed"
        USED = "used"
        ERASED = "erased"

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="key_events")
    run = models.ForeignKey("Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="key_events")
    kind = models.CharField(max_length=6, choices=Kind)
    detail = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"key {self.kind} {self.at:%Y-%m-%d %H:%M}"


BANKS_WITH_PAGES = ~Q(benchmark__in=[benchmark.bank for benchmark in WITHOUT_RUNS.values()])
"""Banks of benchmarks that runs can be opened of: the pages on items and methods know no others."""


class ItemBank(models.Model):
    """A versioned, hashed set of items. It never changes: a new file is a new bank.

    `benchmark` names the family of scorers that may be used on it (`Benchmark.bank`). What may be shown of a bank and
    of runs on it is decided by `shows_texts` and `shows_items`, and nowhere else.
    """

    slug = models.SlugField(max_length=60, unique=True)
    benchmark = models.CharField(max_length=60)
    title = models.CharField(max_length=120)
    language = models.CharField(max_length=12, default="en")
    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64, unique=True)
    source = models.TextField(blank=True)
    licence = models.CharField(max_length=120, blank=True)
    citation = models.TextField(blank=True)
    access = models.CharField(
        max_length=8, choices=Access, default=Access.WITHHELD, help_text="what of its items and their answers is public"
    )
    facts = models.JSONField(default=dict, blank=True, help_text="what the file says of itself: raters, agreement")
    loaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title

    @property
    def shows_texts(self) -> bool:
        """Whether dialogues, emotion words and replies may be shown."""
        return self.access == Access.OPEN

    @property
    def shows_items(self) -> bool:
        """Whether anything may be shown item by item: answers, scores, references, and the pages of single runs."""
        return self.access != Access.PRIVATE


class Item(models.Model):
    """One question of a bank, as the benchmark's `Item` dataclass, row for row."""

    bank = models.ForeignKey(ItemBank, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField(help_text="1-based position in the bank's file")
    item_id = models.CharField(max_length=40)
    prompt = models.TextField()
    labels = models.JSONField()
    reference = models.JSONField()
    extra = models.JSONField(default=dict)

    class Meta:
        ordering = ["bank_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["bank", "item_id"], name="one_item_id_per_bank"),
            models.UniqueConstraint(fields=["bank", "number"], name="one_item_number_per_bank"),
        ]

    def __str__(self) -> str:
        return f"{self.bank_id}/{self.item_id}"


class Run(models.Model):
    """One evaluation of one model on one bank, with `repeats` passes inside.

    `settings` is what was asked for; `manifest` what was done, sealed at the end. `limit` is null for a whole run and
    the number of items asked for a partial one, which never ranks.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="runs")
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    bank = models.ForeignKey(ItemBank, on_delete=models.PROTECT, related_name="runs")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="reruns")
    benchmark = models.CharField(max_length=60)
    origin = models.CharField(max_length=10, choices=Origin)
    driver = models.CharField(max_length=10, choices=Driver, default=Driver.WORKER)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    published = models.BooleanField(default=False)
    published_changed_at = models.DateTimeField(null=True, blank=True, help_text="when it was listed or taken off")
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

    score = models.FloatField(null=True, blank=True)
    strict_score = models.FloatField(null=True, blank=True)
    standard_error = models.FloatField(null=True, blank=True)
    repeat_scores = models.JSONField(default=list)
    counted_part = models.CharField(max_length=20, blank=True)
    n_items = models.PositiveIntegerField()
    n_scored = models.PositiveIntegerField(default=0)
    n_strict = models.PositiveIntegerField(default=0)
    parse_share = models.FloatField(null=True, blank=True)
    strict_share = models.FloatField(null=True, blank=True)
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
                condition=~Q(status=Status.FINISHED) | Q(score__isnull=False), name="finished_run_has_score"
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.RUNNING) | Q(lease_token__isnull=False), name="running_run_has_lease"
            ),
            models.CheckConstraint(condition=Q(n_scored__lte=F("n_items")), name="scored_within_items"),
            models.CheckConstraint(condition=Q(n_strict__lte=F("n_scored")), name="strict_within_scored"),
            models.UniqueConstraint(
                fields=["endpoint", "bank", "benchmark"],
                condition=Q(status__in=OPEN_STATUSES),
                name="one_open_run_per_endpoint_and_bank",
            ),
            models.UniqueConstraint(
                fields=["bank", "benchmark", "source_sha256"],
                condition=~Q(source_sha256=""),
                name="one_run_per_imported_file",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.model_id} on {self.benchmark}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES


class ItemResult(models.Model):
    """The final result of one item in one repeat. A row exists only once nothing more will be asked.

    `answer`, `reading`, `flags`, `reason` and `score` are those of the first part; `more_parts` holds later parts
    (a revision) as {part: {answer, reading, flags, reason, score}} and is null for nearly all rows.
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
    more_parts = models.JSONField(null=True)
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
        return f"result of item {self.item_id} in run {self.run_id}"

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


class ReferenceScore(models.Model):
    """A figure that somebody else published for a model, with its source. One per benchmark is preferred."""

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="reference_scores")
    benchmark = models.CharField(max_length=60)
    value = models.FloatField()
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
        ]

    def __str__(self) -> str:
        return f"{self.benchmark} {self.value}"


class Pulse(models.Model):
    """When something that must go on happening last happened, and how often in all: a row a name, of `pulses.py`."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name}, {self.count} times"
