"""EmotionBench: bank, prompts and orders, sums, alignment and table; the released runs where the files are at hand."""

import csv
import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.base import Answer, Ask, Bank, BankError, ItemScore, Options, Reply, Summary
from evaluation.benchmarks.emotionbench import EMOTION_BENCH, PLANS
from evaluation.benchmarks.emotionbench.bank import people_of, rows_of_people
from evaluation.benchmarks.emotionbench.prompt import messages
from evaluation.benchmarks.emotionbench.scoring import (
    Factor,
    Pair,
    Sample,
    Spread,
    alignment,
    alignment_of_changes,
    overlap,
    sample,
)
from evaluation.benchmarks.emotionbench.table import Row, change_test, paired, rows
from evaluation.benchmarks.orders import order_of
from tests.evaluation.benchmarks.emotion_files import (
    POSITIVE,
    PROMPT,
    SYSTEM,
    WORDS,
    emotion_files,
    numbered,
    people,
    prompts,
    questionnaires,
    situations,
)

FILES = ("situations_used.csv", "questionnaires.json", "prompts.json", "human_reference.csv")


@pytest.fixture(scope="module")
def bank() -> Bank:
    return EMOTION_BENCH.load(emotion_files())


@pytest.fixture(scope="module")
def published_bank(shared_data: Path) -> Bank:
    return _published_bank(shared_data)


@cache
def _published_bank(shared: Path) -> Bank:
    return EMOTION_BENCH.load({name: (shared / "emotionbench" / name).read_bytes() for name in FILES}, 176)


# Bank


def test_the_files_become_a_default_item_and_situations(bank: Bank) -> None:
    assert [item.id for item in bank.items] == ["default", *(row["used_id"] for row in situations())]
    default, first = bank.items[:2]
    assert default.labels == first.labels == WORDS
    assert (default.group, first.group) == ("", "Rain-0")
    assert default.prompt == "Prompt: " + PROMPT.replace("SCENARIO", " ")
    assert first.prompt == "Prompt: " + PROMPT.replace(
        "SCENARIO", 'Imagine this: "You stand in the Rain-0 for 1 hours."'
    )
    assert first.extra == {
        "system": SYSTEM,
        "positive": list(POSITIVE),
        "emotion": "Rain",
        "factor": "Standing in Rain-0",
    }
    assert list(people_of(bank)) == ["Rain-0", "Rain-1", "Snow-0"]
    assert rows_of_people(bank)["Overall:avg"]["n"] == 25


def without(rows_of_file: list[dict[str, str]], name: str) -> list[dict[str, str]]:
    return [row for row in rows_of_file if row.get("row") != name]


def with_first(rows_of_file: list[dict[str, str]], **changed: str) -> list[dict[str, str]]:
    return [rows_of_file[0] | changed, *rows_of_file[1:]]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"situations": None}, "situations_used.csv is missing"),
        ({"situations": []}, "situations_used.csv has no rows"),
        ({"people": None}, "human_reference.csv is missing"),
        ({"questionnaires": None}, "questionnaires.json is missing"),
        ({"questionnaires": questionnaires()[:1]}, "questionnaires.json: PANAS is missing"),
        ({"questionnaires": {"a": 1}}, "questionnaires.json is missing or no list"),
        ({"prompts": {}}, "reference_code is missing"),
        ({"prompts": {"reference_code": prompts()["reference_code"] | {"scenario_fill_evoked": "x"}}}, "to hold {situ"),
        ({"situations": with_first(situations(), text="")}, "row 1: text is missing"),
        ({"situations": with_first(situations(), factor_id="Snow-0")}, "Rain-0#0 is not of the factor Snow-0"),
        ({"situations": with_first(situations(), used_id="Fog-0#0", factor_id="Fog-0")}, "factor Fog-0 is missing"),
        ({"situations": [*situations(), situations()[0]]}, "a situation stands in it twice"),
        ({"people": without(people(), "Overall:avg")}, "the row Overall:avg is missing"),
        ({"people": with_first(people(), pos_evoked_sd="0")}, "an SD of Rain-0 is not above zero"),
        ({"people": with_first(people(), neg_change_mean="much")}, "neg_change_mean of Rain-0 is not a number"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_by_its_place(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(BankError) as refused:
        EMOTION_BENCH.load(emotion_files(**changed))
    assert words in str(refused.value)


def test_a_bank_of_another_size_is_refused() -> None:
    with pytest.raises(BankError, match="175 situations are expected"):
        EMOTION_BENCH.load(emotion_files(), 176)


# Asking


@pytest.mark.parametrize(("plan", "requests"), [("quick", 185), ("standard", 575), ("full", 1800)])
def test_plans_have_their_number_of_requests(published_bank: Bank, plan: str, requests: int) -> None:
    assert sum(EMOTION_BENCH.repeats(item, 1, plan) for item in published_bank.items) == requests


def test_each_request_shows_the_words_in_the_order_of_its_seed(bank: Bank) -> None:
    orders = set()
    for seed in range(20):
        ask = Ask(bank.items[1], repeat=1, attempt=2, seed=seed)
        prompt = EMOTION_BENCH.prompt(ask, Options())
        assert prompt == EMOTION_BENCH.prompt(ask, Options())
        shown = json.loads(json.dumps(prompt.shown))
        order = order_of(shown, 20)
        assert order is not None
        assert shown["attempt"] == 2
        orders.add(order)
        system, user = prompt.messages
        assert (system.role, system.content) == ("system", SYSTEM)
        expected = [bank.items[1].prompt, *(f"{place}. {WORDS[label]}" for place, label in enumerate(order, 1))]
        assert user.content.splitlines() == expected
        values = [1 + label % 5 for label in range(20)]
        text = " ".join(str(values[label]) for label in order)
        (answer,) = EMOTION_BENCH.read(ask, shown, Reply(text), Options()).answers
        assert answer.values == tuple(values)
    assert len(orders) == 20


def test_a_system_prompt_of_others_is_refused(bank: Bank) -> None:
    with pytest.raises(ValueError, match="takes no other"):
        EMOTION_BENCH.prompt(Ask(bank.items[0], 1, 1, 1), Options(system_prompt="Be kind."))


def test_an_unanswered_questionnaire_is_asked_again(bank: Bank) -> None:
    reading = EMOTION_BENCH.read(Ask(bank.items[0], 1, 1, 1), None, Reply("1. Sunny: 9"), Options())
    (answer,) = reading.answers
    assert (reading.complete, answer.values, answer.reason) == (False, None, "out of range")
    assert EMOTION_BENCH.score(bank.items[0], answer) == (None, None)


def test_the_prompts_are_those_of_the_authors(shared_data: Path, published_bank: Bank) -> None:
    asking = json.loads((shared_data / "emotionbench/prompts.json").read_bytes())["reference_code"]
    items = {item.id: item for item in published_bank.items}
    for item_id, key in (("default", "default"), (asking["example_evoked_used_id"], "evoked")):
        system, user = messages(items[item_id], range(20))
        assert user.content == asking[f"example_{key}_panas_canonical_order"]
        assert system.content == asking["system"]


# Scores


def test_the_two_sums(bank: Bank) -> None:
    values = tuple(5 if place in POSITIVE else 2 for place in range(20))
    (answer,) = EMOTION_BENCH.read(Ask(bank.items[0], 1, 1, 1), None, Reply(numbered(values)), Options()).answers
    assert EMOTION_BENCH.score(bank.items[0], answer) == (50.0, 20.0)


def test_overlap_of_normal_curves() -> None:
    assert [round(overlap(z), 3) for z in (0, 1, -1, 2)] == [1.0, 0.617, 0.617, 0.317]


def moods(bank: Bank, mood: Callable[[str, int], Pair | None], plan: str = "") -> list[ItemScore]:
    return [
        ItemScore(item.id, repeat, "first_pass", "lines", mood(item.id, repeat) or (None, None))
        for item in bank.items
        for repeat in range(1, EMOTION_BENCH.repeats(item, 1, plan) + 1)
    ]


def summary_of(bank: Bank, mood: Callable[[str, int], Pair | None], plan: str = "") -> Summary:
    return EMOTION_BENCH.summarise(moods(bank, mood, plan), bank, repeats=1, variant=plan)


def as_people(bank: Bank) -> Callable[[str, int], Pair | None]:
    known = people_of(bank)

    def mood(item: str, repeat: int) -> Pair:
        if item == "default":
            return (28.0, 14.0)
        positive, negative = known[item.partition("#")[0]].evoked
        return (positive.mean, negative.mean)

    return mood


def test_the_mood_of_people_aligns(bank: Bank) -> None:
    figures = summary_of(bank, as_people(bank), "quick").figures
    for key in ("level", "change", "pattern", "alignment"):
        assert figures[key].value == pytest.approx(100.0), key
    assert figures["gap"].value == pytest.approx(0.0)
    assert (figures["default_p"].value, figures["default_n"].value) == (28.0, 14.0)
    assert set(figures) == {measure.key for measure in EMOTION_BENCH.measures}


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        (lambda item, repeat: False, ""),
        (lambda item, repeat: item == "default" and repeat <= 2, ""),
        (lambda item, repeat: item == "default" and repeat <= 3,
         "70.0 % of the questionnaires without one answered, at least 80 % are needed"),
        (lambda item, repeat: item == "Snow-0#1",
         "85.7 % of the questionnaires after a situation answered, at least 90 % are needed"),
        (lambda item, repeat: item.startswith("Snow-0"), "no answered questionnaire in 1 of 3 factors"),
        (lambda item, repeat: True, "no answered questionnaire in 3 of 3 factors"),
    ],
)  # fmt: skip
def test_without_enough_answers_there_is_no_alignment(
    bank: Bank, left_out: Callable[[str, int], bool], reason: str
) -> None:
    mood = as_people(bank)
    summary = summary_of(bank, lambda item, repeat: None if left_out(item, repeat) else mood(item, repeat), "quick")
    assert summary.reason == reason
    assert (summary.figures["alignment"].value is None) == bool(reason)


def test_an_item_that_was_never_asked_counts_as_unanswered(bank: Bank) -> None:
    scores = [score for score in moods(bank, as_people(bank), "quick") if score.item_id != "Snow-0#1"]
    assert EMOTION_BENCH.summarise(scores, bank, repeats=1, variant="quick").figures["alignment"].value is None


def test_means_are_over_answered_questionnaires_alone(bank: Bank) -> None:
    mood = as_people(bank)
    summary = summary_of(
        bank, lambda item, repeat: None if (item, repeat) == ("default", 4) else mood(item, repeat), "quick"
    )
    assert summary.figures["default_p"].n == 9
    assert summary.figures["coverage_default"].value == pytest.approx(90.0)
    assert summary.figures["alignment"].value == pytest.approx(100.0)


def test_the_jackknife_leaves_out_one_situation_at_a_time(bank: Bank) -> None:
    mood = as_people(bank)

    def uneven(item: str, repeat: int) -> Pair | None:
        positive, negative = mood(item, repeat) or (0.0, 0.0)
        return (positive, negative + 3) if item in ("Snow-0#0", "Rain-1#1") else (positive, negative)

    error = summary_of(bank, uneven).figures["alignment"].error
    known, default = people_of(bank), (28.0, 14.0)
    given = {item.id: uneven(item.id, 1) or (0.0, 0.0) for item in bank.items}
    variance = 0.0
    for factor in known:
        own = [item for item in given if item.startswith(factor)]
        replicates = []
        for out in own:
            rest = {name: [given[item] for item in given if item.startswith(name) and item != out] for name in known}
            evoked = {name: (mean([p for p, _ in pairs]), mean([n for _, n in pairs])) for name, pairs in rest.items()}
            replicates.append(alignment(known, default, evoked).alignment)
        centre = mean(replicates)
        variance += (len(own) - 1) / len(own) * sum((each - centre) ** 2 for each in replicates)
    assert error == pytest.approx(variance**0.5)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# Table


def test_rows_are_factors_emotions_and_all(bank: Bank) -> None:
    summary = summary_of(
        bank, lambda item, repeat: (30.0 + repeat % 2, 15.0) if item == "default" else (20.0, 25.0), "quick"
    )
    found = rows(json.loads(json.dumps(summary.detail)))
    assert [row.name for row in found] == ["Rain-0", "Rain-1", "Snow-0", "Rain:avg", "Snow:avg", "Overall:avg"]
    assert [row.evoked[0].n for row in found] == [2, 2, 3, 4, 3, 7]
    tests = found[-1].tests
    assert [test.arrow for test in tests if test] == ["down", "up"]


def test_a_side_with_one_score_has_no_arrow() -> None:
    assert change_test(Sample(1, 30.0, None), Sample(10, 20.0, 1.0)) is None
    assert change_test(Sample(10, 30.0, 1.0), Sample(1, 20.0, None)) is None
    assert paired([1.0], [2.0]) is None


def test_a_factor_with_under_half_of_its_answers_is_marked(bank: Bank) -> None:
    mood = as_people(bank)
    summary = summary_of(bank, lambda item, repeat: None if item in ("Snow-0#0", "Snow-0#2") else mood(item, repeat))
    assert [row.name for row in rows(json.loads(json.dumps(summary.detail))) if row.few] == ["Snow-0", "Snow:avg"]


# Released runs


@cache
def released(shared: Path) -> dict[str, Summary]:
    """Model -> the summary of its released runs, from their single answers."""
    bank = _published_bank(shared)
    items = {item.id: item for item in bank.items}
    scores: dict[str, list[ItemScore]] = {}
    with (shared / "emotionbench/llm_runs_panas.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            item = items["default" if row["condition"] == "default" else f"{row['condition']}#{row['used_index']}"]
            values = tuple(float(digit) for digit in row["answers"]) or None
            answer = Answer("first_pass", "lines" if values else "none", values)
            found = EMOTION_BENCH.score(item, answer)
            assert values is None or found == (float(row["positive"]), float(row["negative"]))
            scores.setdefault(row["model"], []).append(
                ItemScore(item.id, int(row["run"]) + 1, answer.part, answer.reading, found)
            )
    return {model: EMOTION_BENCH.summarise(own, bank, repeats=1, variant="full") for model, own in scores.items()}


def table_of(shared: Path, model: str) -> dict[str, Row]:
    detail = released(shared)[model].detail
    assert isinstance(detail, dict)
    return {row.name: row for row in rows(detail)}


def csv_rows(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "emotionbench" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_printed_changes_and_arrows_come_out_of_the_released_runs(shared_data: Path) -> None:
    printed = {(row["system"], row["row"]): row for row in csv_rows(shared_data, "published_panas.csv")}
    n = changes = arrows = 0
    for model in released(shared_data):
        for name, row in table_of(shared_data, model).items():
            for affect, test in zip(("pos", "neg"), row.tests, strict=True):
                assert test is not None
                n += 1
                changes += abs(test.change - float(printed[model, name][f"{affect}_change"])) <= 0.05 + 1e-9
                arrows += test.arrow == printed[model, name][f"{affect}_arrow"]
    assert (n, changes, arrows) == (630, 604, 625)


def test_defaults_are_those_printed(shared_data: Path) -> None:
    printed = {row["system"]: row for row in csv_rows(shared_data, "published_panas.csv")}
    agree = 0
    for model, summary in released(shared_data).items():
        assert isinstance(summary.detail, dict)
        for affect, own in zip(("pos", "neg"), summary.detail["default"], strict=True):
            agree += abs(own["mean"] - float(printed[model][f"{affect}_default_mean"])) <= 0.05 + 1e-9
            agree += abs(own["sd"] - float(printed[model][f"{affect}_default_sd"])) <= 0.05 + 1e-9
    assert agree == 28


def test_every_recomputed_figure_is_that_of_the_reference_analysis(shared_data: Path) -> None:
    expected = csv_rows(shared_data, "llm_results_panas.csv")
    assert len(expected) == 315
    for row in expected:
        own = table_of(shared_data, row["model"])[row["row"]]
        assert own.evoked[0].n == int(row["n"])
        for affect, test, evoked in zip(("pos", "neg"), own.tests, own.evoked, strict=True):
            assert test is not None
            assert (test.arrow, test.test) == (row[f"{affect}_arrow"], row[f"{affect}_test"])
            assert test.change == pytest.approx(float(row[f"{affect}_change"]), abs=5.1e-5)
            assert evoked.sd == pytest.approx(float(row[f"{affect}_evoked_sd"]), abs=5.1e-5)
            assert test.t == pytest.approx(float(row[f"{affect}_t"]), rel=1e-4, abs=1e-3)
            assert test.df == pytest.approx(float(row[f"{affect}_df"]), rel=1e-3)
            assert test.p == pytest.approx(float(row[f"{affect}_p"]), rel=1e-3)


KEYS = ("level", "change", "pattern", "alignment", "gap", "gap_change")
COLUMNS = ("level", "change", "pattern", "alignment", "mean_gap_level", "mean_gap_change")
ROUNDED = 2e-4
"""Our figures rest on people's means as their file has them, with four decimals; the expected ones on all digits."""


def test_alignments_of_the_released_runs(shared_data: Path) -> None:
    expected = [row for row in csv_rows(shared_data, "alignment_scores_ours.csv") if row["source"] == "released runs"]
    assert len(expected) == 7
    for row in expected:
        figures = released(shared_data)[row["system"]].figures
        for key, column in zip(KEYS, COLUMNS, strict=True):
            assert figures[key].value == pytest.approx(float(row[column]), abs=ROUNDED), (row["system"], key)


def test_alignments_of_the_authors_board_and_of_the_exact_means_of_people(
    shared_data: Path, published_bank: Bank
) -> None:
    known = people_of(published_bank)
    board: dict[str, dict[str, dict[str, str]]] = {}
    for row in csv_rows(shared_data, "authors_leaderboard_2026.csv"):
        board.setdefault(row["model"].casefold(), {})[row["row"]] = row
    checked = 0
    for row in csv_rows(shared_data, "alignment_scores_ours.csv"):
        default = (float(row["pos_default"]), float(row["neg_default"]))
        if row["system"] == "exact human evoked means":
            overall = rows_of_people(published_bank)["Overall:avg"]
            default = _default_of(overall)
            evoked = {name: (factor.evoked[0].mean, factor.evoked[1].mean) for name, factor in known.items()}
        elif row["system"].casefold() in board and row["source"].startswith("authors"):
            own = board[row["system"].casefold()]
            evoked = {name: (float(own[name]["pos_evoked"]), float(own[name]["neg_evoked"])) for name in known}
        else:
            continue
        checked += 1
        found = alignment(known, default, evoked)
        values = (found.level, found.change, found.pattern, found.alignment, found.gap_level, found.gap_change)
        assert values == pytest.approx([float(row[column]) for column in COLUMNS], abs=ROUNDED), row["system"]
        assert found.r == pytest.approx([float(row["r_pos"]), float(row["r_neg"])], abs=1e-4)
    assert checked == 23


def _default_of(row: Any) -> Pair:
    return (row["pos"]["default_mean"], row["neg"]["default_mean"])


def test_baselines_are_those_of_the_specification(shared_data: Path, published_bank: Bank) -> None:
    expected = {row["system"]: row for row in csv_rows(shared_data, "alignment_scores_ours.csv")}
    names = {
        "People's mean mood over all situations": "human overall evoked mean for every factor",
        "Always answers 3": "answers 3 to everything",
        "People's mood before any situation, unchanged": "unchanged human default",
        "Always answers 1": "answers 1 to everything",
        "From best to worst mood after every situation": "extreme swing 50/10 to 10/50",
    }
    found = EMOTION_BENCH.baselines(published_bank, "any")
    assert [row.name for row in found] == list(names)
    for row in found:
        figures = EMOTION_BENCH.summarise(row.scores, published_bank, repeats=1, variant="").figures
        for key, column in zip(KEYS, COLUMNS, strict=True):
            assert figures[key].value == pytest.approx(float(expected[names[row.name]][column]), abs=ROUNDED), row.name


def test_one_half_of_the_people_against_the_other(shared_data: Path, published_bank: Bank) -> None:
    known = people_of(published_bank)
    groups: dict[str, list[dict[str, str]]] = {name: [] for name in known}
    for row in csv_rows(shared_data, "human_participants.csv"):
        groups[row["factor_id"]].append(row)
    found = []
    for split in range(60):
        drawn = random.Random(split)
        halves = {name: halved(drawn.sample(group, len(group))) for name, group in groups.items()}
        other = {
            name: Factor(
                tuple(Spread(value, spread.sd) for value, spread in zip(half[1][0], known[name].evoked, strict=True)),
                tuple(Spread(value, spread.sd) for value, spread in zip(half[1][1], known[name].change, strict=True)),
            )
            for name, half in halves.items()
        }
        evoked, change = ({name: half[0][part] for name, half in halves.items()} for part in (0, 1))
        found.append(alignment_of_changes(other, evoked, change))
    # Of 500 splits: 89.2, 89.2, 62.4 and 80.3; a mean of 60 varies by some tenths, that of the pattern by one.
    assert mean([each.level for each in found]) == pytest.approx(89.2, abs=0.4)
    assert mean([each.change for each in found]) == pytest.approx(89.2, abs=0.4)
    assert mean([each.pattern for each in found]) == pytest.approx(62.4, abs=2.5)
    assert mean([each.alignment for each in found]) == pytest.approx(80.3, abs=1.0)


def halved(group: Sequence[dict[str, str]]) -> tuple[tuple[Pair, Pair], tuple[Pair, Pair]]:
    """Mean mood and mean change of each half of a group."""
    middle = len(group) // 2
    return moods_of(group[:middle]), moods_of(group[middle:])


def moods_of(group: Sequence[dict[str, str]]) -> tuple[Pair, Pair]:
    evoked = [(float(row["pos_evoked"]), float(row["neg_evoked"])) for row in group]
    default = [(float(row["pos_default"]), float(row["neg_default"])) for row in group]
    moved = [(p - q, n - m) for (p, n), (q, m) in zip(evoked, default, strict=True)]
    return pair_mean(evoked), pair_mean(moved)


def pair_mean(pairs: Sequence[Pair]) -> Pair:
    return mean([p for p, _ in pairs]), mean([n for _, n in pairs])


def test_one_factor_worked_out(shared_data: Path) -> None:
    """Worked examples 2, 3, 4, 6 and 7: Welch, Student, not significant, the paper's slip, the alignment of GPT-4."""
    positive, negative = table_of(shared_data, "gpt-4")["Anger-0"].tests
    assert positive is not None
    assert negative is not None
    assert (positive.test, positive.arrow) == ("welch", "down")
    assert positive.f == pytest.approx(37.292, abs=5e-4)
    assert positive.t == pytest.approx(-35.473, abs=5e-4)
    assert positive.df == pytest.approx(51.63, abs=5e-3)
    assert positive.p == pytest.approx(6.3e-38, rel=0.01)
    assert negative.t == pytest.approx(35.988, abs=5e-4)
    assert negative.df == pytest.approx(49.0, abs=5e-3)
    assert (round(negative.change, 2), negative.arrow) == (22.98, "up")
    student = table_of(shared_data, "gpt-3.5-turbo")["Jealousy-2"].tests[1]
    assert student is not None
    assert (student.test, student.df, round(student.change, 2), student.arrow) == ("student", 68, -11.57, "down")
    assert student.p_f == pytest.approx(0.646, abs=5e-4)
    assert student.t == pytest.approx(-22.511, abs=6e-4)
    assert student.p == pytest.approx(3.1e-33, rel=0.02)
    unclear = table_of(shared_data, "gpt-3.5-turbo")["Anger-1"].tests[1]
    assert unclear is not None
    assert (unclear.arrow, round(unclear.change, 2)) == ("-", -2.14)
    assert unclear.t == pytest.approx(-1.814, abs=5e-4)
    assert unclear.df == pytest.approx(54.92, abs=5e-3)
    assert unclear.p == pytest.approx(0.075, abs=5e-4)
    guilt = table_of(shared_data, "mixtral-8x22b")["Guilt-0"].tests
    assert [round(test.change, 2) for test in guilt if test] == [-12.78, 28.64]
    assert [round(each.mean, 2) for each in table_of(shared_data, "gpt-4")["Anger-0"].evoked] == [25.26, 32.98]
    figures = released(shared_data)["gpt-4"].figures
    values = [round(figures[key].value or 0, 3) for key in ("level", "change", "pattern")]
    assert values == [76.576, 35.729, 67.067]
    assert round(figures["alignment"].value or 0, 2) == 59.79


def test_people_are_tested_in_pairs(shared_data: Path) -> None:
    """Worked example 5, and the overall figures."""
    own = csv_rows(shared_data, "human_participants.csv")
    anger = [row for row in own if row["factor_id"] == "Anger-1"]
    cases = (
        (anger, "pos", -5.571, -8.914),
        (anger, "neg", 9.057, 14.4),
        (own, "pos", -20.675, None),
        (own, "neg", 38.618, None),
    )
    for group, affect, t, moved in cases:
        before, after = ([float(row[f"{affect}_{when}"]) for row in group] for when in ("default", "evoked"))
        found = paired(before, after)
        assert found is not None
        assert found.t == pytest.approx(t, abs=5e-4)
        assert found.df == len(group) - 1
        assert moved is None or found.change == pytest.approx(moved, abs=5e-4)


def test_people_of_the_bank_are_those_of_the_sheet(shared_data: Path, published_bank: Bank) -> None:
    own = csv_rows(shared_data, "human_participants.csv")
    known = people_of(published_bank)
    assert len(known) == 36
    for name, factor in known.items():
        for place, affect in enumerate(("pos", "neg")):
            moved = [
                float(row[f"{affect}_evoked"]) - float(row[f"{affect}_default"])
                for row in own
                if row["factor_id"] == name
            ]
            found = sample(moved)
            assert (factor.change[place].mean, factor.change[place].sd) == pytest.approx(
                (found.mean, found.sd), abs=5.1e-5
            )


def test_released_runs_without_answers_are_left_out_and_counted(shared_data: Path) -> None:
    llama = released(shared_data)["llama3.1-8b"]
    assert llama.figures["coverage_evoked"].value == pytest.approx(100 * 1690 / 1750)
    assert [row.name for row in table_of(shared_data, "llama3.1-8b").values() if row.few] == ["Guilt-0"]
    assert llama.reason == ""


def test_plans_are_the_variants() -> None:
    assert EMOTION_BENCH.variants == tuple(PLANS) == ("quick", "standard", "full")
