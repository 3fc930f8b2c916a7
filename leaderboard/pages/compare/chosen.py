"""The chosen models of a comparison, each with its standing on one ranking: figures, drawing, and address. At most one
query, for the reference scores."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q

from evaluation.models import ItemResult, Origin, ReferenceScore
from leaderboard.drawings.plots import IntervalPlot, Scale, interval_plot
from leaderboard.models import Standing
from leaderboard.pages.rankings.columns import REFERENCES
from leaderboard.pages.rankings.directory import Ranking, described
from leaderboard.pages.rankings.rows import is_private, ranks_text
from leaderboard.rounding import MISSING

KINDS = "abcd"
ANSWERED = ExpressionWrapper(
    ~Q(origin=Origin.BASELINE) | Exists(ItemResult.objects.filter(run=OuterRef("run_id"))), output_field=BooleanField()
)
"""Of a standing with a run: whether the run has answers. Some baselines are computed and have none."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A chosen model. `kind` is its mark; `without` is the address of the page without it.

    `reason` says why it has no answers here, and is empty where it has; then all figures are those of its standing.
    """

    kind: str
    slug: str
    name: str
    standing: Standing | None
    ranks: str
    half: float | None
    plot: IntervalPlot | None
    references: tuple[float | None, ...]
    without: str
    reason: str


@dataclass(frozen=True, slots=True)
class WithoutAnswers:
    """Models that have no answers for one and the same reason, as a sentence about their `names` goes on."""

    names: tuple[str, ...]
    words: str


def without_answers(models: Iterable[ModelRow]) -> tuple[WithoutAnswers, ...]:
    """One entry a reason, so that no page says the same of each model; in the order of the models."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for model in models:
        if model.reason:
            names[model.reason].append(model.name)
    return tuple(
        WithoutAnswers(tuple(own), words if len(own) == 1 else f"have{words.removeprefix('has')}")
        for words, own in names.items()
    )


def model_rows(
    asked: Sequence[str],
    standings: Mapping[str, Mapping[str, Standing]],
    ranking: Ranking | None,
    banks: Mapping[str, Ranking],
    scale: Scale,
) -> tuple[ModelRow, ...]:
    """The models that were found, in the order of the address."""
    if ranking is None:
        return ()
    found = [slug for slug in asked if slug in standings]
    references = reference_values(one_of(standings[slug]).model_id for slug in found)
    return tuple(
        ModelRow(
            kind=kind,
            slug=slug,
            name=str(one_of(standings[slug]).model),
            standing=standings[slug].get(ranking.key),
            ranks=ranks_of(standings[slug].get(ranking.key)),
            half=half_of(standings[slug].get(ranking.key)),
            plot=plot_of(standings[slug].get(ranking.key), scale),
            references=references.get(one_of(standings[slug]).model_id, (None,) * len(REFERENCES)),
            without=address([other for other in found if other != slug], ranking.key),
            reason=reason(standings[slug], ranking, banks),
        )
        for kind, slug in zip(KINDS, found, strict=False)
    )


def one_of(own: Mapping[str, Standing]) -> Standing:
    return next(iter(own.values()))


def ranks_of(standing: Standing | None) -> str:
    return (ranks_text(standing) if standing else "") or MISSING


def half_of(standing: Standing | None) -> float | None:
    if standing is None or standing.interval_low is None or standing.interval_high is None:
        return None
    return (standing.interval_high - standing.interval_low) / 2


def score_ends(standing: Standing | None) -> list[float]:
    ends = (standing.score, standing.interval_low, standing.interval_high) if standing else ()
    return [end for end in ends if end is not None]


def plot_of(standing: Standing | None, scale: Scale) -> IntervalPlot | None:
    if standing is None:
        return None
    return interval_plot(standing.score, standing.interval_low, standing.interval_high, scale)


def reason(own: Mapping[str, Standing], ranking: Ranking, banks: Mapping[str, Ranking]) -> str:
    """Why a model has no answers in this ranking, as a sentence about it goes on with "has"; "" where it has."""
    standing = own.get(ranking.key)
    if has_answers(standing):
        return ""
    if standing is not None and is_private(standing):
        return f"has a score on {ranking.title}, a private bank whose items nobody sees"
    if standing is not None and standing.origin == Origin.BASELINE:
        return f"has a computed score on {ranking.title}, without answers"
    if standing is not None:
        return f"has only a published score on {ranking.title}, without answers"
    elsewhere = ", ".join(described(key, banks).title for key in sorted(own))
    return f"has no score on {ranking.title}, only on {elsewhere}"


def address(slugs: Iterable[str], key: str | None) -> str:
    """The query string of a comparison."""
    return "?" + urlencode([*(("m", slug) for slug in slugs), *([("ranking", key)] if key else [])])


def reference_values(model_ids: Iterable[int]) -> dict[int, tuple[float | None, ...]]:
    """Model -> its preferred figures in the order of REFERENCES."""
    rows = ReferenceScore.objects.filter(model__in=list(model_ids), benchmark__in=REFERENCES, preferred=True)
    found: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for model_id, benchmark, value in rows.values_list("model_id", "benchmark", "value"):
        found[model_id][benchmark] = value
    return {model_id: tuple(own.get(name) for name in REFERENCES) for model_id, own in found.items()}


def has_answers(standing: Standing | None) -> bool:
    """`standing` may say by `is_answered`, which is ANSWERED, that its run has none."""
    return standing is not None and standing.run_id is not None and getattr(standing, "is_answered", True)
