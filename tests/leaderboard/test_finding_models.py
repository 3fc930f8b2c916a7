"""Finding a model: by words whatever the signs between them, by a range of sizes, and without losing unknown ones."""

import json
import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

import pytest
from django.test import Client

from evaluation.models import ItemBank, LanguageModel
from leaderboard.drawings.knobs import HEIGHT, MOST_KNOBS, Crowd, Knob, KnobFigure, knob_figure, marks_of
from leaderboard.drawings.shapes import Axis, score_bar, zoomed
from leaderboard.pages.shared.naming import is_named_like
from tests.factories import make_bank
from tests.leaderboard.pages import board, finished

POINTS = Axis(0.0, 100.0)


@pytest.mark.parametrize(
    ("search", "name", "found"),
    [
        ("llama 3", "meta-llama/Meta-Llama-3-8B-Instruct", True),
        ("gpt4", "gpt-4-0314", True),
        ("qwen 7b", "Qwen/Qwen1.5-7B-Chat", True),
        ("QWEN_1.5 chat", "Qwen/Qwen1.5-7B-Chat", True),
        ("8x7b mixtral", "mistralai/Mixtral-8x7B-Instruct-v0.1", True),
        ("qwen 72b", "Qwen/Qwen1.5-7B-Chat", False),
        ("gpt-5", "gpt-4-0314", False),
        ("/", "maker/one", True),
        ("§", "maker/one", False),
        ("", "maker/one", True),
    ],
)
def test_a_search_takes_words_in_any_order_and_ignores_signs(search: str, name: str, found: bool) -> None:
    assert is_named_like((name,), search) is found


def test_words_are_not_found_across_two_names() -> None:
    assert not is_named_like(("alpha", "beta"), "phabe")
    assert is_named_like(("alpha", "beta"), "beta alpha")


@pytest.fixture
def bank(db: None) -> ItemBank:
    return make_bank(5, slug="scenes", title="Own scenes")


@pytest.fixture
def sized(bank: ItemBank) -> ItemBank:
    for name, size in (("tiny", 2.0), ("small", 9.0), ("large", 70.0), ("closed", None)):
        finished(bank, 50.0, name=f"maker/{name}", facts={"params_billion": size, "display_name": name})
    return bank


def names(client: Client, query: str) -> set[str]:
    return set(re.findall(r"<bdi>(\w+)</bdi></a>", board(client, query)))


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("/?size=-3", {"tiny"}),
        ("/?size=-10", {"tiny", "small"}),
        ("/?size=40-", {"large"}),
        ("/?size=1-13", {"tiny", "small"}),
        ("/?size=-10&unknown=1", {"tiny", "small", "closed"}),
    ],
)
def test_a_range_of_sizes_leaves_the_models_within(client: Client, sized: ItemBank, query: str, left: set[str]) -> None:
    assert names(client, query) & {"tiny", "small", "large", "closed"} == left


def found_elsewhere(client: Client, query: str) -> str:
    notice = board(client, f"/rankings/scenes/{query}").partition("No model matches</span>")[2].partition("</div>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", notice).split())


def test_a_search_that_finds_nothing_says_which_rankings_have_it(client: Client, sized: ItemBank) -> None:
    finished(make_bank(5, slug="others", title="Other scenes"), 60.0, name="maker/newest")
    assert "Found in Other scenes (1). Clear the filters" in found_elsewhere(client, "?q=newest")
    assert 'href="/rankings/others/?q=newest"' in board(client, "/rankings/scenes/?q=newest")
    assert "Found in Own scenes (1)." in found_elsewhere(client, "?q=large&size=-10"), "the filters hide it here"


def test_a_misspelled_word_is_answered_by_the_nearest_one(client: Client, sized: ItemBank) -> None:
    assert "Did you mean “large”? Found in Own scenes (1)." in found_elsewhere(client, "?q=lagre")
    assert "Did you mean" not in found_elsewhere(client, "?q=zzzz")
    assert "Did you mean" not in found_elsewhere(client, "?q=lagre+zzzz"), "no half of a search is dropped"


def test_what_is_hidden_for_want_of_a_size_is_counted_and_one_press_away(client: Client, sized: ItemBank) -> None:
    html = board(client, "/?size=-10")
    assert "1 more model may match, but its size is unknown. <a" in " ".join(html.split())
    assert 'href="?size=-10&amp;unknown=1">Show it</a>' in html
    assert "may match" not in board(client, "/?size=-10&unknown=1")
    assert "may match" not in board(client, "/")


def test_only_what_is_asked_for_and_unknown_is_named_and_each_is_counted(client: Client, sized: ItemBank) -> None:
    LanguageModel.objects.filter(display_name__in=["tiny", "small"]).update(open_weights=True)
    assert "2 more models may match, but their weights are unknown." in board(client, "/?weights=open")
    # "large" is too large whatever its weights are; "closed" lacks size and weights.
    assert "1 more model may match, but its size and weights are unknown." in board(client, "/?weights=open&size=-10")
    small = LanguageModel.objects.get(display_name="small")
    small.open_weights = None
    small.save()
    html = board(client, "/?weights=open&size=-10")
    assert "2 more models may match, but some facts are unknown: the size of 1 and the weights of 2." in html


def test_the_fields_for_a_range_lead_to_its_short_address(client: Client, sized: ItemBank) -> None:
    asked = client.get("/?apply=1&size_from=1&size_to=13&since=&until=2024-05-31")
    assert asked["Location"] == "/?size=1-13&until=2024-05-31"
    assert client.get("/?apply=1&size_from=&size_to=")["Location"] == "/"


def test_runs_are_found_up_to_a_day(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, name="early", finished_at="2024-03-01T12:00:00Z")
    finished(bank, 50.0, name="late", finished_at="2024-09-01T12:00:00Z")
    html = board(client, f"/?until={date(2024, 5, 31)}")
    assert "<bdi>early</bdi>" in html
    assert "<bdi>late</bdi></a>" not in html


def test_the_best_small_model_is_named_unless_it_leads(client: Client, sized: ItemBank) -> None:
    assert "Best ≤ 10B params" not in board(client), "all share the first rank"
    finished(sized, 80.0, name="maker/giant", facts={"params_billion": 400.0})
    assert "Best ≤ 10B params: <a" in " ".join(board(client).split())
    assert LanguageModel.objects.count() == 5


def knob(at: int, score: float) -> Knob:
    return Knob(f"model {at}", f"model-{at}", score, score - 2, score + 2, at == 0, at == 1, f"{score}")


def figure_of(knobs: Sequence[Knob], lines: Sequence[tuple[float, str]]) -> KnobFigure:
    """The figure of all these models, of which as many are drawn as there is room for."""
    lows, highs = ([getattr(knob, end) for knob in knobs] for end in ("low", "high"))
    crowd = Crowd(len(knobs), sum(knob.tied for knob in knobs), min(lows), max(highs), knobs[len(knobs) // 2].score)
    return knob_figure(knobs[:: crowd.step], crowd, lines, POINTS)


def test_a_knob_figure_draws_each_model_once_with_its_name() -> None:
    figure = figure_of([knob(0, 86.0), knob(1, 80.0), knob(2, 55.0)], [(52.0, "constant"), (10.0, "low")])
    points = json.loads(figure.points)
    assert [(name, slug) for _, _, name, slug, _ in points] == [(f"model {n}", f"model-{n}") for n in range(3)]
    assert [x for x, *_ in points] == [16.67, 50.0, 83.33]
    # The axis goes from 50 to 90: the first tenth below 53 and above 88.
    assert points[0][1] == pytest.approx(HEIGHT * (1 - 36 / 40), abs=0.05)
    assert (figure.tied_dots.count("M"), figure.dots.count("M"), figure.holes.count("M")) == (1, 2, 1)
    assert [line.name for line in figure.lines] == ["constant"], "a line below the axis is not drawn"
    assert figure.n_tied == 1


def baselines(*scores: float) -> list[tuple[float, str]]:
    return [(score, f"baseline {score:g}") for score in scores]


@pytest.mark.parametrize(
    "scores", [(38.3, 37.05, 33.43, 85.0, 96.27, 4.51), (50.0,) * 6, (0.0, 0.1), (100.0, 99.9, 99.8), (50.0,) * 40, ()]
)
def test_no_two_names_of_baselines_lie_upon_each_other(scores: tuple[float, ...]) -> None:
    whole = Knob("model", "model", 50.0, 0.5, 99.5, True, False, "50")
    figure = figure_of([whole, whole, whole], baselines(*scores))
    assert len(figure.lines) == len(scores)
    for at_right in (True, False):
        heights = [float(line.text_y) for line in figure.lines if line.at_right == at_right]
        assert all(lower - upper >= min(13.0, 130.0 / len(scores)) - 0.11 for upper, lower in pairwise(heights))
        assert all(9.9 <= height <= HEIGHT for height in heights)
    assert [float(line.y) for line in figure.lines] == sorted(float(line.y) for line in figure.lines)


def test_the_name_of_a_baseline_stays_at_its_line_where_there_is_room() -> None:
    whole = Knob("model", "model", 50.0, 0.5, 99.5, True, False, "50")
    figure = figure_of([whole, whole, whole], baselines(20.0, 50.0, 80.0, 81.0))
    assert [(line.name, bool(line.lead_y)) for line in figure.lines] == [
        ("baseline 81", True),
        ("baseline 80", True),
        ("baseline 50", False),
        ("baseline 20", False),
    ]
    assert float(figure.lines[2].text_y) == pytest.approx(float(figure.lines[2].y) - 3)
    # Knobs fall from the upper left to the lower right, so the upper right and the lower left are free.
    assert [line.at_right for line in figure.lines] == [True, True, False, False]


def test_a_large_field_is_thinned() -> None:
    figure = figure_of([knob(at, 90 - at / 20) for at in range(1000)], [])
    assert (figure.n, figure.step) == (1000, 5)
    assert len(json.loads(figure.points)) == 200 <= MOST_KNOBS


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (10.0, 90.0, (20.0, 40.0, 60.0, 80.0)),
        (50.0, 90.0, (60.0, 70.0, 80.0)),
        (0.0, 1.0, (0.2, 0.4, 0.6, 0.8)),
        (200.0, 1700.0, (500.0, 1000.0, 1500.0)),
    ],
)
def test_the_scale_is_marked_at_round_values(low: float, high: float, marks: tuple[float, ...]) -> None:
    assert marks_of(Axis(low, high)) == marks


def test_a_zoomed_bar_has_the_leaders_band_and_no_bar_from_zero() -> None:
    axis = zoomed(POINTS, [86.0, 75.0, 64.0, 20.0], 89.4)
    assert (axis.low, axis.high) == (60.0, 90.0)
    inside = score_bar(75.0, 71.0, 79.0, 38.9, axis, (83.0, 89.0))
    assert (inside.fill, inside.constant, inside.is_below) == (None, "", False)
    assert "b-lead" in inside.markup
    below = score_bar(20.0, 15.0, 25.0, None, axis, (83.0, 89.0))
    assert below.is_below
    assert "◂" in below.markup
    assert "r-span" not in below.markup
