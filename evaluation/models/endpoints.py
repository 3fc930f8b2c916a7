"""Whom runs ask: endpoints, judges, and what became of each key."""

from django.db import models
from django.db.models import Q

from evaluation.models.language_models import LanguageModel


class Endpoint(models.Model):
    """An OpenAI-compatible address that answers for a model. The key is sealed or absent, never plain.

    A key is erased when a run ends, but for one that this board keeps for its own use (`keep_key`): a judge's.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="endpoints")
    base_url = models.CharField(max_length=2048)
    api_model = models.CharField(max_length=200)
    sealed_key = models.TextField(blank=True)
    key_kept_until = models.DateField(null=True, blank=True, help_text="the submitter's choice; else erased at the end")
    key_erased_at = models.DateTimeField(null=True, blank=True)
    keep_key = models.BooleanField(default=False, help_text="of a judge of this board: its key outlives its runs")
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


class Judge(models.Model):
    """A language model that rates the replies of others, under one prompt.

    `slug` is part of the key of the judge's own rankings. The endpoint is the judge's alone, so that a run's endpoint
    says who judged. `prompt_version` is that of the benchmark when the judge was registered; with another one no run
    opens, since two prompts would share a ranking.
    """

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=30, unique=True)
    maker = models.CharField(max_length=80, help_text="whose models' positions are marked as the judge's own side")
    endpoint = models.OneToOneField(Endpoint, on_delete=models.PROTECT, related_name="judge")
    benchmark = models.CharField(max_length=60)
    prompt_version = models.CharField(max_length=20)
    max_tokens = models.PositiveIntegerField(default=1024, help_text="of one judgement; a judge that thinks needs more")
    is_demo = models.BooleanField(default=False, help_text="judges the runs of the demonstration, and no others")
    enabled = models.BooleanField(default=True, help_text="its runs open when replies end; those begun go on anyway")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


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
