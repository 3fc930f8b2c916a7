"""SECEU: the bank's files, prompts and orders, scores and figures; the published values where the files are at hand."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.base import Answer, Ask, Bank, BankError, ItemScore, Message, Options, Reply
from evaluation.benchmarks.correlation import pearson
from evaluation.benchmarks.orders import order_of
from evaluation.benchmarks.seceu import SECEU, SECEU_DIRECT, SECEU_SHUFFLED
from evaluation.benchmarks.seceu.bank import human_pattern, norms_of
from evaluation.benchmarks.seceu.scoring import NULL, band, distance, eq, normalised, stars
from tests.evaluation.benchmarks.seceu_files import DIRECT, ZERO_SHOT, items_file, prompts_file, reply_of, seceu_files

FILES = ("items_en.json", "norms.json", "prompts.json")


@pytest.fixture(scope="module")
def bank() -> Bank:
    return SECEU.load(seceu_files())


@pytest.fixture(scope="module")
def published_bank(shared_data: Path) -> Bank:
    return SECEU.load({name: (shared_data / "seceu" / name).read_bytes() for name in FILES}, 40)


# Bank


def test_the_files_become_items_with_standards_and_norms(bank: Bank) -> None:
    first = bank.items[0]
    assert [item.id for item in bank.items] == ["1", "2", "3", "4"]
    assert first.labels == ("Glad", "Uneasy", "Bored", "Bold")
    assert first.reference == (2.51, 2.49, 1.5, 3.51)
    assert human_pattern(bank.items) == [2.1, 2.2, 2.3, 2.4]
    assert norms_of(bank).distance.per_cent(3.0) == 45.0


def with_item(**changed: Any) -> dict[str, Any]:
    content = items_file()
    content["items"][1] |= changed
    return {"items": content}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"norms": None}, "norms.json is missing"),
        ({"prompts": None}, "prompts.json is missing"),
        ({"items": None}, "items_en.json is missing"),
        ({"norms": {"histograms": {}}}, "norms.json: histogram of bin_edges_score is missing"),
        ({"prompts": {"strategies": {}}}, "prompts.json: direct is missing"),
        ({"prompts": prompts_file() | {"direct": {"template": "{story}"}}}, "has to hold {options} once"),
        (with_item(id=7), "item 2: items have to be numbered"),
        (with_item(story=" "), "item 2: story is missing"),
        (with_item(options=["Glad", "glad", "Bored", "Bold"]), "item 2: four distinct options"),
        (with_item(options=["Glad", "Bored", "Bold"]), "item 2: four distinct options"),
        (with_item(standard_scores=[4, 3, 2, 2]), "item 2: its standard scores are not four numbers that add up to 10"),
        (with_item(standard_scores=[4, 3, 2, "x"]), "item 2: standard_scores is not a number from 0 to 10"),
        (with_item(human_mean_distance=None), "item 2: human_mean_distance is not a number"),
    ],
)
def test_a_faulty_file_is_refused_by_its_place(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(BankError, match=words.replace("{", r"\{")):
        SECEU.load(seceu_files(**changed))


def test_a_bank_of_another_size_is_refused() -> None:
    with pytest.raises(BankError, match="40 items are expected, items_en.json holds 4".replace(".", r"\.")):
        SECEU.load(seceu_files(), 40)


def test_a_histogram_has_ascending_edges() -> None:
    norms = json.loads(seceu_files()["norms.json"])
    norms["histograms"]["score"]["bin_edges_score"] = [1.0, 3.0, 2.0, 6.0]
    with pytest.raises(BankError, match="are no histogram"):
        SECEU.load(seceu_files(norms=norms))


# Prompts and orders


def test_the_prompt_is_the_template_with_story_and_options(bank: Bank) -> None:
    ask = Ask(bank.items[0], repeat=1, attempt=1, seed=7)
    for benchmark, template in ((SECEU, ZERO_SHOT), (SECEU_DIRECT, DIRECT)):
        prompt = benchmark.prompt(ask, Options())
        (message,) = prompt.messages
        assert prompt.shown is None
        assert message.content == template.format(
            story=bank.items[0].prompt, options="(1) Glad; (2) Uneasy; (3) Bored; (4) Bold"
        )


def test_a_system_prompt_stands_before(bank: Bank) -> None:
    messages = SECEU.prompt(Ask(bank.items[0], 1, 1, 7), Options(system_prompt="Be kind.")).messages
    assert messages[0] == Message("system", "Be kind.")


def test_shuffled_options_are_mapped_back_by_the_stored_order(bank: Bank) -> None:
    seen = set()
    for seed in range(40):
        ask = Ask(bank.items[1], repeat=2, attempt=3, seed=seed)
        prompt = SECEU_SHUFFLED.prompt(ask, Options())
        order = order_of(prompt.shown, 4)
        assert order is not None
        seen.add(order)
        assert prompt == SECEU_SHUFFLED.prompt(ask, Options())
        stored = json.loads(json.dumps(prompt.shown))
        assert stored["attempt"] == 3
        shown = [bank.items[1].labels[label] for label in order]
        assert "; ".join(f"({place}) {name}" for place, name in enumerate(shown, 1)) in prompt.messages[0].content
        points = dict(zip(bank.items[1].labels, (4.0, 3.0, 2.0, 1.0), strict=True))
        for text in (
            ", ".join(f"{points[name]:g}" for name in shown),
            reply_of(shown, [points[name] for name in shown]),
        ):
            (answer,) = SECEU_SHUFFLED.read(ask, stored, Reply(text), Options()).answers
            assert answer.values == (4.0, 3.0, 2.0, 1.0)
    assert len(seen) > 15  # of 24 orders


@pytest.mark.parametrize(
    "shown", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 5], ["a", "b", "c", "d"], "0123", [True, 0, 2, 3], 4]
)
def test_what_is_no_order_is_refused(shown: Any) -> None:
    with pytest.raises(ValueError, match="each position from 0 to 3 once"):
        order_of(shown, 4)


def test_an_order_may_count_from_one() -> None:
    assert order_of([2, 1, 4, 3], 4) == order_of({"order": [1, 0, 3, 2]}, 4) == (1, 0, 3, 2)
    assert order_of(None, 4) is None


# Reading and normalising


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ((4, 3, 2, 1), (4, 3, 2, 1)),
        ((-4, -2, -2, 2), (0, 2, 2, 6)),  # published
        ((5, 3, 2, 2), (4.1667, 2.5, 1.6667, 1.6667)),  # published
        ((40, 30, 20, 10), (4, 3, 2, 1)),
        ((0.4, 0.3, 0.2, 0.1), (4, 3, 2, 1)),
        ((0, 0, 0, 5), (0, 0, 0, 10)),
        ((0, 0, 0, 0), None),
        ((-3, -3, -3, -3), None),
        ((5e-324, 0, 0, 0), (10, 0, 0, 0)),
    ],
)
def test_points_are_made_to_add_up_to_ten(written: Sequence[float], expected: Sequence[float] | None) -> None:
    found = normalised(written)
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=5e-5)


def read(bank: Bank, text: str, number: int = 0, finish_reason: str = "stop") -> tuple[Answer, bool]:
    ask = Ask(bank.items[number], 1, 1, 7)
    reading = SECEU.read(ask, None, Reply(text, finish_reason=finish_reason), Options())
    return reading.answers[0], reading.complete


def test_an_answer_is_stored_normalised(bank: Bank) -> None:
    answer, complete = read(bank, "Glad: 5\nUneasy: 3\nBored: 2\nBold: 2")
    assert complete
    assert (answer.reading, answer.reason) == ("lines", "")
    assert answer.values == pytest.approx((4.1667, 2.5, 1.6667, 1.6667), abs=5e-5)


def test_what_is_no_answer_is_asked_again(bank: Bank) -> None:
    for text, reason in (("", "no scores found"), ("0, 0, 0, 0", "all zero"), ("Glad: 3", "an option missing")):
        answer, complete = read(bank, text)
        assert not complete
        assert (answer.values, answer.reading, answer.reason) == (None, "none", reason)
        assert SECEU.score(bank.items[0], answer) == (None,)


def test_a_reply_cut_within_its_thinking_is_no_answer(bank: Bank) -> None:
    answer, _ = read(bank, "<think>Glad: 4, Uneasy: 3, Bored: 2, Bold: 1", finish_reason="length")
    assert answer.reason == "cut off in thinking"
    assert answer.flags == ("thinking",)


def test_per_cent_is_flagged(bank: Bank) -> None:
    answer, _ = read(bank, "40%, 30%, 20%, 10%")
    assert (answer.values, answer.flags, answer.reading) == ((4, 3, 2, 1), ("per cent",), "numbers")


# Scores and figures


def scores_of(bank: Bank, answer: Callable[[int], Sequence[float] | None], repeat: int = 1) -> list[ItemScore]:
    """Scores as the runner makes them, of answers that a model wrote."""
    found = []
    for number, item in enumerate(bank.items):
        values = answer(number)
        text = "" if values is None else reply_of(item.labels, values)
        (read_answer,) = SECEU.read(Ask(item, repeat, 1, 7), None, Reply(text), Options()).answers
        values_of = SECEU.score(item, read_answer)
        found.append(ItemScore(item.id, repeat, read_answer.part, read_answer.reading, values_of))
    return found


def test_a_run_of_perfect_answers_reaches_the_ceiling(bank: Bank) -> None:
    # The second item's standards add up to 10.01: an answer is made to add up to 10, the standards are not.
    summary = SECEU.summarise(scores_of(bank, lambda number: bank.items[number].reference), bank, repeats=1, variant="")
    assert summary.figures["eq"].value == pytest.approx(eq(0.0), abs=0.2)
    assert eq(0.0) == pytest.approx(150.91, abs=0.005)
    assert summary.reason == ""
    assert summary.coverage == 1.0


@pytest.mark.parametrize(("missing", "failed"), [(0, False), (2, False), (3, True), (4, True)])
def test_more_than_half_without_an_answer_has_failed(bank: Bank, missing: int, failed: bool) -> None:
    scores = scores_of(bank, lambda number: None if number < missing else (4, 3, 2, 1))
    summary = SECEU.summarise(scores, bank, repeats=1, variant="")
    assert summary.figures["nulls"].value == missing
    assert (summary.figures["eq"].value is None) == failed
    assert set(summary.figures) == {measure.key for measure in SECEU.measures}
    expected = f"FAILED: no answer to {missing} of 4, more than half" if failed else ""
    assert summary.reason == expected
    assert summary.coverage == 1 - missing / 4
    assert summary.n_scored == 4 - missing


def test_a_missing_answer_counts_as_zeros(bank: Bank) -> None:
    scores = scores_of(bank, lambda number: None if number == 0 else (4, 3, 2, 1))
    distances = [distance(NULL, bank.items[0].reference)]
    distances += [distance((4, 3, 2, 1), item.reference) for item in bank.items[1:]]
    for given in (scores, scores[1:]):  # a reply that cannot be read, and no result at all
        summary = SECEU.summarise(given, bank, repeats=1, variant="")
        assert summary.figures["distance"].value == pytest.approx(sum(distances) / 4)


def test_repeats_are_averaged_and_shown_by_themselves(bank: Bank) -> None:
    first, second = scores_of(bank, lambda _: (4, 3, 2, 1)), scores_of(bank, lambda _: (1, 2, 3, 4), repeat=2)
    alone = [
        SECEU.summarise([ItemScore(score.item_id, 1, score.part, score.reading, score.values) for score in one],
                        bank, repeats=1, variant="").figures
        for one in (first, second)
    ]  # fmt: skip
    summary = SECEU.summarise(first + second, bank, repeats=2, variant="")
    for key in ("eq", "distance", "pattern_r"):
        values = [figures[key].value for figures in alone]
        assert summary.figures[key].value == pytest.approx(sum(value or 0 for value in values) / 2), key
    assert summary.repeat_scores == pytest.approx([figures["eq"].value for figures in alone])
    assert summary.figures["distance"].n == 4


def test_equal_distances_have_no_pattern() -> None:
    assert pearson([0.1] * 40, [float(number) for number in range(40)]) is None
    assert pearson([0.1 + 0.2, 0.3] * 20, [float(number) for number in range(40)]) is None
    assert pearson([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]) == pytest.approx(1.0)


@pytest.mark.parametrize(("value", "name"), [(115.01, "expert"), (115, "normal"), (85, "normal"), (84.99, "poor")])
def test_bands_go_by_the_unrounded_eq(value: float, name: str) -> None:
    assert band(value) == name


@pytest.mark.parametrize(("r", "mark"), [(0.31, ""), (0.31201, "*"), (-0.35, "*"), (0.40265, "**"), (0.4, "*")])
def test_stars_are_of_forty_items(r: float, mark: str) -> None:
    assert stars(r, 40) == mark
    assert stars(r, 39) == ""


def test_baselines_are_the_same_for_the_same_seed(bank: Bank) -> None:
    rows = SECEU.baselines(bank, "a")
    assert [row.name for row in rows] == [
        "Always answers 2.5 each",
        "Always answers 4, 3, 2, 1",
        "Always answers 1, 2, 3, 4",
        "Random answers",
    ]
    assert list(rows) == list(SECEU.baselines(bank, "a"))
    assert rows[-1] != SECEU.baselines(bank, "b")[-1]


# Published values


def rank_points(points: Sequence[float], standards: Sequence[float]) -> list[float]:
    ranked = sorted(range(4), key=lambda label: -standards[label])
    return [points[ranked.index(label)] for label in range(4)]


WHOLE_TESTS: dict[str, tuple[Callable[[int, Sequence[float]], Sequence[float] | None], tuple[float, ...]]] = {
    "A": (lambda *_: (2.5, 2.5, 2.5, 2.5), (2.1238, 112.16, 77.4, -0.3073, 0.4)),
    "B": (lambda *_: (4, 3, 2, 1), (1.6089, 121.55, 98.3, 0.1275, 32.4)),
    "C": (lambda *_: (1, 2, 3, 4), (3.9315, 79.17, 9.7, -0.3570, 0.3)),
    "D": (lambda _, standards: rank_points((10, 0, 0, 0), standards), (7.0792, 21.73, 0.0, 0.2857, 69.0)),
    "E": (lambda _, standards: rank_points((6, 3, 1, 0), standards), (2.6830, 101.95, 49.5, 0.3010, 72.2)),
    "G": (lambda number, _: None if number == 0 else (4, 3, 2, 1), (1.7219, 119.49, 95.2, 0.1586, 39.6)),
}


@pytest.mark.parametrize("name", WHOLE_TESTS)
def test_whole_tests_give_the_figures_of_the_specification(published_bank: Bank, name: str) -> None:
    answer, expected = WHOLE_TESTS[name]
    items = published_bank.items
    scores = scores_of(published_bank, lambda number: answer(number, items[number].reference))
    figures = SECEU.summarise(scores, published_bank, repeats=1, variant="").figures
    keys = (("distance", 4), ("eq", 2), ("percent_worse", 1), ("pattern_r", 4), ("pattern_percent", 1))
    assert tuple(round(figures[key].value or 0.0, digits) for key, digits in keys) == expected


def test_the_null_vector_everywhere_is_arithmetic_alone(published_bank: Bank) -> None:
    distances = [distance(NULL, item.reference) for item in published_bank.items]
    norms, people = norms_of(published_bank), human_pattern(published_bank.items)
    mean, r = sum(distances) / 40, pearson(distances, people)
    assert r is not None
    assert (round(mean, 4), round(eq(mean), 2), round(r, 4)) == (5.4654, 51.18, -0.2825)
    assert (round(norms.distance.per_cent(mean), 1), round(norms.pattern.per_cent(r), 1)) == (0.9, 0.4)
    assert [round(value, 4) for value in distances[:3]] == [5.2778, 5.1188, 5.5068]
    failed = SECEU.summarise(scores_of(published_bank, lambda _: None), published_bank, repeats=1, variant="")
    assert failed.reason == "FAILED: no answer to 40 of 40, more than half"


def test_single_items_are_as_in_the_specification(published_bank: Bank) -> None:
    items = {item.id: item.reference for item in published_bank.items}
    assert distance((3, 3, 1, 3), items["34"]) == pytest.approx(1.2877, abs=5e-5)
    assert distance((5, 3, 2, 2), items["1"]) == pytest.approx(1.5215, abs=5e-5)
    scaled = normalised((5, 3, 2, 2))
    assert scaled is not None
    assert distance(scaled, items["1"]) == pytest.approx(0.8593, abs=5e-5)
    for values, expected in (((2.5,) * 4, [1.6897, 1.1189, 2.3076]), ((4, 3, 2, 1), [0.7583, 1.7384, 1.1684])):
        assert [round(distance(values, items[item]), 4) for item in ("1", "2", "3")] == expected


def published_runs(shared_data: Path) -> list[dict[str, Any]]:
    """The distinct completed runs of the paper's tables, which overlap."""
    results = json.loads((shared_data / "seceu/published_results.json").read_bytes())["results"]
    runs = {(run["model"], run["prompt_strategy"]): run for run in results if run["status"] == "completed"}
    return list(runs.values())


def test_the_published_eqs_follow_from_the_printed_distances(shared_data: Path) -> None:
    runs = published_runs(shared_data)
    assert len(runs) == 25
    low = [run["model"] for run in runs if round(eq(run["seceu_score"])) != run["eq"]]
    assert len(low) == 2  # as the specification says, by the rounding of the printed distance
    for run in runs:
        lowest, highest = eq(run["seceu_score"] + 0.005), eq(run["seceu_score"] - 0.005)
        assert lowest - 0.5 <= run["eq"] <= highest + 0.5, run["model"]


def test_percentages_follow_from_the_histograms(shared_data: Path, published_bank: Bank) -> None:
    norms, runs = norms_of(published_bank), published_runs(shared_data)
    eq_gaps = [abs(norms.distance.per_cent(run["seceu_score"]) - run["eq_percent"]) for run in runs]
    r_gaps = [abs(norms.pattern.per_cent(run["pattern_r"]) - run["pattern_percent"]) for run in runs]
    assert (round(sum(eq_gaps) / 25, 2), round(max(eq_gaps), 2)) == (0.35, 1.42)
    assert sum(r_gaps) / 25 == pytest.approx(0.68, abs=0.01)
    assert max(r_gaps) == pytest.approx(2.26, abs=0.015)


def test_the_chinese_bank_has_the_same_standards(shared_data: Path, published_bank: Bank) -> None:
    names = ("items_zh.json", "norms.json", "prompts.json")
    chinese = SECEU.load({name: (shared_data / "seceu" / name).read_bytes() for name in names}, 40)
    assert [item.reference for item in chinese.items] == [item.reference for item in published_bank.items]
    scores = scores_of(chinese, lambda _: (4, 3, 2, 1))
    assert round(SECEU.summarise(scores, chinese, repeats=1, variant="").figures["eq"].value or 0, 2) == 121.55


def test_baselines_of_the_published_bank(published_bank: Bank) -> None:
    rows = {row.name: row for row in SECEU.baselines(published_bank, "any")}
    eqs = {
        name: SECEU.summarise(row.scores, published_bank, repeats=25 if "Random" in name else 1, variant="").figures[
            "eq"
        ]
        for name, row in rows.items()
    }
    assert eqs["Always answers 2.5 each"].value == pytest.approx(112.16, abs=0.005)
    assert eqs["Random answers"].value == pytest.approx(75, abs=4)  # one draw of 25 repeats varies by about one
