"""How the items of a bank did over the field of a ranking: computed with the ranks, stored beside them, read by pages.

The field is every model that competes and has answers, and each counts once, by its newest run. Near copies of a model
are left out, as in the statistics: else one model under five names would decide what is said of the items. Baselines
and demonstrations are left out, since they are no models; a page that would stand empty without demonstrations asks for
their field by itself (`demo_field`), which is never stored, so that nobody else takes it for one of models.

At 2,000 models of 171 items the figures rest on 342,000 scores: too many for a page to read, so they are stored in the
transaction that stores the ranks, under a mark of these.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import numpy as np
from django.db.models import Count, Max, QuerySet

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Item, Origin
from evaluation.statistics.arrays import Floats
from evaluation.statistics.copies import near_copies
from evaluation.statistics.items import ItemFigures, complete_rows, item_figures
from leaderboard.models import FieldFigures, Standing
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, score_matrix
from leaderboard.standings.item_answers import FieldAnswers, counted_runs, new_answers, store_answers
from leaderboard.standings.ranks import WITH_ANSWERS
from leaderboard.standings.results import Source
from leaderboard.standings.rows import Row

DEMO = (Origin.DEMO.value,)
FEW_VALUES = 2  # from the lowest to the highest item score: a judged reply has at most three values


@dataclass(frozen=True, slots=True)
class ItemField:
    """`items` are primary keys in the order of the bank; `medians` and `figures` have the same order.

    A median is None where no model has the item. Item-total rests on `n_complete` of the `n_models` models. `n_copies`
    further models are near copies of these, and in none of the figures.
    """

    items: tuple[int, ...]
    n_models: int
    n_complete: int
    medians: tuple[float | None, ...]
    figures: tuple[ItemFigures, ...]
    n_copies: int = 0


@dataclass(frozen=True, slots=True)
class NewField:
    """What a refresh stores of a field."""

    field: ItemField
    answers: FieldAnswers


def mark_of(n_rows: int, newest: datetime | None) -> str:
    """A name for the state of a ranking: another row, one less, or a changed one gives another name."""
    return f"{n_rows} rows, {newest.isoformat() if newest else 'none yet'}"


def marks(rankings: Iterable[str] | None = None) -> dict[str, str]:
    """The mark of each ranking that has rows, of these or of all. One query."""
    rows = Standing.objects.order_by().values_list("ranking")
    chosen = rows if rankings is None else rows.filter(ranking__in=list(rankings))
    return {ranking: mark_of(n, newest) for ranking, n, newest in chosen.annotate(Count("pk"), Max("computed_at"))}


def field_rows(ranking: str, origins: Sequence[str] = WITH_ANSWERS) -> QuerySet[Standing]:
    """The standings whose newest run counts in a field, in no order."""
    return Standing.objects.filter(ranking=ranking, origin__in=origins, run__isnull=False).order_by()


def item_field(ranking: str, items: Sequence[int], mark: str | None = None) -> ItemField:
    """The field as it is stored, or from the results where the standings changed since, which takes long.

    Args:
        ranking: The key of a ranking.
        items: Primary keys of the items of its bank, in order.
        mark: That of the ranking now; without it one more query is made.

    Returns:
        A field of no models where nothing competes. One query, two without a mark, up to four where nothing fits.
    """
    now = marks([ranking]).get(ranking) if mark is None else mark
    stored = FieldFigures.objects.filter(ranking=ranking).values_list("mark", "figures").first()
    field = from_json(stored[1]) if stored and stored[0] == now else None
    if field is not None and field.items == tuple(items):
        return field
    runs = newest_runs(field_rows(ranking))
    scores = score_table(runs, items)
    return field_from(scores, items, copies_among(scores, runs[0].benchmark if runs else ""))


def demo_field(ranking: str, items: Sequence[int]) -> ItemField:
    """The field of the demonstrations alone, from their results: they are few. At most three queries."""
    return field_of(newest_runs(field_rows(ranking, DEMO)), items)


def newest_runs(standings: QuerySet[Standing]) -> list[CountedRun]:
    columns = (f"run__{name}" for name in RUN_COLUMNS)
    return [CountedRun(*row) for row in standings.order_by("run_id").values_list(*columns)]


def field_of(runs: Sequence[CountedRun], items: Sequence[int]) -> ItemField:
    """The field of these runs, each of another model."""
    return field_from(score_table(runs, items), items)


def copies_among(scores: Floats, benchmark: str) -> set[int]:
    """The rows that are near copies of an earlier one, by their item scores. None where an item has no score of many
    values that is better the higher it is: with three possible values models are alike that are no copies. (The kinds
    would say it too, but a command that computes standings must not load them: 2 MB.)"""
    known = BENCHMARKS.get(benchmark)
    first = known.item_measures[0] if known and known.item_measures else None
    if first is None or first.better != "higher" or first.low is None or first.high is None:
        return set()
    if first.high - first.low <= FEW_VALUES:
        return set()
    return set(near_copies(scores, np.empty((len(scores), 0)), (0,)))


def field_from(scores: Floats, items: Sequence[int], copies: Collection[int] = ()) -> ItemField:
    """The field of a score table, without the rows of `copies`."""
    own = scores[[row for row in range(len(scores)) if row not in copies]]
    return ItemField(
        items=tuple(items),
        n_models=len(own) if items else 0,
        n_complete=len(complete_rows(own)) if own.size else 0,
        medians=medians(own),
        figures=item_figures(own),
        n_copies=len(scores) - len(own),
    )


def score_table(runs: Sequence[CountedRun], items: Sequence[int]) -> Floats:
    """Runs x items, the mean of what counts over the repeats, NaN where nothing was scored. At most two queries."""
    if not runs or not items:
        return np.full((len(runs), len(items)), np.nan)
    return score_matrix(runs, {run.pk: row for row, run in enumerate(runs)}, items)


def medians(scores: Floats) -> tuple[float | None, ...]:
    known = [column[~np.isnan(column)] for column in scores.T]
    return tuple(middle_of(values) if values.size else None for values in known)


def middle_of(values: Floats) -> float:
    """The median of at least one value. numpy's own loads its masked arrays: 2 MB in each command that ends a run."""
    ordered = np.sort(values)
    half = ordered.size // 2
    return float(ordered[half] if ordered.size % 2 else (ordered[half - 1] + ordered[half]) / 2)


def from_json(stored: Mapping[str, list[object]]) -> ItemField | None:
    """What `asdict` made of a field; None where it was written by a release with other figures."""
    try:
        figures = tuple(ItemFigures(**entry) for entry in stored["figures"])  # type: ignore[arg-type]
        field = ItemField(**{**stored, "figures": figures})  # type: ignore[arg-type]
    except (KeyError, TypeError):
        return None
    return replace(field, items=tuple(field.items), medians=tuple(field.medians))


def new_fields(rows: Iterable[Row], sources: Mapping[str, Source], settled: Mapping[str, str]) -> dict[str, NewField]:
    """Ranking -> its field now, of the rankings that have runs and whose stored field does not hold any more.

    `settled` are the rankings in which no result changed, with the mark of their rows before: a field that was stored
    under another mark belongs to other rows.
    """
    marked = FieldFigures.objects.filter(ranking__in=settled).values_list("ranking", "mark", "figures__n_copies")
    # An older release did not look for copies.
    stored = {ranking for ranking, mark, n_copies in marked if mark == settled[ranking] and n_copies is not None}
    runs: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.origin in WITH_ANSWERS and row.run_id is not None and row.ranking not in stored:
            runs[row.ranking].append(row.run_id)
    return {ranking: new_field(ranking, counted_runs(own), sources[ranking]) for ranking, own in runs.items()}


def new_field(ranking: str, runs: Sequence[CountedRun], source: Source) -> NewField:
    items = items_of(source.bank_id)
    scores = score_table(runs, items)
    field = field_from(scores, items, copies_among(scores, source.benchmark))
    return NewField(field, new_answers(ranking, runs, items, scores, source.benchmark))


def items_of(bank_id: int) -> list[int]:
    return list(Item.objects.filter(bank_id=bank_id).order_by("number").values_list("pk", flat=True))


def store_fields(fields: Mapping[str, NewField], ranking: str | None) -> None:
    """Stores the fields, and marks those that stay as what belongs to the standings now. Within their transaction.

    A field of a ranking in which no model competes any more is deleted, whatever else stands there.
    """
    now = marks(None if ranking is None else [ranking])
    known = FieldFigures.objects.all() if ranking is None else FieldFigures.objects.filter(ranking=ranking)
    old = {key: mark for key, mark in known.values_list("ranking", "mark") if key not in fields}
    held = Standing.objects.filter(ranking__in=old, origin__in=WITH_ANSWERS, run__isnull=False).order_by()
    kept = set(held.values_list("ranking", flat=True).distinct())
    if gone := [key for key in old if key not in kept]:
        known.filter(ranking__in=gone).delete()
    for key in [key for key in kept if old[key] != now[key]]:
        known.filter(ranking=key).update(mark=now[key])
    FieldFigures.objects.bulk_create(
        [
            FieldFigures(ranking=key, mark=now[key], figures=asdict(new.field), runs=new.answers.runs)
            for key, new in fields.items()
        ],
        update_conflicts=True,
        unique_fields=["ranking"],
        update_fields=["mark", "figures", "runs"],
    )
    for key, new in fields.items():
        store_answers(key, new.answers)
