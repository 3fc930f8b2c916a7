"""Published numbers come out: official prompts, constants, 60 official runs, real replies of small models."""

import csv
import hashlib
from pathlib import Path

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, ItemScore, Options, ReadingName, Reply
from evaluation.benchmarks.eqbench_curve import readme_penalty
from evaluation.benchmarks.eqbench_official import Span, pairs, spans
from evaluation.benchmarks.eqbench_prompt import without_revision
from tests.evaluation.benchmarks.official import (
    BANK_FILES,
    OfficialRun,
    bank,
    local_replies,
    mean_points,
    official_runs,
    read_scores,
    stored_scores,
    summary_of,
)

V2, CODE = BENCHMARKS["eq-bench-v2"], BENCHMARKS["eq-bench-v2-code"]


@pytest.mark.parametrize(("name", "n_items"), [("eq-bench-v2", 171), ("eq-bench-v1", 60), ("eq-bench-v2-de", 171)])
def test_the_official_files_load_and_their_references_score_exactly_100(
    shared_data: Path, name: str, n_items: int
) -> None:
    items, benchmark = bank(shared_data, name), BENCHMARKS[name]
    assert list(items) == [str(number) for number in range(1, n_items + 1)]
    scores = [
        ItemScore(
            item.id, 1, "first_pass", "official", (benchmark.score(item, Answer("", "official", item.reference)),)
        )
        for item in items.values()
    ]
    summary = benchmark.summarise(scores, n_items=n_items, repeats=1)
    assert (summary.score, summary.standard_error) == (100.0, 0.0)


@pytest.mark.parametrize("file", sorted(BANK_FILES.values()))
@pytest.mark.parametrize("name", sorted(BANK_FILES))
def test_a_benchmark_loads_its_own_official_file_and_no_other(shared_data: Path, name: str, file: str) -> None:
    content = (shared_data / "eqbench" / file).read_bytes()
    if BANK_FILES[name] == file:
        assert BENCHMARKS[name].load(content)
    else:
        with pytest.raises(ValueError, match="item "):
            BENCHMARKS[name].load(content)


@pytest.mark.parametrize(
    ("name", "language", "digest"),
    [
        ("eq-bench-v2", "en", "906d1f387d307055642053a846caed0671519d72249a8ae025e39237961b76aa"),
        ("eq-bench-v2-de", "de", "5beeaa2d489205c3d59a03856d6db597b8d7f6c97751bc281288813144aa3bf6"),
    ],
)
def test_the_prompts_without_revision_are_the_official_ones(
    shared_data: Path, name: str, language: str, digest: str
) -> None:
    items = bank(shared_data, name).values()
    sent = [BENCHMARKS[name].messages(item, Options())[0].content for item in items]
    assert hashlib.sha256("\0".join(sent).encode()).hexdigest() == digest
    assert sent == [without_revision(item.prompt, "de" if language == "de" else "en") for item in items]


CONSTANTS = {
    0: (2.36, 2.36),
    1: (19.64, 19.65),
    2: (32.97, 32.98),
    3: (38.86, 38.89),
    4: (36.17, 36.17),
    5: (26.84, 26.89),
    6: (15.77, 15.77),
    7: (-2.97, -2.96),
    8: (-25.12, -25.11),
    9: (-50.31, -50.29),
    10: (-78.56, -78.56),
}


@pytest.mark.parametrize(("constant", "expected"), CONSTANTS.items(), ids=map(str, CONSTANTS))
def test_one_constant_for_every_emotion_scores_as_published(
    shared_data: Path, constant: int, expected: tuple[float, float]
) -> None:
    items = bank(shared_data, "eq-bench-v2")
    answer = Answer("first_pass", "official", (float(constant),) * 4)
    by_readme = mean_points(items, lambda item: V2.score(item, answer) or 0.0)
    by_code = mean_points(items, lambda item: CODE.score(item, answer) or 0.0)
    assert (round(by_readme, 2), round(by_code, 2)) == expected


def test_uniform_random_ratings_are_expected_to_score_1_4223(shared_data: Path) -> None:
    def expected(reference: float) -> float:
        return sum(readme_penalty(abs(rating - reference)) for rating in range(11)) / 11

    items = bank(shared_data, "eq-bench-v2")
    score = mean_points(items, lambda item: 10 - 0.7477 * sum(map(expected, item.reference)))
    assert round(score, 4) == 1.4223


def test_all_60_published_scores_come_out_of_the_stored_answers_by_the_readme_rule(shared_data: Path) -> None:
    items, runs = bank(shared_data, "eq-bench-v2"), official_runs(shared_data)
    assert len(runs) == 60
    scores = {run.name: summary_of(stored_scores(V2, items, run), V2).score for run in runs}
    assert {name: round(score or 0.0, 2) for name, score in scores.items()} == {run.name: run.score for run in runs}


def test_25_of_60_come_out_by_the_code_rule_and_none_is_far_off(shared_data: Path) -> None:
    items, runs = bank(shared_data, "eq-bench-v2"), official_runs(shared_data)
    by_code = [summary_of(stored_scores(CODE, items, run), CODE).score or 0.0 for run in runs]
    assert sum(round(score, 2) == run.score for score, run in zip(by_code, runs, strict=True)) == 25
    assert round(max(abs(score - run.score) for score, run in zip(by_code, runs, strict=True)), 4) == 0.0219


def test_score_and_standard_error_of_each_run_are_the_published_ones(shared_data: Path) -> None:
    items = bank(shared_data, "eq-bench-v2")
    with (shared_data / "published/official_runs.csv").open(encoding="utf-8", newline="") as file:
        published = {row["file"]: row for row in csv.DictReader(file)}
    for run in official_runs(shared_data):
        summary = summary_of(stored_scores(V2, items, run), V2)
        row = published[run.name]
        assert f"{summary.score:.4f}" == row["recomputed_readme_rule"]
        assert f"{summary.standard_error:.4f}" == row["standard_error"]
        assert (summary.counted_parts, str(summary.n_scored)) == ((row["counted_pass"],), row["n_counted"])


def agrees(score: float | None, run: OfficialRun) -> bool:
    return score is not None and round(score, 2) == run.score


def test_52_of_60_runs_read_anew_give_the_published_score(shared_data: Path) -> None:
    items = bank(shared_data, "eq-bench-v2")
    summaries = {
        run.name: (run, summary_of(read_scores(V2, items, run.replies, revision=run.revision), V2))
        for run in official_runs(shared_data)
    }
    assert sum(agrees(summary.strict_score, run) for run, summary in summaries.values()) == 52


def with_four_zeros(run: OfficialRun, shared_data: Path) -> float | None:
    """The score of a run read anew by the official patterns, without the rule that throws four zeros away."""
    items, scores = bank(shared_data, "eq-bench-v2"), []
    for item_id, text in run.replies.items():
        item = items[item_id]
        for part, span in zip(("first_pass", "revised"), spans(text, "en", revision=run.revision), strict=False):
            found = pairs(text, span or Span(0, 0), "en")
            if found.keys() == set(item.labels):
                answer = Answer(part, "official", tuple(float(found[label][1]) for label in item.labels))
                scores.append(ItemScore(item_id, 1, part, "official", (V2.score(item, answer),)))
    return summary_of(iter(scores), V2).score


def test_59_of_60_agree_when_four_zeros_count(shared_data: Path) -> None:
    scores = [(run, with_four_zeros(run, shared_data)) for run in official_runs(shared_data)]
    off = [(run.name.split("_eqbench")[0], round(score or 0.0, 2)) for run, score in scores if not agrees(score, run)]
    assert off == [("Qwen__Qwen-7B-Chat", 49.80)]


@pytest.mark.parametrize(
    ("file", "n_strict", "readme", "code"),
    [
        ("qwen25_coder_05b_v2_raw.json", 164, 17.53, 17.57),
        ("qwen25_coder_05b_v2_raw_first_pass.json", 164, 17.62, 17.66),
        ("qwen25_coder_15b_v2_raw.json", 166, -6.28, -6.27),
    ],
)
def test_strict_scores_of_real_replies(shared_data: Path, file: str, n_strict: int, readme: float, code: float) -> None:
    items, replies = bank(shared_data, "eq-bench-v2"), local_replies(shared_data, file)
    for benchmark, expected in ((V2, readme), (CODE, code)):
        summary = summary_of(read_scores(benchmark, items, replies, revision=False), benchmark)
        assert summary.n_strict == n_strict
        assert round(summary.strict_score or 0.0, 2) == expected


def strict_counts(shared_data: Path, file: str, *, revision: bool) -> dict[str, int]:
    items, counts = bank(shared_data, "eq-bench-v2"), {"first_pass": 0, "revised": 0}
    official: ReadingName = "official"
    for item_id, text in local_replies(shared_data, file).items():
        for answer in V2.read(
            items[item_id], Reply(text), Options(switched=frozenset({"revision"} if revision else ()))
        ).answers:
            counts[answer.part] += answer.reading == official
    return counts


@pytest.mark.parametrize(
    ("file", "revision", "first_pass", "revised"),
    [
        ("smollm2_135m_v2_raw.json", False, 62, 0),
        ("gemma3_270m_v2_raw.json", False, 0, 0),
        ("qwen25_coder_05b_v2_revise_raw.json", True, 24, 47),
    ],
)
def test_real_replies_that_are_mostly_unreadable_have_no_score(
    shared_data: Path, file: str, revision: bool, first_pass: int, revised: int
) -> None:
    assert strict_counts(shared_data, file, revision=revision) == {"first_pass": first_pass, "revised": revised}
    items, replies = bank(shared_data, "eq-bench-v2"), local_replies(shared_data, file)
    summary = summary_of(read_scores(V2, items, replies, revision=revision), V2)
    assert (summary.score, summary.strict_score) == (None, None)
    assert summary.reason.startswith("not enough readable items: ")
