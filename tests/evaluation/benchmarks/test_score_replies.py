"""The command that scores the replies of a file: its table, its JSON, and a sentence for each thing that is wrong."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.evaluation.benchmarks.official import local_replies
from tests.factories import make_bank, scene_labels, scene_reference, scene_reply

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def written(tmp_path: Path, content: object) -> str:
    path = tmp_path / "replies.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def output(*arguments: str) -> str:
    out = io.StringIO()
    call_command("score_replies", *arguments, stdout=out)
    return out.getvalue()


def scored(*arguments: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(output(*arguments, "--json"), parse_constant=pytest.fail)
    return result


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        output(*arguments)
    return str(refused.value)


def replies(n: int = 6) -> dict[str, str]:
    return {str(number): scene_reply(number) for number in range(1, n + 1)}


def test_each_item_is_listed_with_its_reading_and_points(tmp_path: Path) -> None:
    make_bank(6)
    file = written(tmp_path, replies(5) | {"6": "**" + scene_reply(6).replace(":", ":**", 1)})
    table = output("eq-bench-v2", file)
    assert "1     first_pass  official       10.00  7 1 0 3" in table
    assert "6     first_pass  tolerant       10.00  7 1 0 3" in table
    assert "Score         100.00" in table
    assert "Read          6 of 6 items, 5 by the official parser" in table


def test_the_json_object_holds_items_and_summary_at_full_precision(tmp_path: Path) -> None:
    make_bank(6)
    off_by_one = scene_reply(2, [value + 1 for value in scene_reference(2)])
    result = scored("eq-bench-v2", written(tmp_path, replies() | {"2": off_by_one}))
    assert list(result) == ["benchmark", "items", "figures", "errors", "coverage", "reason", "detail", "summary"]
    entry = result["items"][1]
    points = entry.pop("score")
    assert points == entry.pop("strict_score") == pytest.approx(9.482950, abs=1e-6)
    assert entry.pop("values") == {"score": points}
    assert entry == {
        "id": "2",
        "answer": {label: value + 1 for label, value in zip(scene_labels(2), scene_reference(2), strict=True)},
        "reading": "official",
        "flags": [],
        "reason": "",
    }
    assert result["summary"]["score"] == pytest.approx((50 + 9.482950) / 6 * 10, abs=1e-5)
    assert result["summary"]["counted_parts"] == ["first_pass"]
    score, error = result["summary"]["score"], result["summary"]["standard_error"]
    assert result["figures"] == {"score": score, "strict_score": score}
    assert result["errors"] == {"score": error}
    assert (result["reason"], result["detail"]) == ("", None)


def test_a_reply_may_stand_beside_what_its_prompt_showed(tmp_path: Path) -> None:
    make_bank(6)
    beside = {item_id: {"reply": reply, "shown": None} for item_id, reply in replies().items()}
    assert scored("eq-bench-v2", written(tmp_path, beside)) == scored("eq-bench-v2", written(tmp_path, replies()))


def test_a_tolerant_answer_has_points_and_no_strict_ones(tmp_path: Path) -> None:
    make_bank(1)
    (entry,) = scored("eq-bench-v2", written(tmp_path, {"1": scene_reply(1).lower()}))["items"]
    assert (entry["reading"], entry["score"], entry["strict_score"]) == ("tolerant", 10.0, None)


def test_replies_may_stand_under_the_word_replies(tmp_path: Path) -> None:
    make_bank(6)
    assert scored("eq-bench-v2", written(tmp_path, {"settings": {}, "replies": replies()}))["summary"]["score"] == 100.0


def test_items_that_the_file_lacks_are_listed_as_unread(tmp_path: Path) -> None:
    make_bank(6)
    file = written(tmp_path, replies(4))
    result = scored("eq-bench-v2", file)
    assert [entry["reason"] for entry in result["items"]] == [""] * 4 + ["not in the file"] * 2
    assert result["items"][5]["score"] is None
    assert result["summary"]["score"] is None
    assert "No score: not enough readable items: 4 of 6 read, at least 5 needed." in output("eq-bench-v2", file)


def test_with_revision_both_passes_are_shown(tmp_path: Path) -> None:
    make_bank(1)
    worse = scene_reply(1, [9, 1, 0, 3])
    file = written(tmp_path, {"1": f"First pass scores:\n{worse}\n\nRevised scores:\n{scene_reply(1)}"})
    result = scored("eq-bench-v2", file, "--revision")
    parts = result["items"][0]["parts"]
    assert list(parts) == ["first_pass", "revised"]
    assert parts["revised"]["score"] == 10.0 > parts["first_pass"]["score"] == result["items"][0]["score"]
    assert (result["summary"]["score"], result["summary"]["counted_parts"]) == (100.0, ["revised"])
    assert "parts" not in scored("eq-bench-v2", file)["items"][0]
    assert [line.split()[1] for line in output("eq-bench-v2", file, "--revision").splitlines()[1:3]] == [
        "first_pass",
        "revised",
    ]


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    make_bank(2)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(replies(2)).encode())))
    assert scored("eq-bench-v2", "-")["summary"]["score"] == 100.0


def test_both_v2_scorers_take_the_same_bank(tmp_path: Path) -> None:
    make_bank(1)
    file = written(tmp_path, {"1": scene_reply(1, [2, 1, 0, 3])})
    code, readme = (scored(name, file)["summary"]["score"] for name in ("eq-bench-v2-code", "eq-bench-v2"))
    assert code - readme == pytest.approx(7.477 * (5 - 4.995411), abs=1e-5)


def test_unknown_items_are_refused_by_name(tmp_path: Path) -> None:
    make_bank(2)
    file = written(tmp_path, replies(2) | {"3": "x", "title": "y"})
    assert refusal("eq-bench-v2", file) == f"{file} holds replies to unknown items: 3, title."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the file is not valid JSON"),
        ("[]", "the file is not a JSON object"),
        ('{"1": NaN}', "it holds NaN"),
        ('{"1": "a", "1": "b"}', "1 stands in it twice"),
        ('{"replies": {}, "replies": {}}', "replies stands in it twice"),
        ('{"replies": []}', "replies is not a JSON object"),
        ('{"1": 3}', "the reply to item 1 is no text"),
        ('{"1": null}', "the reply to item 1 is no text"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_refused_with_a_sentence(tmp_path: Path, content: str, reason: str) -> None:
    make_bank(1)
    file = written(tmp_path, content)
    said = refusal("eq-bench-v2", file)
    assert said.startswith(f"{file} cannot be read: ")
    assert reason in said
    assert said.endswith(".")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    make_bank(1)
    assert "No such file" in refusal("eq-bench-v2", str(tmp_path / "none.json"))


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    make_bank(1)
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100_000_001)
    assert "the file is larger than 100 MB" in refusal("eq-bench-v2", str(path))


def test_a_bank_that_is_not_loaded_is_named_with_the_command_that_loads_it(tmp_path: Path) -> None:
    said = refusal("eq-bench-v1", written(tmp_path, {}))
    assert said.startswith("The item bank eq-bench-v1 is not loaded. Load it first: ")
    assert said.endswith(" manage.py load_bank eq-bench-v1")


def test_an_unknown_benchmark_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    assert "There is no benchmark eq-bench. Known: eq-bench-v2, " in refusal("eq-bench", written(tmp_path, {}))


def test_of_several_banks_the_one_named_like_the_benchmark_is_taken(tmp_path: Path) -> None:
    make_bank(2)
    make_bank(1, slug="eq-bench-v2")
    assert len(scored("eq-bench-v2", written(tmp_path, replies(1)))["items"]) == 1


def test_of_several_other_banks_one_must_be_chosen(tmp_path: Path) -> None:
    one, other = make_bank(1), make_bank(2)
    file = written(tmp_path, replies(1))
    said = refusal("eq-bench-v2", file)
    assert said.startswith("Several item banks fit eq-bench-v2: ")
    assert one.slug in said
    assert other.slug in said
    assert len(scored("eq-bench-v2", file, "--bank", other.slug)["items"]) == 2


def test_p31_a_bank_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    bank = make_bank(1)
    said = refusal("eq-bench-v1", written(tmp_path, replies(1)), "--bank", bank.slug)
    assert said == f"{bank.slug} is refused: eq-bench-v1 scores banks of eq-bench-v1, this one is of eq-bench-v2."


def test_a_bank_that_does_not_exist_is_refused_with_the_loaded_ones(tmp_path: Path) -> None:
    bank = make_bank(1)
    said = refusal("eq-bench-v2", written(tmp_path, replies(1)), "--bank", "nowhere")
    assert said == f"There is no item bank nowhere. Loaded: {bank.slug}."


def test_the_real_replies_of_a_small_model_get_their_published_score(shared_data: Path, tmp_path: Path) -> None:
    questions = shared_data / "eqbench/eq_bench_v2_questions_171.json"
    call_command("load_bank", "eq-bench-v2", "--from", str(questions), stdout=io.StringIO())
    file = written(tmp_path, {"replies": local_replies(shared_data, "qwen25_coder_05b_v2_raw.json")})
    summary = scored("eq-bench-v2", file)["summary"]
    assert (round(summary["strict_score"], 2), summary["n_strict"]) == (17.53, 164)


def test_a_file_without_a_score_has_its_reason(tmp_path: Path) -> None:
    make_bank(6)
    result = scored("eq-bench-v2", written(tmp_path, replies(2)))
    assert result["figures"] == {"score": None, "strict_score": None}
    assert result["reason"] == "not enough readable items: 2 of 6 read, at least 5 needed"
