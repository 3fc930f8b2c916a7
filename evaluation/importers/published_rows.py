"""Published figures into the database: new rows, changed rows, and nothing at all the second time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from evaluation.importers.name_facts import Known, completed
from evaluation.importers.names import display_name, free_slug, organisation
from evaluation.importers.published import Figure, FigureKey, ModelFacts, Published
from evaluation.importers.published_names import move_figures, store_names, under_corrected_names
from evaluation.models import Endpoint, FormerName, LanguageModel, ReferenceScore, Run

_FACT_NAMES = tuple(field.name for field in fields(ModelFacts))
TABLE_FACTS = frozenset(_FACT_NAMES) - {"name"}
"""What the tables say of a model. A fact that staff set by hand (`LanguageModel.facts_by_hand`) is theirs alone."""
COMPLETED = frozenset(Known.__dataclass_fields__) - {"name"}
_DATE = frozenset({"released_on", "released_month_only"})
_FIGURE_FIELDS = ("value", "match", "preferred", "low", "high", "figures")


class LoadCounts(NamedTuple):
    """How many rows a loading wrote. A demoted figure (preferred until another took its place) counts as changed."""

    models_new: int
    models_changed: int
    figures_new: int
    figures_changed: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many models of the official page have a preferred figure of each kind."""

    eqbench_v2: int
    mmlu: int
    arena_elo: int
    magi_hard: int


@transaction.atomic
def store_published(published: Published) -> LoadCounts:
    """Writes what is new or changed, all or nothing.

    A blank fact never erases a known one, and a figure that left the tables stays, though no longer preferred where
    the tables prefer another. What staff corrected or added by hand stays as it is, and preferred where they prefer it.
    """
    published = under_corrected_names(under_present_names(published))
    models_new, models_changed = _store_models(published)
    models_changed += complete_facts()
    store_names(published.names)
    moved = move_figures(published)
    figures_new, figures_changed = _store_figures(published)
    return LoadCounts(models_new, models_changed, figures_new, figures_changed + moved)


def under_present_names(published: Published) -> Published:
    """The tables with each former name of a model replaced by its present one. What they say under a former name
    changes no fact, and a figure under one is preferred only where the tables prefer none under the present name.
    """
    present = dict(FormerName.objects.order_by("pk").values_list("name", "model__name"))
    for name in LanguageModel.objects.filter(name__in=present).values_list("name", flat=True):
        del present[name]
    if not present:
        return published
    own = [figure for figure in published.figures if figure.key.model not in present]
    settled = {(figure.key.model, figure.key.benchmark) for figure in own if figure.preferred}
    figures = {figure.key: figure for figure in own}
    for figure in published.figures:
        if figure.key.model in present:
            key = replace(figure.key, model=present[figure.key.model])
            preferred = figure.preferred and (key.model, key.benchmark) not in settled
            settled |= {(key.model, key.benchmark)} if preferred else set()
            figures.setdefault(key, replace(figure, key=key, preferred=preferred))
    models = tuple(facts for facts in published.models if facts.name not in present)
    names = tuple(replace(name, model=present.get(name.model, name.model)) for name in published.names)
    return Published(models, tuple(figures.values()), names)


def _store_models(published: Published) -> tuple[int, int]:
    known = {model.name: model for model in LanguageModel.objects.all()}
    # A slug that was a model's once still leads to it.
    taken = {model.slug for model in known.values()} | set(FormerName.objects.values_list("slug", flat=True))
    new, changed = [], []
    for facts in published.models:
        model = known.get(facts.name)
        if model is None:
            new.append(_new_model(facts, taken))
        elif _take_facts(model, facts):
            changed.append(model)
    LanguageModel.objects.bulk_create(new)
    _touch(changed)
    LanguageModel.objects.bulk_update(changed, [*_FACT_NAMES, "changed_at"])
    return len(new), len(changed)


def complete_facts() -> int:
    """Fills what names and other models say, never over a known fact or one set by hand; how many models changed.

    Of models that strangers alone have submitted nothing is filled and nothing is taken.
    """
    strangers = Exists(Endpoint.objects.filter(model=OuterRef("pk")).exclude(owner=""))
    public = Exists(Run.objects.filter(published=True, model=OuterRef("pk")))
    figures = Exists(ReferenceScore.objects.filter(model=OuterRef("pk")))
    models = {model.name: model for model in LanguageModel.objects.filter(public | figures | ~strangers)}
    known = (Known(**{name: getattr(model, name) for name in Known.__dataclass_fields__}) for model in models.values())
    changed = [
        models[name]
        for name, facts in completed(known).items()
        if _differs(models[name], {each: getattr(facts, each) for each in COMPLETED - {*models[name].facts_by_hand}})
    ]
    _touch(changed)
    LanguageModel.objects.bulk_update(changed, [*COMPLETED, "changed_at"])
    return len(changed)


def _differs(model: LanguageModel, facts: Mapping[str, Any]) -> bool:
    """Sets the facts; whether any was different."""
    different = {name: value for name, value in facts.items() if getattr(model, name) != value}
    for name, value in different.items():
        setattr(model, name, value)
    return bool(different)


def _touch(rows: Iterable[LanguageModel | ReferenceScore]) -> None:
    """A bulk update does not set `changed_at` by itself."""
    now = timezone.now()
    for row in rows:
        row.changed_at = now


def _new_model(facts: ModelFacts, taken: set[str]) -> LanguageModel:
    model = LanguageModel(slug=free_slug(facts.name, taken), **{name: getattr(facts, name) for name in _FACT_NAMES})
    model.display_name = model.display_name or display_name(facts.name)
    model.organisation = model.organisation or organisation(facts.name)
    taken.add(model.slug)
    return model


def _take_facts(model: LanguageModel, facts: ModelFacts) -> bool:
    """Copies the known facts onto the row, but for those set by hand; whether anything was different."""
    known = {name: getattr(facts, name) for name in _FACT_NAMES if getattr(facts, name) not in {"", None}}
    theirs = set(model.facts_by_hand)
    if facts.released_on is None or theirs & _DATE:
        theirs |= _DATE
    return _differs(model, {name: value for name, value in known.items() if name not in theirs})


def _store_figures(published: Published) -> tuple[int, int]:
    ids = dict(LanguageModel.objects.values_list("name", "pk"))
    known = _known_figures()
    published = replace(published, figures=tuple(_yielding(published.figures, known)))
    demoted = _demote(published, known)
    new, changed = [], []
    for figure in published.figures:
        row = known.get(figure.key)
        values = {name: getattr(figure, name) for name in _FIGURE_FIELDS}
        if row is None:
            new.append(_new_row(ids[figure.key.model], figure.key, values))
        elif not row.by_hand and any(getattr(row, name) != value for name, value in values.items()):
            changed.append(row)
            for name, value in values.items():
                setattr(row, name, value)
    _touch(changed)
    ReferenceScore.objects.bulk_update(changed, [*_FIGURE_FIELDS, "changed_at"])
    ReferenceScore.objects.bulk_create(new, batch_size=100)
    return len(new), len({row.pk for row in [*changed, *demoted]})


def _known_figures() -> dict[FigureKey, ReferenceScore]:
    rows = ReferenceScore.objects.select_related("model")
    return {
        FigureKey(row.model.name, row.benchmark, row.setting, row.as_of, row.source, row.matched_name): row
        for row in rows
    }


def _yielding(figures: Iterable[Figure], known: Mapping[FigureKey, ReferenceScore]) -> Iterable[Figure]:
    """The figures: one that staff set by hand is preferred or not as they left it, so that none yields to it that need
    not, and none is preferred beside one that staff prefer."""
    settled = {(key.model, key.benchmark) for key, row in known.items() if row.by_hand and row.preferred}
    for figure in figures:
        row = known.get(figure.key)
        free = figure.preferred and (figure.key.model, figure.key.benchmark) not in settled
        yield replace(figure, preferred=row.preferred if row and row.by_hand else free)


def _demote(published: Published, known: dict[FigureKey, ReferenceScore]) -> list[ReferenceScore]:
    """Rows preferred until now where the tables prefer another: written first, since one only may be preferred."""
    preferred = {
        (figure.key.model, figure.key.benchmark): figure.key for figure in published.figures if figure.preferred
    }
    rows = [
        row for key, row in known.items() if row.preferred and preferred.get((key.model, key.benchmark), key) != key
    ]
    for row in rows:
        row.preferred = False
    _touch(rows)
    ReferenceScore.objects.bulk_update(rows, ["preferred", "changed_at"])
    return rows


def _new_row(model_id: int, key: FigureKey, values: dict[str, Any]) -> ReferenceScore:
    return ReferenceScore(
        model_id=model_id,
        benchmark=key.benchmark,
        setting=key.setting,
        as_of=key.as_of,
        source=key.source,
        matched_name=key.matched_name,
        **values,
    )


def coverage() -> Coverage:
    """The counts over the database, Arena Elo and MMLU by their preferred value."""
    page = ReferenceScore.objects.filter(benchmark="eq-bench-v2", preferred=True).values("model")
    counts = {
        name: ReferenceScore.objects.filter(benchmark=name, preferred=True, model__in=page).count()
        for name in ("mmlu", "arena_elo", "magi_hard")
    }
    return Coverage(page.count(), counts["mmlu"], counts["arena_elo"], counts["magi_hard"])
