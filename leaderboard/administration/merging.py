"""Two entries of one model made one: everything of the others moves to the one that stays, in one transaction.

The names and slugs of the others go on to lead to it (`FormerName`), for readers and for files that are loaded later.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import ForeignObjectRel
from django.utils import timezone

from evaluation.models import FormerName, LanguageModel, Origin, ReferenceScore
from leaderboard.calling import call_refresh
from leaderboard.models import Standing, StatisticsRow
from leaderboard.standings import refresh_standings, take_turn
from leaderboard.standings.orders import hand_over
from leaderboard.standings.rows import EVIDENCE
from leaderboard.submissions.moderating import Refused

FACTS = (
    "display_name", "organisation", "params", "params_billion", "open_weights", "licence", "released_on",
    "released_month_only", "link", "maker_domain", "price_prompt", "price_completion",
)  # fmt: skip
COMPUTED = (Standing, StatisticsRow)  # made anew from the runs
SAME_FIGURE = ("benchmark", "setting", "as_of", "source", "matched_name")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge would do: rows that move by what they are, and where the entries disagree, in sentences."""

    moves: tuple[tuple[str, int], ...]
    conflicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did, in a sentence for the audit."""

    model: LanguageModel
    sentence: str


def usual_keeper(models: Sequence[LanguageModel]) -> LanguageModel:
    """The one that most runs and figures belong to; the oldest of several such."""
    return min(models, key=lambda model: (-model.runs.count() - model.reference_scores.count(), model.pk))


def plan(keeper: LanguageModel, others: Sequence[LanguageModel]) -> Plan:
    moves: Counter[str] = Counter()
    for other in others:
        for relation in moved_relations():
            moves[name_of(relation)] += rows_of(relation, other).count()
        moves["reference score"] += other.reference_scores.count()
    conflicts = [text for other in others for text in (*facts_apart(keeper, other), *figures_apart(keeper, other))]
    return Plan(tuple((name, n) for name, n in moves.items() if n), tuple(conflicts))


def merge(keeper: LanguageModel, others: Sequence[LanguageModel]) -> Merged:
    """Moves all of the others to the keeper and removes them, all or nothing; then the standings are computed anew.

    Raises:
        Refused: one of them is gone, or two rows stand in each other's way.
    """
    merged = _merged(keeper, others)
    refresh_standings()
    call_refresh()
    return merged


@transaction.atomic
def _merged(keeper: LanguageModel, others: Sequence[LanguageModel]) -> Merged:
    """Before any row is locked, it waits for a refresh at work, which would wait for these rows in its turn."""
    take_turn()
    keys = {keeper.pk, *(other.pk for other in others)}
    rows = LanguageModel.objects.select_for_update().order_by("pk").in_bulk(keys)
    if len(rows) < max(2, len(others) + 1):
        raise Refused("One of the models is gone, so it was merged already. Nothing was changed.")
    kept = rows[keeper.pk]
    for other in (rows[each.pk] for each in others):
        _take_over(kept, other)
    kept.save(update_fields=[*FACTS, "facts_by_hand", "changed_at"])
    names = ", ".join(f"{other.name} (/models/{other.slug}/)" for other in others)
    return Merged(kept, f"Merged into it: {names}.")


def _take_over(kept: LanguageModel, other: LanguageModel) -> None:
    for relation in moved_relations():
        _move(relation, kept, other)
    for figure in other.reference_scores.all():
        _move_figure(figure, kept)
    _take_places(kept, other)
    _take_facts(kept, other)
    remember(kept, name=other.name, slug=other.slug)
    other.delete()


def _take_places(kept: LanguageModel, other: LanguageModel) -> None:
    """The rows in rankings, which are computed anew, with the day on which the score came: of two rows in one ranking
    that of the better evidence stays. Past orders name the kept model too."""
    own = {row.ranking: row for row in kept.standings.all()}
    for row in other.standings.all():
        mine = own.get(row.ranking)
        if mine is None or evidence_of(row) < evidence_of(mine):
            Standing.objects.filter(model=kept, ranking=row.ranking).delete()
            Standing.objects.filter(pk=row.pk).update(model=kept)
        hand_over(row.ranking, other.pk, kept.pk)


def evidence_of(row: Standing) -> int:
    """The place of its evidence, the best first."""
    return EVIDENCE.index((Origin(row.origin), not row.other_settings))


def _take_facts(kept: LanguageModel, other: LanguageModel) -> None:
    """What the kept one lacks; a fact that was set by hand stays one that was."""
    lacking = [name for name in FACTS if getattr(kept, name) in {"", None} and name not in kept.facts_by_hand]
    if "released_on" in lacking:
        lacking.append("released_month_only")  # it has no empty value, and says how exact the date is
    for name in lacking:
        setattr(kept, name, getattr(other, name))
    kept.facts_by_hand = sorted({*kept.facts_by_hand, *(set(lacking) & set(other.facts_by_hand))})


def moved_relations() -> list[ForeignObjectRel]:
    """Every table with a model in it but those that are computed and the figures, which may stand twice."""
    fields = LanguageModel._meta.get_fields(include_hidden=True)
    related = [field for field in fields if isinstance(field, ForeignObjectRel) and not field.many_to_many]
    return [relation for relation in related if relation.related_model not in {*COMPUTED, ReferenceScore}]


def name_of(relation: ForeignObjectRel) -> str:
    return str(relation.related_model._meta.verbose_name)


def rows_of(relation: ForeignObjectRel, model: LanguageModel):  # type: ignore[no-untyped-def]  # of any table
    return relation.related_model._base_manager.filter(**{relation.field.name: model})


def _move(relation: ForeignObjectRel, kept: LanguageModel, other: LanguageModel) -> None:
    try:
        with transaction.atomic():
            rows_of(relation, other).update(**{relation.field.name: kept})
    except IntegrityError:
        raise Refused(
            f"Both {kept.name} and {other.name} have a {name_of(relation)} where one only may stand. "
            "Take one of the two away first. Nothing was changed."
        ) from None


def _move_figure(figure: ReferenceScore, kept: LanguageModel) -> None:
    """A figure that the kept model has from the same source goes; its mark of preference yields to the kept one."""
    if same_figure(figure, kept.reference_scores.all()):
        figure.delete()
        return
    preferred = figure.preferred and not kept.reference_scores.filter(benchmark=figure.benchmark, preferred=True)
    now = timezone.now()
    ReferenceScore.objects.filter(pk=figure.pk).update(model=kept, preferred=preferred, changed_at=now)


def same_figure(figure: ReferenceScore, among: Iterable[ReferenceScore]) -> ReferenceScore | None:
    mark = [getattr(figure, name) for name in SAME_FIGURE]
    return next((each for each in among if [getattr(each, name) for name in SAME_FIGURE] == mark), None)


def facts_apart(keeper: LanguageModel, other: LanguageModel) -> list[str]:
    """One sentence a fact on which both say something, and not the same."""
    apart = []
    has_one_date = keeper.released_on is None or other.released_on is None
    for name in FACTS:
        mine, theirs = getattr(keeper, name), getattr(other, name)
        if name == "released_month_only" and has_one_date:
            continue  # it goes with the date
        if {mine, theirs}.isdisjoint({"", None}) and mine != theirs:
            word = name.replace("_", " ").capitalize()
            apart.append(f"{word}: {mine} stays, {theirs} of {other.name} is dropped.")
    return apart


def figures_apart(keeper: LanguageModel, other: LanguageModel) -> list[str]:
    """One sentence a figure of which one only can stay, or one only can be preferred."""
    own = list(keeper.reference_scores.all())
    preferred = {figure.benchmark: figure for figure in own if figure.preferred}
    apart = []
    for figure in other.reference_scores.all():
        same, first = same_figure(figure, own), preferred.get(figure.benchmark)
        if same:
            apart.append(f"{figure.benchmark}: {same.value:g} stays, {figure.value:g} from the same source is dropped.")
        elif figure.preferred and first:
            apart.append(f"{figure.benchmark}: {first.value:g} stays preferred, {figure.value:g} stands beside it.")
    return apart


def remember(model: LanguageModel, *, name: str, slug: str) -> None:
    """That this name and slug mean the model from now on."""
    FormerName.objects.get_or_create(model=model, name=name, slug=slug)
