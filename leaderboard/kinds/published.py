"""Tables that others published, as kinds of their own: what each asks, its source, and what stands below it."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Origin
from evaluation.published_tables import PUBLISHED, PublishedTable
from leaderboard.kinds.base import Context, Kind, KindPart, OfModel, OfRanking
from leaderboard.models import Standing
from leaderboard.rounding import score

ORIGINS: Mapping[str, str] = {Origin.IMPORTED: "imported", Origin.MEASURED: "measured here"}


@dataclass(frozen=True, slots=True)
class Also:
    """A model of a published table that has runs here too. `title` names the ranking of the runs, by `key`."""

    name: str
    slug: str
    key: str
    title: str
    origin: str
    score: str


def of_table(ranking: OfRanking) -> Context:
    table = PUBLISHED[ranking.benchmark]
    return {"table": table, "key": ranking.key, "also": also_with_runs(table, ranking.key)}


def before_table(ranking: OfRanking) -> Context | None:
    table = PUBLISHED[ranking.benchmark]
    return {"table": table} if table.warning else None


def of_model(found: OfModel) -> Context | None:
    """The rankings in which the model of a published row has runs; None where it has none."""
    also = also_with_runs(PUBLISHED[found.ranking.benchmark], found.ranking.key, found.model.pk)
    return {"also": also} if also else None


def also_with_runs(table: PublishedTable, key: str, model_id: int | None = None) -> list[Also]:
    """The models of the table, or this one, with scores of runs by the benchmark whose scores it holds. One query."""
    if not table.benchmark:
        return []
    family = BENCHMARKS[table.benchmark].family
    names = [each.name for each in BENCHMARKS.values() if each.family == family]
    here = Standing.objects.filter(ranking=key).values("model")
    rows = Standing.objects.filter(run__benchmark__in=names, origin__in=ORIGINS, model__in=here)
    if model_id is not None:
        rows = rows.filter(model=model_id)
    return [_also(row) for row in rows.select_related("model", "run__bank").order_by("model__name", "ranking")]


def _also(row: Standing) -> Also:
    run = row.run
    if run is None:
        raise ValueError("the rows have runs")
    own = BENCHMARKS[run.benchmark]
    title = run.bank.title if own.name == run.bank.benchmark else own.title
    return Also(
        name=str(row.model),
        slug=row.model.slug,
        key=row.ranking,
        title=", ".join(filter(None, [title, run.variant])),
        origin=ORIGINS[row.origin],
        score=score(row.score, run.benchmark),
    )


def kind_of_table(table: PublishedTable) -> Kind:
    return Kind(
        family=table.key,
        lede=table.lede,
        references=(),
        sections=frozenset(),
        ranking_part=KindPart("kinds/published/warning.html", before_table),
        ranking_below=KindPart("kinds/published/source.html", of_table),
        model_part=KindPart("kinds/published/model.html", of_model) if table.benchmark else None,
    )


PUBLISHED_KINDS = tuple(map(kind_of_table, PUBLISHED.values()))
