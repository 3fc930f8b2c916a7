"""Files into a study: all or nothing, faults with their line, hashes alone, and the same file twice."""

import io
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.importers.study_files import Coding, StudyFileError
from leaderboard.study.counting import counts_of
from leaderboard.study.exporting import export
from leaderboard.study.importing import Report, import_file
from leaderboard.study.material import material_of
from leaderboard.study.models import AggregateCount, Group, Participation, Rating, Responder, Response, Study
from leaderboard.study.page import study_page
from leaderboard.study.result_models import StudyImport, StudyResult
from leaderboard.study.results import refresh_results, version_of
from leaderboard.study.states import GroupState, ParticipationSource, ResponderKind
from tests.leaderboard.pages import content_of
from tests.leaderboard.study.making import make_study
from tests.statistics.study_data import PREDECESSOR, rows_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HEADER = "item_id,responder,rater,value"
TABLES = (AggregateCount, Group, Participation, Rating, StudyImport, StudyResult)


@pytest.fixture
def study() -> Study:
    """Four prompts, two items a rater; emotions as in `making.EMOTIONS`."""
    return make_study(batches=2, items=2, state="draft")


def rows() -> list[int]:
    return [model._default_manager.count() for model in TABLES]


def whole(responder: str = "human", first: str = "p1", second: str = "p2") -> list[str]:
    return [
        f"item-1,{responder},{first},3",
        f"item-2,{responder},{first},2",
        f"item-3,{responder},{second},1",
        f"item-4,{responder},{second},3",
    ]


def load(study: Study, *lines: str, coding: Coding = "1-3", wave: int = 1, dry_run: bool = False) -> Report:
    return import_file(study, "r.csv", "\n".join(lines).encode(), coding=coding, wave=wave, dry_run=dry_run)


def refusal(study: Study, *lines: str, wave: int = 1) -> str:
    before = rows()
    with pytest.raises(StudyFileError) as refused:
        load(study, *lines, wave=wave)
    assert rows() == before, "nothing was written"
    return str(refused.value)


def test_ratings_become_participations_of_a_closed_group_with_hashes_alone(study: Study) -> None:
    report = load(study, f"{HEADER},seconds,created_at", *(f"{line},4.5,2026-03-01T10:00:00" for line in whole()))
    assert [(line.responder, line.ratings, line.bad, line.okay, line.good, line.raters) for line in report.lines] == [
        ("human", 4, 1, 1, 2, 2)
    ]
    group = Group.objects.get()
    assert (group.state, group.wave, group.target, group.responder.key) == (GroupState.CLOSED, 1, 2, "human")
    made = Participation.objects.all()
    assert {each.source for each in made} == {ParticipationSource.IMPORTED}
    assert all(each.rater_hash and len(each.rater_hash) == 64 for each in made)
    assert not any("p1" in repr(row) for model in TABLES for row in model._default_manager.values_list())
    assert sorted(Rating.objects.values_list("value", "seconds")) == [(1, 4.5), (2, 4.5), (3, 4.5), (3, 4.5)]


def test_a_dry_run_says_the_same_and_writes_nothing(study: Study) -> None:
    before = rows()
    tried = load(study, HEADER, *whole(), dry_run=True)
    assert rows() == before
    assert load(study, HEADER, *whole()) == tried


def test_the_same_file_twice_changes_nothing(study: Study) -> None:
    load(study, HEADER, *whole())
    before = rows()
    again = load(study, HEADER, *whole())
    assert again.was_before
    assert rows() == before


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ("r.csv, line 3, value: ", [whole()[0], "item-2,human,p1,7"]),
        ("r.csv, line 5, item_id: ", [*whole()[:3], "item-9,human,p2,3"]),
        ("r.csv, line 2, responder: ", ["item-1,gpt-9,p1,3", *whole()[1:]]),
        ("r.csv, line 6, rater: ", [*whole(), "item-1,gpt-4,p1,3", "item-2,gpt-4,p1,3"]),
        (
            "rated in line 2 already, which makes more than 1 rating a reply. Fix: take out the line.",
            [*whole(), "item-1,human,p3,3"],
        ),
        ("r.csv, line 4, rater: has 1 rating in all, not 2", whole()[:3]),
        ("r.csv, line 4, rater: is the code of line 2 but for case", [*whole(first="p1", second="P-1")]),
        ("r.csv, line 4, rater: has neither letters nor digits", [*whole(second="--")]),
    ],
)
def test_one_bad_line_writes_nothing_and_is_named(study: Study, reason: str, lines: list[str]) -> None:
    said = refusal(study, HEADER, *lines)
    assert reason in said
    assert "Fix: " in said


def test_a_rater_takes_part_in_a_study_once_and_a_wave_is_imported_once(study: Study) -> None:
    load(study, HEADER, *whole())
    assert "line 2, rater: took part in this study before" in refusal(study, HEADER, *whole("gpt-4"))
    said = refusal(study, HEADER, *whole(first="p7", second="p8"))
    assert "line 2, responder: human has a group of wave 1 already" in said
    load(study, HEADER, *whole(first="p7", second="p8"), wave=2)
    assert sorted(Group.objects.values_list("wave", flat=True)) == [1, 2]


def ratings_of_export(study: Study) -> bytes:
    with ZipFile(io.BytesIO(export(study))) as archive:
        return archive.read("ratings.csv")


def test_an_export_with_two_waves_can_be_imported_again(study: Study) -> None:
    load(study, HEADER, *whole(first="", second=""), *whole("gpt-4", "p5", "p6"))
    load(study, HEADER, *whole(first="p7", second="p8"), wave=2)
    other = make_study(batches=2, items=2, state="draft")
    report = import_file(other, "ratings.csv", ratings_of_export(study))
    assert [(line.responder, line.ratings, line.raters) for line in report.lines] == [
        ("human", 8, None), ("gpt-4", 4, 2),
    ]  # fmt: skip
    assert sorted(other.groups.values_list("responder__key", "wave")) == [("gpt-4", 1), ("human", 1), ("human", 2)]
    again, before = (version_of(counts_of(each, with_rule=False)) for each in (other, study))
    assert again == before


def test_a_file_may_name_waves_and_no_rater_takes_part_in_two(study: Study) -> None:
    header = f"{HEADER},wave"
    assert 'line 2, wave: "0" is no number of a wave' in refusal(study, header, "item-1,human,p1,3,0")
    assert 'line 2, wave: "" is no number of a wave' in refusal(study, header, "item-1,human,p1,3,")
    lines = [f"{line},{2 if 'p2' in line else 3}" for line in whole()]
    assert "line 4, rater: took part in another wave in line 2 already" in refusal(
        study, header, "item-1,human,p1,3,1", "item-2,human,p2,3,1", "item-2,human,p1,3,2"
    )
    load(study, header, *lines)
    assert sorted(Group.objects.values_list("wave", "target")) == [(2, 1), (3, 1)]


def test_ratings_without_raters_are_kept_and_count_as_ratings_of_nobody_known(study: Study) -> None:
    report = load(study, HEADER, *whole(first="", second=""))
    assert report.lines[0].raters is None
    assert Participation.objects.get().rater_hash is None


def test_the_wide_form_fills_replies_without_texts(study: Study) -> None:
    Response.objects.all().delete()
    report = load(
        study,
        "item_id,situation,rating_human,annotator_human",
        "item-1,A secret text,3,p1", "item-2,x,2,p1", "item-3,x,1,p2", "item-4,x,3,p2",
    )  # fmt: skip
    assert report.skipped == ("situation",)
    assert list(Response.objects.values_list("text", flat=True)) == [""] * 4


def test_counts_are_stored_with_their_basis_and_no_cell_twice(study: Study) -> None:
    header = "scope,responder,n,bad,okay,good,raters,basis"
    load(study, header, "all,human,100,20,30,50,60,counted", "all,gpt-4,100,,,70,,")
    found = AggregateCount.objects.order_by("pk")
    assert [(each.bad, each.good, each.n, each.n_raters, each.basis) for each in found] == [
        (20, 50, 100, 60, "counted"),
        (None, 70, 100, None, "imported"),
    ]
    assert "line 3, scope: all of gpt-4 is stored already" in refusal(
        study, header, "sad,human,100,20,30,50,60,counted", "all,gpt-4,90,,,70,,"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["positive,human,100,50", "negative,human,100,50", "all,gpt-4,200,120", "positive,gpt-4,100,60"],
        ["proud,human,100,50", "all,gpt-4,200,120"],
    ],
)
def test_counts_of_a_baseline_without_all_give_results_once_that_line_is_there(study: Study, lines: list[str]) -> None:
    header = "scope,responder,n,good"
    load(study, header, *lines)
    assert refresh_results(study) == 0
    assert Client().get("/studies/").status_code == 200, "the list is there for the other studies"
    load(study, header, "all,human,200,100")
    assert refresh_results(study) == 1
    assert "GPT-4" in content_of(Client().get(f"/studies/{study.slug}/"))


def test_the_command_imports_computes_and_says_so(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text("scope,responder,n,good\nall,human,100,50\nall,gpt-4,100,70\n", encoding="utf-8")
    out = io.StringIO()
    call_command("import_ratings", str(file), "--dry-run", stdout=out)
    assert "Dry run: 2 cells of counts would be imported" in out.getvalue()
    assert (AggregateCount.objects.count(), StudyResult.objects.count()) == (0, 0)
    call_command("import_ratings", str(file), "--study", study.slug, stdout=out)
    assert (AggregateCount.objects.count(), StudyResult.objects.count()) == (2, 1)
    call_command("import_ratings", str(file), stdout=out)
    assert "was imported into" in out.getvalue()
    assert StudyResult.objects.count() == 1


def test_the_command_refuses_in_sentences(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(f"{HEADER}\nitem-1,human,p1,Great\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"bad\.csv, line 2, value: .*\nNothing was imported"):
        call_command("import_ratings", str(file))
    with pytest.raises(CommandError, match=f"no study other. Fix: .*{study.slug}"):
        call_command("import_ratings", str(file), "--study", "other")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_ratings", str(tmp_path / "none.csv"))
    for wave in ("0", "-1", "1001"):
        with pytest.raises(CommandError, match=f"--wave: {wave} is no number of a wave"):
            call_command("import_ratings", str(file), "--study", study.slug, "--wave", wave)


def test_the_published_counts_give_the_letters_of_the_study(study: Study, shared_data: Path) -> None:
    """`results_by_responder.csv` as counts: the table of the specification's section 3, letters a, b, b, c, d."""
    study.responders.exclude(key="human").delete()
    rows = [row for row in rows_of(shared_data, "results_by_responder.csv") if row["responder"] != PREDECESSOR]
    for key in dict.fromkeys(row["responder"] for row in rows if row["responder"] != "human"):
        Responder.objects.create(study=study, key=key, label=key, kind=ResponderKind.MODEL)
    columns = ("scope", "responder", "n", "bad", "okay", "good", "basis")
    lines = [",".join(row[column] for column in columns) for row in rows]
    load(study, ",".join(columns), *lines)
    assert AggregateCount.objects.filter(basis="recovered", bad=None).count() == 9
    refresh_results(study)
    material = material_of(study)
    assert material
    page = study_page(material)
    assert [(row.label, row.letters) for row in page.rows] == [
        ("HUMAN", "d"),
        ("gpt-4", "a"),
        ("llama-2-70b-chat", "b"),
        ("mixtral-8x7b-instruct", "b"),
        ("gemini-1.0-pro", "c"),
    ]
    assert [row.gain for row in page.rows[1:]] == ["+31.3 %", "+23.6 %", "+20.9 %", "+9.6 %"]
    assert [row.test for row in page.rows[1:]] == ["96.77", "54.40", "42.36", "8.85"]
    positive, negative = study_page(material, "positive"), study_page(material, "negative")
    assert [row.letters for row in positive.rows] == ["c", "a", "a b", "b", "c"]
    assert [row.letters for row in negative.rows] == ["c", "a", "a b", "a b", "b"]
