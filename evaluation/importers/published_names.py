"""Which models the names of published tables mean, in the database: as shipped, or as staff corrected it."""

from collections.abc import Iterable
from dataclasses import replace

from django.utils import timezone

from evaluation.importers.published import Figure, Published, TableName
from evaluation.models import LanguageModel, PublishedName, ReferenceScore
from evaluation.published_tables import tables_of


def meant_by(name: str, benchmark: str) -> str:
    """The model that a name means in a published table of the benchmark, as staff corrected it; "" where none is meant.

    Case, hyphens and dots are not looked at: "llama2-13b" in a file of runs is the table's "LLaMA-2-13B". A name that
    two models of these tables share means neither.
    """
    wanted = _letters(name)
    rows = PublishedName.objects.filter(table__in=tables_of(benchmark)).values_list("name", "model__name")
    found = {model for written, model in rows if _letters(written) == wanted}
    return found.pop() if len(found) == 1 else ""


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def under_corrected_names(published: Published) -> Published:
    """The tables with each name that staff corrected meaning the model that they gave it. Of two names of a table that
    mean one model, the first one's figure is preferred. A model that a corrected name meant alone is left out."""
    corrected = {
        (row.table, row.name): row for row in PublishedName.objects.filter(by_hand=True).select_related("model")
    }
    names = []
    for name in published.names:
        row = corrected.get((name.table, name.name))
        names.append(replace(name, model=row.model.name, match=row.match) if row else name)
    means = {(name.table, name.name): name for name in names}
    figures = tuple(_preferred_once([_renamed(figure, means) for figure in published.figures]))
    unused = {name.model for name in published.names} - {figure.key.model for figure in figures}
    return Published(tuple(facts for facts in published.models if facts.name not in unused), figures, tuple(names))


def _renamed(figure: Figure, means: dict[tuple[str, str], TableName]) -> Figure:
    name = means.get((figure.key.benchmark, figure.key.matched_name))
    if name is None:
        return figure
    return replace(figure, key=replace(figure.key, model=name.model), match=name.match)


def _preferred_once(figures: Iterable[Figure]) -> Iterable[Figure]:
    seen: set[tuple[str, str]] = set()
    for figure in figures:
        pair = (figure.key.model, figure.key.benchmark)
        yield replace(figure, preferred=False) if pair in seen else figure
        seen |= {pair} if figure.preferred else set()


def store_names(names: Iterable[TableName]) -> None:
    """Writes what is new or changed. Those set by hand mean what they meant: `names` come from `under_corrected_names`.
    The models must be stored; a name of one that is not, since no figure is its, is left out."""
    names = list(names)
    ids = dict(LanguageModel.objects.filter(name__in={name.model for name in names}).values_list("name", "pk"))
    wanted = {(name.table, name.name): name for name in names if name.model in ids}
    known = {(row.table, row.name): row for row in PublishedName.objects.all()}
    changed = []
    for key, row in known.items():
        name = wanted.get(key)
        if name and (row.model_id, row.match) != (ids[name.model], name.match):
            row.model_id, row.match = ids[name.model], name.match
            changed.append(row)
    PublishedName.objects.bulk_update(changed, ["model", "match"])
    PublishedName.objects.bulk_create(
        PublishedName(table=name.table, name=name.name, model_id=ids[name.model], match=name.match)
        for key, name in wanted.items()
        if key not in known
    )


def move_figures(published: Published) -> int:
    """Gives the stored figures of a table to the models that its names mean now; how many had another model.

    A figure that stands at the right model already is not kept twice.
    """
    tables = {name.table for name in published.names}
    ids = dict(LanguageModel.objects.values_list("name", "pk"))
    wanted = {(name.table, name.name): ids[name.model] for name in published.names if name.model in ids}
    stored = ReferenceScore.objects.filter(benchmark__in=tables, by_hand=False)
    moved = [
        (row, wanted[row.benchmark, row.matched_name])
        for row in stored
        if wanted.get((row.benchmark, row.matched_name), row.model_id) != row.model_id
    ]
    # Without their mark first: two figures that change places would for a moment both be preferred.
    ReferenceScore.objects.filter(pk__in=[row.pk for row, _ in moved]).update(preferred=False)
    there = ReferenceScore.objects.filter(benchmark__in=tables).exclude(pk__in=[row.pk for row, _ in moved])
    taken = {_place(row, row.model_id) for row in there}
    for row, model_id in moved:
        if _place(row, model_id) in taken:
            row.delete()  # the same figure twice, as where staff gave it to another model and it was loaded since
        else:
            ReferenceScore.objects.filter(pk=row.pk).update(model_id=model_id, changed_at=timezone.now())
            taken.add(_place(row, model_id))
    return len(moved)


def _place(row: ReferenceScore, model_id: int) -> tuple[int, str, str, str, str, str]:
    """What one figure alone may have."""
    return model_id, row.benchmark, row.setting, row.as_of, row.source, row.matched_name
