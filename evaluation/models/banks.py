"""Item banks and their items."""

from django.db import models

from evaluation.states import Access


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

    @property
    def shows_references(self) -> bool:
        """Whether the references of its items may be shown. Where the bank has norms of people, its references are
        part of them: they belong to their authors as the texts do, and are shown with these alone.
        """
        return self.shows_texts or (self.shows_items and "norms" not in self.facts)


class Item(models.Model):
    """One question of a bank, as the benchmark's `Item` dataclass, row for row."""

    bank = models.ForeignKey(ItemBank, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField(help_text="1-based position in the bank's file")
    item_id = models.CharField(max_length=40)
    prompt = models.TextField()
    labels = models.JSONField()
    reference = models.JSONField()
    extra = models.JSONField(default=dict)
    group = models.CharField(max_length=40, blank=True, help_text="items that are resampled among themselves")

    class Meta:
        ordering = ["bank_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["bank", "item_id"], name="one_item_id_per_bank"),
            models.UniqueConstraint(fields=["bank", "number"], name="one_item_number_per_bank"),
        ]

    def __str__(self) -> str:
        return f"{self.bank}, item {self.number}"
