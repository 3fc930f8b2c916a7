"""The comparison of two to four models on one ranking: at most fifteen queries, however many models and items.

A model's item score is the mean over its counted runs and their repeats, of the part that each run counts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluation.benchmarks.base import Measure
from evaluation.models import ItemBank, Origin, Run
from evaluation.statistics.arrays import Floats
from leaderboard.drawings.plots import Tick, score_scale, tick_text, ticks
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts
from leaderboard.models import Standing
from leaderboard.pages.compare.choices import Choice, Choices, answered_rankings, choices
from leaderboard.pages.compare.chosen import (
    ANSWERED,
    ModelRow,
    WithoutAnswers,
    address,
    has_answers,
    model_rows,
    score_ends,
    without_answers,
)
from leaderboard.pages.compare.families import EmotionFamilies, emotion_families
from leaderboard.pages.compare.items import ItemLine, Telling, compared_items, item_lines, tellings
from leaderboard.pages.compare.pairs import MatrixRow, PairRow, Pairs, Side, matrix_of, tested_pairs
from leaderboard.pages.compare.verdicts import Verdict, verdicts_of
from leaderboard.pages.items.bank_items import notice_of
from leaderboard.pages.rankings.directory import Ranking, described, filled_rankings, whole_banks
from leaderboard.pages.shared.measures import item_measure, item_word, ranking_measure, rule_of
from leaderboard.standings.ahead import ahead_among
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, answers_sum_of, score_matrix
from leaderboard.standings.results import COUNTED
from leaderboard.wording import comparing

MOST = 4
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,140}")


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What the address asks for, as it stands there: nothing in it is trusted, and nothing in it is an error."""

    models: tuple[str, ...] = ()
    ranking: str = ""
    search: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found out: the sides are the models with answers, in the order of the address.

    `rescaled` tells that answers were brought to a sum of 10, as the score does.
    """

    sides: tuple[Side, ...]
    pairs: Pairs
    items: tuple[ItemLine, ...]
    tellings: tuple[Telling, ...]
    shows_texts: bool
    notice: str
    rescaled: bool = False
    shows_references: bool = True
    matrix: tuple[MatrixRow, ...] = ()
    families: EmotionFamilies | None = None


@dataclass(frozen=True, slots=True)
class ComparePage:
    """`unknown` names what no model is called; `n_asked` counts all asked for, of which at most four are taken.

    `verdicts` are those of the ranking on the pairs that share no item.
    """

    ranking: Ranking | None
    bank: ItemBank | None
    rankings: tuple[tuple[str, str], ...]
    models: tuple[ModelRow, ...]
    score_ticks: tuple[Tick, ...]
    headline: str
    lede: str
    compared: Compared
    verdicts: tuple[Verdict, ...]
    unknown: tuple[str, ...]
    n_asked: int
    search: str
    choices: Choices
    leaders: tuple[Choice, ...]
    leaders_link: str

    @property
    def benchmark(self) -> str:
        return self.ranking.benchmark if self.ranking else ""

    @property
    def first(self) -> PairRow | Verdict | None:
        """The pair that the headline names where there is one pair alone."""
        rows = self.compared.pairs.rows
        if rows:
            return rows[0]
        return self.verdicts[0] if self.verdicts else None

    @property
    def measure(self) -> Measure:
        """The figure that ranks."""
        return ranking_measure(self.benchmark)

    @property
    def without_answers(self) -> tuple[WithoutAnswers, ...]:
        return without_answers(self.models)

    @property
    def why_not_by_item(self) -> str:
        """Why items of this ranking are not compared, in a sentence; "" where they are."""
        return kind_of(self.benchmark).why_not_by_item if self.ranking else ""

    @property
    def own_comparison(self) -> str:
        """The address of the comparison that the ranking's kind has of its own; "" without one."""
        name, _ = kind_of(self.benchmark).comparison
        if not name or self.ranking is None or self.bank is None or not self.bank.shows_items:
            return ""
        return reverse(name, args=[self.ranking.key]) + address([each.slug for each in self.models], None)

    @property
    def own_comparison_words(self) -> str:
        return kind_of(self.benchmark).comparison[1]

    @property
    def item_measure(self) -> Measure:
        return item_measure(self.benchmark)

    @property
    def score_name(self) -> str:
        """What a model's value on an item is called."""
        return item_word(self.benchmark)

    @property
    def item_title(self) -> str:
        """What an axis of item scores is called."""
        return "item score" if self.words.score else self.item_measure.title.lower()

    @property
    def words(self) -> ItemParts:
        """What items and answers are called."""
        return kind_of(self.benchmark or rule_of("").name).item_parts

    @property
    def is_full(self) -> bool:
        return len(self.models) >= MOST

    @property
    def too_many(self) -> bool:
        return self.n_asked > MOST


NOTHING = Compared((), Pairs((), ()), (), (), shows_texts=False, notice="")


def compare_page(request: CompareRequest) -> ComparePage:
    filled, (banks, whole) = filled_rankings(), whole_banks()
    asked = tuple(dict.fromkeys(slug for slug in request.models if slug))
    standings = standings_of(asked[:MOST])
    key = chosen_key(request.ranking, filled, standings)
    ranking = described(key, banks) if key else None
    bank = whole.get(ranking.bank_id) if ranking and ranking.bank_id else None
    scale = score_scale([end for own in standings.values() for end in score_ends(own.get(key or ""))])
    models = model_rows(asked[:MOST], standings, ranking, banks, scale)
    by_item = not (ranking and kind_of(ranking.benchmark).why_not_by_item)
    compared = compared_models(models, ranking, bank) if ranking and bank and by_item else NOTHING
    found = found_choices(ranking, request.search, models)
    verdicts = verdicts_of(models, ranking.key, compared.pairs) if ranking and by_item else ()
    competing = tuple(choice for choice in found.shown if choice.origin != Origin.BASELINE)
    leaders = competing[:2] if not models and not request.search else ()
    return ComparePage(
        ranking=ranking,
        bank=bank,
        rankings=tuple((each, described(each, banks).title) for each in filled),
        models=models,
        score_ticks=ticks(scale, tick_text),
        headline=headline_of(compared, verdicts, len(models)),
        lede=comparing.shared_text(
            [pair.difference.n for pair in compared.pairs.rows], ranking.title if ranking else ""
        ),
        compared=compared,
        verdicts=verdicts,
        unknown=tuple(slug for slug in asked[:MOST] if slug not in standings),
        n_asked=len(asked),
        search=request.search,
        choices=found,
        leaders=leaders,
        leaders_link=address([leader.slug for leader in leaders], key),
    )


def headline_of(compared: Compared, verdicts: Sequence[Verdict], n_chosen: int) -> str:
    """The finding over the tested pairs; where there is none, over those that the ranking alone decides."""
    if compared.pairs.rows:
        return comparing.headline(len(compared.sides), [pair.tied for pair in compared.pairs.rows], n_chosen)
    told = {row.kind for verdict in verdicts for row in (verdict.ahead, verdict.behind)}
    return comparing.headline(len(told), [verdict.tied for verdict in verdicts], n_chosen)


def standings_of(asked: Sequence[str]) -> dict[str, dict[str, Standing]]:
    """Slug -> ranking -> standing, of the models that have any; a text that can be no slug asks nothing."""
    slugs = [slug for slug in asked if SLUG.fullmatch(slug)]
    found: dict[str, dict[str, Standing]] = {}
    asked_for = Standing.objects.filter(model__slug__in=slugs).select_related("model")
    for standing in asked_for.annotate(is_answered=ANSWERED):
        found.setdefault(standing.model.slug, {})[standing.ranking] = standing
    return found


def chosen_key(asked: str, filled: Iterable[str], standings: Mapping[str, Mapping[str, Standing]]) -> str | None:
    """The ranking asked for, else the one in which most of the models have answers, of several such the one in which
    most of them stand; the fullest comes first.

    Where no model is named all of them count: published figures alone leave nothing to compare.
    """
    keys = list(filled)
    if asked in keys:
        return asked
    if not standings:
        answered = answered_rankings()
        return max(keys, key=lambda key: answered.get(key, 0), default=None)

    def held(key: str) -> tuple[int, int]:
        own = [each[key] for each in standings.values() if key in each]
        return sum(map(has_answers, own)), len(own)

    return max(keys, key=held, default=None)


def found_choices(ranking: Ranking | None, search: str, models: Sequence[ModelRow]) -> Choices:
    """The list to choose from; nothing is asked where four are chosen already."""
    if ranking is None or len(models) >= MOST:
        return Choices((), 0)
    better = ranking_measure(ranking.benchmark).better
    return choices(ranking.key, search, [model.slug for model in models], better)


def compared_models(models: Sequence[ModelRow], ranking: Ranking, bank: ItemBank) -> Compared:
    """The models with answers against each other; nothing for fewer than two of them."""
    standings = [model.standing for model in models if model.standing and has_answers(model.standing)]
    if len(standings) < 2:
        return NOTHING
    runs = counted_runs([pk for each in standings for pk in each.run_ids])
    with_runs = [each.model_id for each in standings if each.model_id in {run.model_id for run in runs}]
    items = compared_items(bank)
    if len(with_runs) < 2 or not items:
        return NOTHING
    scores = score_matrix(runs, {run.pk: with_runs.index(run.model_id) for run in runs}, [item.pk for item in items])
    rows = {each.standing.model_id: each for each in models if each.standing}
    sides = sides_of([rows[model_id] for model_id in with_runs], scores, ranking.key)
    newest = {run.model_id: run for run in runs}
    lines, pairs = item_lines(items, sides), tested_pairs(sides, [item.number for item in items], ranking.benchmark)
    chosen = [newest[model_id] for model_id in with_runs]
    return Compared(
        sides=sides,
        pairs=pairs,
        items=lines,
        tellings=tellings(bank, lines, sides, chosen),
        shows_texts=bank.shows_texts,
        notice=notice_of(bank),
        rescaled=answers_sum_of(bank.benchmark) is not None,
        shows_references=bank.shows_references,
        matrix=matrix_of(sides, pairs.rows),
        families=emotion_families(bank, items, sides, chosen, ranking_measure(ranking.benchmark)),
    )


def sides_of(models: Sequence[ModelRow], scores: Floats, ranking: str) -> tuple[Side, ...]:
    """The models with their item scores and with what the ranking's table says of them. One query."""
    ranked = [each for each in models if each.standing and each.standing.rank is not None]
    table = ahead_among(ranking, [each.standing.model_id for each in ranked if each.standing])
    kinds = [each.kind for each in ranked]
    leads = (
        {}
        if table is None
        else {
            kind: frozenset(behind for behind, is_ahead in zip(kinds, row, strict=True) if is_ahead)
            for kind, row in zip(kinds, table.tolist(), strict=True)
        }
    )
    return tuple(
        Side(each.kind, each.name, each.standing.score, own, leads.get(each.kind))
        for each, own in zip(models, scores, strict=True)
        if each.standing
    )


def counted_runs(run_ids: Sequence[int]) -> list[CountedRun]:
    """Those of the runs behind standings that may still count, oldest first."""
    runs = Run.objects.filter(COUNTED, pk__in=run_ids).order_by("pk")
    return [CountedRun(*row) for row in runs.values_list(*RUN_COLUMNS)]
