"""Language models and the names that they had or have elsewhere."""

from django.db import models
from django.db.models import Q


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
    maker_domain = models.CharField(
        max_length=253, blank=True, help_text="domain of its maker; a submission with a token there is the maker's"
    )
    price_prompt = models.FloatField(null=True, blank=True, help_text="US dollars a million prompt tokens")
    price_completion = models.FloatField(null=True, blank=True, help_text="US dollars a million completion tokens")
    facts_by_hand = models.JSONField(default=list, blank=True, help_text="names of fields that published tables leave")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True, help_text="marks what pages keep ready of its facts")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(params_billion__isnull=True) | Q(params_billion__gt=0), name="params_billion_positive"
            ),
            models.CheckConstraint(
                condition=(Q(price_prompt__isnull=True) | Q(price_prompt__gte=0))
                & (Q(price_completion__isnull=True) | Q(price_completion__gte=0)),
                name="prices_not_negative",
            ),
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


class PublishedName(models.Model):
    """Which model of the board a name in a published table means.

    `match` is "exact", or says in words what is not: "alias: ..." for another spelling of the same model, "approx: ..."
    where the table does not name the snapshot. `load_published` leaves a row that staff corrected (`by_hand`).
    """

    table = models.CharField(max_length=60)
    name = models.CharField(max_length=200)
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="published_names")
    match = models.CharField(max_length=200, default="exact")
    by_hand = models.BooleanField(default=False)

    class Meta:
        ordering = ["table", "name"]
        constraints = [
            models.UniqueConstraint(fields=["table", "name"], name="one_published_name_per_table"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.table}"
