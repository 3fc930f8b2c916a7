"""The command that computes the statistics of a study: its tables, its JSON, and its refusals."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.statistics.emotion_labels import NEGATIVE, POSITIVE
from tests.processes import ROOT, manage
from tests.statistics.study_data import PREDECESSOR, rows_of
from tests.test_documents import commands_of

SHIPPED = str(SHIPPED_FOLDER / "empathy_study.csv")
EMOTIONS = (*POSITIVE, *NEGATIVE)


def output(*arguments: str) -> str:
    out = io.StringIO()
    call_command("study_statistics", *arguments, stdout=out)
    return out.getvalue()


def computed(*arguments: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(output(*arguments, "--json"), parse_constant=pytest.fail)
    return result


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        output(*arguments)
    return str(refused.value)


def ratings(folder: Path, *, raters: int = 60, shares: tuple[float, ...] = (0.45, 0.7, 0.5)) -> str:
    """A file of ratings by simulated people: ten items a rater, each reply once, raters with leanings of their own."""
    generator = np.random.default_rng(18)
    path = folder / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["item_id", "responder", "rater", "value", "emotion"])
        for name, share in zip(("Human", "model-a", "model-b"), shares, strict=False):
            for rater in range(raters):
                leaning = generator.beta(share * 9, (1 - share) * 9)
                for item in range(10 * rater, 10 * rater + 10):
                    value = "Good" if generator.random() < leaning else generator.choice(["Bad", "Okay"])
                    lines.writerow([f"item-{item}", name, f"{name}/{rater}", value, EMOTIONS[item % 32]])
    return str(path)


def lines_of(scope: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {line["responder"]: line for line in scope["lines"]}


def test_the_shipped_study_has_the_published_letters_figures_and_basis() -> None:
    result = computed(SHIPPED)
    assert (result["kind"], result["rows"], result["reference"]) == ("counts", 86, "human")
    scope = result["scopes"][0]
    assert [(line["responder"], line["letters"], line["basis"]) for line in scope["lines"]] == [
        ("human", ["d"], "counted"),
        ("gpt-4", ["a"], "counted"),
        ("llama-2-70b-chat", ["b"], "recovered"),
        ("mixtral-8x7b-instruct", ["b"], "recovered"),
        ("gemini-1.0-pro", ["c"], "recovered"),
    ]
    assert [round(line["gain"], 2) for line in scope["lines"][1:]] == [31.34, 23.63, 20.89, 9.63]
    against_human = [pair for pair in scope["pairs"] if pair["second"] == "human"]
    assert [round(pair["good"]["chi_square_yates"], 2) for pair in against_human] == [96.77, 54.4, 42.36, 8.85]
    assert {pair["good"]["method"] for pair in scope["pairs"]} == {"chi-square with Yates correction"}
    assert all(pair["by_rater"] is None for pair in scope["pairs"])
    assert [line["bad"] for line in scope["lines"]] == [342, 142, None, None, None], "no split is invented"
    assert (len(result["emotions"]), result["without_reference"]) == (32, [])


def test_the_shipped_study_is_that_of_the_official_files(shared_data: Path) -> None:
    with (SHIPPED_FOLDER / "empathy_study.csv").open(encoding="utf-8", newline="") as file:
        shipped = {(row["scope"], row["responder"]): row for row in csv.DictReader(file)}
    official = [*rows_of(shared_data, "results_by_responder.csv"), *rows_of(shared_data, "results_by_emotion.csv")]
    wanted = {(row.get("scope") or row["emotion"], row["responder"]): row for row in official}
    assert shipped.keys() == {key for key in wanted if key[1] != PREDECESSOR}
    for key, row in shipped.items():
        assert {name: row[name] for name in ("n", "bad", "okay", "good", "basis")} == {
            name: wanted[key][name] for name in ("n", "bad", "okay", "good", "basis")
        }


def test_the_tables_say_what_was_tested_and_how() -> None:
    said = output(SHIPPED)
    assert said.splitlines()[0] == f"{SHIPPED}: counts of 86 cells, 5 responders"
    assert (
        "gpt-4                  a        counted       1  2000  142   563  1295   64.75  62.63 to 66.81  +31.34" in said
    )
    assert "chi-square 121.10, df 4, p 3.1e-25, V 0.110" in said
    assert "gpt-4 - human                             Yates  +15.45  96.77  7.8e-23     7.8e-22  ***" in said
    assert "By rater: not available" in said
    assert "apprehensive" in said


def test_ratings_give_figures_by_rater(tmp_path: Path) -> None:
    file = ratings(tmp_path)
    result = computed(file, "--draws", "1000")
    assert (result["kind"], result["rows"], result["reference"]) == ("ratings", 1800, "Human")
    assert [scope["name"] for scope in result["scopes"]] == ["all", "positive", "negative"]
    assert [group["n_raters"] for group in result["groups"]] == [60, 60, 60]
    assert all(group["icc"] > 0 and group["design_effect"] > 1 for group in result["groups"])
    line = lines_of(result["scopes"][0])["model-a"]
    assert line["interval_method"] == "bootstrap over raters"
    assert line["points_interval"]["low"] < line["points"] < line["points_interval"]["high"]
    pair = next(
        pair for pair in result["scopes"][0]["pairs"] if pair["first"] == "model-a" and pair["second"] == "Human"
    )
    assert pair["by_rater"]["welch"]["p"] > pair["p"], "a rater counts once"
    assert pair["by_rater"]["permutation_p"] == 1 / 1001
    assert pair["three_levels"]["df"] == 2
    by_emotion = [pair for emotion in result["emotions"] for pair in emotion["against_reference"]]
    assert {pair["reason"].split(":")[0] for pair in by_emotion} == {"fewer than 30 ratings"}
    assert output(file, "--draws", "100").count(" (few)") == 3 * 32 + 1  # and once in the notes


def test_the_same_file_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    file = ratings(tmp_path)
    first, again = (output(file, "--json", "--draws", "200") for _ in range(2))
    assert first == again
    assert first != output(file, "--json", "--draws", "200", "--seed", "1")


def test_the_order_of_the_lines_changes_nothing_but_the_order(tmp_path: Path) -> None:
    file = Path(ratings(tmp_path))
    before = computed(str(file), "--draws", "200")
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([header, *reversed(lines)]), encoding="utf-8")
    after = computed(str(file), "--draws", "200")
    assert (before["scopes"], before["emotions"]) == (after["scopes"], after["emotions"])


def test_small_groups_are_preliminary(tmp_path: Path) -> None:
    file = ratings(tmp_path, raters=50)
    result = computed(file, "--draws", "100")
    assert all(group["is_preliminary"] for group in result["groups"])
    assert all(line["rank"] is None and not line["letters"] for line in result["scopes"][0]["lines"])
    said = output(file, "--draws", "100")
    assert "preliminary: fewer than 51 raters" in said
    assert "Holm, preliminary groups apart" in said


def test_another_responder_can_be_the_reference() -> None:
    result = computed(SHIPPED, "--reference", "GPT-4")
    assert result["reference"] == "gpt-4"
    assert lines_of(result["scopes"][0])["human"]["points"] == pytest.approx(-15.45)


def test_a_reference_that_is_not_in_the_file_is_refused_with_those_that_are() -> None:
    said = refusal(SHIPPED, "--reference", "people")
    assert said.startswith(
        f"{SHIPPED} has no responder people. Fix: choose one with --reference NAME, of: human, gpt-4"
    )


def test_a_scope_without_the_reference_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("scope,responder,good,n\nall,human,20,40\npositive,gpt-4,20,40\n", encoding="utf-8")
    assert refusal(str(path)) == (
        f"{path}: positive has no cell of human. Fix: add what is missing, or choose another --reference."
    )


def test_a_file_with_one_bad_line_computes_nothing_and_names_the_line(tmp_path: Path) -> None:
    file = Path(ratings(tmp_path))
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[700] = lines[700].replace("Good", "Gut").replace("Bad", "Gut").replace("Okay", "Gut")
    file.write_text("\n".join(lines), encoding="utf-8")
    out = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("study_statistics", str(file), stdout=out)
    said = str(refused.value).splitlines()
    assert said[0].startswith(f'{file}, line 701, value: "Gut" is not one of Bad, Okay, Good. Fix: ')
    assert said[1:] == ["Nothing was computed."]
    assert out.getvalue() == ""


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    assert refusal(str(path)) == f"{path} cannot be read (No such file or directory)."
    assert refusal(str(tmp_path)) == f"{tmp_path} cannot be read (Is a directory)."


def test_a_file_without_end_is_refused() -> None:
    assert "is larger than 20 MB" in refusal("/dev/zero")


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(SHIPPED).read_bytes())))
    assert computed("-")["file"] == "Standard input"


def test_options_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("item_id,responder,rater,value\n1,human,p,3\n1,human,q,1\n", encoding="utf-8")
    assert "with --coding 1-3" in refusal(str(path))
    assert "take out the line, or allow more with --ratings-per-reply" in refusal(str(path), "--coding", "1-3")
    options = (str(path), "--coding", "1-3", "--ratings-per-reply", "2")
    assert computed(*options)["scopes"][0]["lines"][0]["good"] == 1
    assert "has 1 rating in all, not 10" in refusal(*options, "--items-per-rater", "10")


@pytest.mark.parametrize("options", [("--draws", "99"), ("--draws", "1e9"), ("--seed", "-1"), ("--coding", "1-5")])
def test_an_option_out_of_range_is_refused(options: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=options[0]):
        output(SHIPPED, *options)


def test_signs_that_a_terminal_would_obey_are_spelled(tmp_path: Path) -> None:
    path = tmp_path / "hostile.csv"
    path.write_text('item_id,responder,rater,value\n1,human,,"\x1b[2J"\n', encoding="utf-8")
    assert '"[U+001B][2J" is not one of' in refusal(str(path))


def test_the_lines_of_the_document_work_as_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ratings(tmp_path, raters=20)
    (tmp_path / "evaluation").symlink_to(ROOT / "evaluation")
    monkeypatch.chdir(tmp_path)
    commands = [command.split() for command in commands_of(ROOT / "docs/study.md")]
    published, own = (output(*words[2:]) for words in commands if words[1] == "study_statistics")
    assert "gpt-4" in published
    assert json.loads(own)["rows"] == 600


@pytest.mark.processes
def test_the_command_needs_no_database() -> None:
    done = manage("study_statistics", SHIPPED, "--json", DATABASE_URL="sqlite:////nowhere/none.sqlite3")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 86


def test_a_wave_with_raters_and_one_without_are_pooled_without_figures_by_rater(tmp_path: Path) -> None:
    """As in an export of a study that has a wave of its own beside one imported without raters."""
    rows = ["item_id,responder,rater,value,wave"]
    for key, goods in (("human", 20), ("gpt-4", 30)):
        rows += [f"p{at},{key},{key}{at},{'Good' if at < goods else 'Bad'},1" for at in range(40)]
        rows += [f"q{at},{key},,{'Good' if at < goods else 'Bad'},2" for at in range(40)]
    file = tmp_path / "export.csv"
    file.write_text("\n".join(rows))
    found = computed(str(file), "--draws", "100")
    lines = found["scopes"][0]["lines"]
    assert [(line["n"], line["good"], line["interval_method"]) for line in lines] == [
        (80, 40, "Wilson"), (80, 60, "Wilson"),
    ]  # fmt: skip
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("\n".join([*rows, "z1,human,,Good,1"]))
    with pytest.raises(CommandError, match="rater: is empty, while line 2 names a rater"):
        output(str(mixed))


def test_waves_that_are_pooled_are_named_in_the_output(tmp_path: Path) -> None:
    header, *lines = Path(ratings(tmp_path, shares=(0.5, 0.6))).read_text(encoding="utf-8").splitlines()
    two, one = tmp_path / "two.csv", tmp_path / "one.csv"
    half = len(lines) // 2
    two.write_text("\n".join([f"{header},wave", *(f"{line},{1 + at // half}" for at, line in enumerate(lines))]))
    one.write_text("\n".join([f"{header},wave", *(f"{line},3" for line in lines)]))
    text = output(str(two), "--draws", "100")
    assert "The 2 waves of this file are pooled. A study on the board keeps them apart" in text
    assert computed(str(two), "--draws", "100")["pooled_waves"] == [1, 2]
    assert "are pooled" not in output(str(one), "--draws", "100")
    assert computed(str(one), "--draws", "100")["pooled_waves"] == []
