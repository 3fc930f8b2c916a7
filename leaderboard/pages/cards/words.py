"""The words of the cards: those that the page of a model, a run, a pair, a ranking or a visitor's result says."""

from evaluation.models import Origin, Run
from evaluation.runs.summaries import half_of_run
from leaderboard.drawings.card_words import Card, Track, along
from leaderboard.pages.compare.page import ComparePage
from leaderboard.pages.models.standing import StandingRow
from leaderboard.pages.rankings.directory import title_of_run
from leaderboard.pages.rankings.page import RankingPage
from leaderboard.pages.rankings.rows import is_private
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.pages.you.page import AXIS, Outcome
from leaderboard.plaintext import spelled
from leaderboard.rounding import count, counted, figure, number, ranks

INTERVAL = "95% confidence interval"


def model_card(name: str, slug: str, organisation: str, row: StandingRow | None) -> Card:
    """The card of a model in a ranking; `row` is None for one that stands in no ranking."""
    names = ((spelled(name), slug),)
    if row is None:
        return Card(spelled(name), "No score yet", names=names)
    items = f"{count(row.n_items)} items" if row.n_items else ""
    subject = " · ".join(part for part in (organisation, row.title, items) if part)
    about = "± about" if row.approximate else "±"
    half = f"{about} {number(row.half, 1)}" if row.half is not None and not row.is_without_error else "no interval"
    figures = [(number(row.score, row.digits), half)]
    track = None
    if row.rank is not None:
        range_text = f"{'about ' if row.approximate else ''}{row.ranks}" if row.ranks else str(row.rank)
        what = "possible ranks" if row.rank_low != row.rank_high else "rank"
        figures.append((range_text, f"{what} of {count(row.n_ranked)}"))
        track = rank_track(row)
    if row.tied is not None:
        figures.append((count(row.tied), "model tied with it" if row.tied == 1 else "models tied with it"))
    foot = f"{INTERVAL}; {row.origin}" if row.half is not None else row.origin
    return Card(spelled(name), spelled(subject), tuple(figures), track, foot, names)


def rank_track(row: StandingRow) -> Track | None:
    if row.rank is None or row.n_ranked < 2:
        return None
    low, high = (None if end is None else along(end, 1, row.n_ranked) for end in (row.rank_low, row.rank_high))
    return Track(
        at=along(row.rank, 1, row.n_ranked),
        low=low,
        high=high,
        labels=("rank 1", "", f"rank {count(row.n_ranked)}"),
        hollow=row.origin == Origin.PUBLISHED,
    )


def run_card(run: Run) -> Card:
    """The card of a public run, whose model and bank are at hand."""
    subject, name = f"Run {run.pk} · {title_of_run(run)} · {run.origin}", spelled(str(run.model))
    names = ((name, run.model.slug),)
    if run.score is None:
        return Card(name, spelled(subject), ((run.status, "no score"),), names=names)
    half = half_of_run(run)
    interval = f"± {number(half, 1)}" if half is not None else "no interval"
    score = figure(run.score, ranking_measure(run.benchmark))
    figures = [(score, interval), (count(run.n_scored), f"of {count(run.n_items)} items scored")]
    return Card(name, spelled(subject), tuple(figures), foot=INTERVAL if half is not None else "", names=names)


def pair_card(page: ComparePage) -> Card | None:
    """The card of a comparison of two models that share items; None for any other."""
    if len(page.models) != 2 or len(page.compared.pairs.rows) != 1:
        return None
    (pair,) = page.compared.pairs.rows
    track, interval, mean = None, pair.difference.interval, pair.difference.mean
    unit = ranking_measure(page.ranking.benchmark).unit if page.ranking else ""
    figures = [(number(abs(mean), 2), f"{unit} of difference" if unit else "difference of the scores")]
    if interval is not None:
        figures.append((f"{number(interval.low, 1)} to {number(interval.high, 1)}", INTERVAL))
        reach = 1.15 * max(abs(interval.low), abs(interval.high), abs(mean)) or 1.0
        low, high, at = (along(end, -reach, reach) for end in (interval.low, interval.high, mean))
        ends = (f"{number(reach, 1)} for {pair.behind.name}", "equal", f"{number(reach, 1)} for {pair.ahead.name}")
        track = Track(at, low, high, labels=(spelled(ends[0]), ends[1], spelled(ends[2])), middle_line=True)
    title = page.ranking.title if page.ranking else ""
    shared = f"{pair.text.partition('. ')[0].rstrip('.')}."  # the rest of it is in the figures
    ahead, behind = pair.ahead.name, pair.behind.name
    headline = f"{ahead} and {behind} are tied" if pair.tied else f"{ahead} is ahead of {behind}"
    names = tuple((spelled(model.name), model.slug) for model in page.models)
    return Card(spelled(headline), spelled(shared), tuple(figures), track, spelled(f"{title}; {pair.wins}"), names)


def ranking_card(page: RankingPage) -> Card:
    """The card of the first page of a ranking in its own order and without filters."""
    title = page.ranking.title if page.ranking else "EQ Leaderboard"
    shown = page.selection
    if shown is None or shown.board.leader is None:
        return Card(spelled(page.headline), spelled(title))
    board, leader, scores = shown.board, shown.board.leader, shown.overview.ranked_scores
    n_ranked = board.field.n_ranked
    subject = f"{title} · {counted(n_ranked, 'model')} ranked"
    first = next((each.row for each in shown.page.object_list if each.row.rank == leader.rank), leader)
    about = "± about" if first.approximate else "±"
    half = f"{about} {number(first.half, 1)}" if first.half is not None else "no interval"
    digits = ranking_measure(page.ranking.benchmark).digits if page.ranking else 2
    whose = "" if first.model.name in page.headline else f", {first.model.name}"
    figures = [(number(scores[0], 0 if is_private(first) else digits), f"{half}{whose}")]
    n_tied = board.found.n_beside_best
    # The headline compares all models at once, and so must the ranks beside it: those by pairs leave fewer open.
    best, worst = (1, n_tied + 1) if n_tied is not None else (first.low, first.high)
    if best and worst:
        what = "its possible ranks" if best != worst else "its rank"
        range_text = f"{'about ' if first.approximate else ''}{ranks(best, worst)}"
        figures.append((range_text, f"{what} of {count(n_ranked)}"))
    if n_tied is not None:
        figures.append((count(n_tied), "model tied with it" if n_tied == 1 else "models tied with it"))
    low, high = min(scores), max(scores)
    track = Track(
        at=along(scores[0], low, high),
        others=tuple(sorted({round(along(score, low, high), 3) for score in scores[1:]})),
        labels=(number(low, 1), "", number(high, 1)),
        hollow=first.origin == Origin.PUBLISHED,
    )
    names = ((spelled(first.model.name), first.model.slug),)
    said = tuple((number, spelled(words)) for number, words in figures)
    at_once = "; all models compared at once" if n_tied is not None else ""
    foot = f"{INTERVAL}{at_once}" if first.half is not None else ""
    return Card(spelled(page.headline), spelled(subject), said, track, foot, names)


def result_card(outcome: Outcome) -> Card:
    """The card of a visitor's result: the score and its rank, and nothing about who it was."""
    half = f"± {number(outcome.half, 1)} of 100 points" if outcome.half is not None else "of 100 points"
    figures = [(number(outcome.score, 1), half)]
    if outcome.rank:
        figures.append((str(outcome.rank.rank), f"would be my rank of {count(outcome.rank.n)}"))
        figures.append((ranks(outcome.rank.low, outcome.rank.high), "possible ranks"))

    def share(value: float) -> float:
        return along(value, *AXIS)

    half_width = outcome.half or 0.0
    track = Track(
        at=share(outcome.score),
        low=share(outcome.score - half_width),
        high=share(outcome.score + half_width),
        others=tuple(sorted({round(float(dot.x.rstrip("%")) / 100, 3) for dot in outcome.dots})),
        labels=("−10", "", "100 points"),
    )
    foot = f"Grey: {counted(outcome.n_models, 'language model')} on the same ten" if outcome.n_models else ""
    return Card(
        "I read ten dialogues. How well do you read people?", "You against the board", tuple(figures), track, foot
    )
