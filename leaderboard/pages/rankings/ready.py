"""What is kept ready of a ranking, and whether it still holds: a page that finds it does not read all rows.

It is made after the standings (`storing_rankings`), which a page never waits for: where a part is missing, or was made
of other rows, facts or figures than those of now, the page makes it anew from the rows.
"""

from collections.abc import Collection, Iterable
from hashlib import sha256

from django.db.models import Count, F, Max, Model, QuerySet, Subquery, Value
from django.db.models.functions import JSONObject

from evaluation.models import ReferenceScore
from leaderboard.models import ReadyPart, Standing
from leaderboard.pages.rankings.columns import REFERENCES
from leaderboard.pages.rankings.rows import Unread
from leaderboard.site_version import SITE_VERSION

OVERVIEW, CHARTS = "overview", "charts"


def ready_parts(ranking: str, names: Collection[str], unread: Iterable[Unread]) -> dict[str, str]:
    """Name -> content of these parts that hold. One query.

    `unread` are the runs that stand in the ranking without a score.
    """
    parts = ReadyPart.objects.filter(ranking=ranking, name__in=names).order_by()
    found = parts.annotate(rows=rows_now(ranking), published=figures_now(ranking))
    return {
        name: content
        for name, mark, content, *now in found.values_list("name", "mark", "content", "rows", "published")
        if mark == mark_of(now, unread)
    }


def mark_now(ranking: str, unread: Iterable[Unread]) -> str | None:
    """The mark of what would be made now; None for a ranking without a standing. One query."""
    one = Standing.objects.filter(ranking=ranking).order_by()[:1]
    found = one.annotate(rows=rows_now(ranking), published=figures_now(ranking)).values_list("rows", "published")
    now = list(found)
    return mark_of(now[0], unread) if now else None


def rows_now(ranking: str) -> Subquery:
    """The ranking's rows, and the facts of their models: how many, and when the newest of each changed."""
    rows = Standing.objects.filter(ranking=ranking).annotate(facts=F("model__changed_at"))
    return told(rows, "computed_at", "facts")


def figures_now(ranking: str) -> Subquery:
    """The same of the published figures beside the rows."""
    figures = ReferenceScore.objects.filter(benchmark__in=REFERENCES, preferred=True, model__standings__ranking=ranking)
    return told(figures, "changed_at")


def told(rows: "QuerySet[Model]", *times: str) -> Subquery:
    """The number of rows and the newest of each of these times, as one value."""
    held = JSONObject(n=Count("pk"), **{time: Max(time) for time in times})
    together = rows.order_by().annotate(together=Value(1)).values("together")
    return Subquery(together.annotate(told=held).values("told"))


def mark_of(now: Iterable[dict[str, object] | None], unread: Iterable[Unread]) -> str:
    """A name for all that the parts of a ranking depend on."""
    below = sorted((run.model_id, run.run_id, run.origin, run.organisation, *names_in(run)) for run in unread)
    held = [sorted(told.items()) if told else [] for told in now]
    return sha256(repr((SITE_VERSION, held, below)).encode()).hexdigest()


def names_in(run: Unread) -> tuple[str, str, str]:
    """What the order of the rows, and their addresses, rest on."""
    return run.display_name, run.name, run.slug
