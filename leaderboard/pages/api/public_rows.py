"""What the API reads: public rows only, whatever is asked. Nothing here knows of JSON or of pages."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, Q, QuerySet

from evaluation.benchmarks.base import Better
from evaluation.models import ItemBank, LanguageModel, Origin, Run
from leaderboard.models import Standing
from leaderboard.pages.rankings.page import described, loaded_banks
from leaderboard.pages.shared.naming import is_named_like, words_of
from leaderboard.standings.vouchers import with_voucher
from leaderboard.submissions.listing import listed_models


@dataclass(frozen=True, slots=True)
class RankingFacts:
    """A ranking as a whole. `computed_at` is that of its newest row, a demonstration too, as pages and files say it: of
    a private bank the beginning of its month."""

    key: str
    title: str
    benchmark: str
    n_rows: int
    n_ranked: int
    computed_at: datetime | None
    bank_sha256: str


def public_models(search: str = "") -> QuerySet[LanguageModel]:
    """The models that have a page, by name; those whose names hold each word of a text, as the page's search takes it:
    case, spaces and signs such as "-", "_", "." do not count.
    """
    models = listed_models().order_by("name")
    if not search.strip():
        return models
    named = models.values_list("pk", "name", "display_name", "organisation")
    words = words_of(search)
    return models.filter(
        pk__in=[pk for pk, *names in named if is_named_like([name or "" for name in names], search, words)]
    )


def public_runs(model: str = "", bank: str = "") -> QuerySet[Run]:
    """Public runs, newest first, of a model or on a bank where their slugs are given."""
    runs = with_voucher(Run.objects.listed()).select_related("model", "bank").order_by("-pk")
    runs = runs.filter(model__slug=model) if model else runs
    return runs.filter(bank__slug=bank) if bank else runs


def ranking_facts(*, demo: bool = False) -> list[RankingFacts]:
    """All rankings that hold a row, the fullest first. Demonstrations count as rows with `demo` alone. Two queries."""
    banks = loaded_banks()
    rows = Count("pk") if demo else Count("pk", filter=~Q(origin=Origin.DEMO))
    counts = Standing.objects.values("ranking").annotate(n=rows, ranked=Count("rank"), at=Max("computed_at"))
    counted = counts.filter(n__gt=0).order_by("-n", "ranking")
    return [
        RankingFacts(ranking.key, ranking.title, ranking.benchmark, n, ranked, ranking.told(at), ranking.bank_sha256)
        for key, n, ranked, at in counted.values_list("ranking", "n", "ranked", "at")
        for ranking in (described(key, banks),)
    ]


def places(ranking: str, better: Better, *, demo: bool = False) -> QuerySet[Standing]:
    """The rows of a ranking in the order of the page: by rank, rows without one last, by score, the `better` first."""
    rows = Standing.objects.filter(ranking=ranking).select_related("model")
    rows = rows if demo else rows.exclude(origin=Origin.DEMO)
    score = F("score").asc() if better == "lower" else F("score").desc()
    return rows.order_by(F("rank").asc(nulls_last=True), score, "model__name")


def banks() -> QuerySet[ItemBank]:
    """All banks with their number of items. Of a private one the source, a place at its operator's, is left out."""
    return ItemBank.objects.annotate(n_items=Count("items")).order_by("slug")
