"""What an export holds of a rater, and what it does not."""

import csv
import io
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from evaluation.importers.study_files import read_study
from leaderboard.study.answering import withdraw
from leaderboard.study.exporting import export
from leaderboard.study.models import Background, Participation, Rating, Study
from leaderboard.study.states import ParticipationState
from tests.leaderboard.study.making import make_participation, make_study, open_groups, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.database]
CLOCK = re.compile(r"\d\d:\d\d")


def files_of(study: Study) -> dict[str, str]:
    with ZipFile(io.BytesIO(export(study))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def study() -> Study:
    """Two groups with two raters each: two done, one expired, one reserved."""
    study = make_study(exclusion_rule=["attention", "fast"])
    for group in open_groups(study):
        for batch, state in ((1, ParticipationState.DONE), (2, ParticipationState.RESERVED)):
            mine = make_participation(
                group, batch=batch, state=state, completion_code="SECRET-CODE", flags=["attention", "fast"],
                attention_at=4, attention_wants=2, attention_value=1,
            )  # fmt: skip
            rate_all(mine, value=batch)
            Background.objects.create(participation=mine, age_band="25 to 34", gender="woman")
    return study


def test_only_what_was_sent_is_in_it_and_the_statistics_read_it(study: Study) -> None:
    files = files_of(study)
    ratings, raters = rows(files["ratings.csv"]), rows(files["raters.csv"])
    assert (len(ratings), len(raters)) == (20, 2)
    assert {row["value"] for row in ratings} == {"Bad"}
    assert {row["rater"] for row in ratings} == {row["rater"] for row in raters}
    assert {row["excluded_by_rule"] for row in raters} == {"true"}
    assert {row["attention_passed"] for row in raters} == {"false"}
    found = read_study("ratings.csv", files["ratings.csv"].encode())
    assert sum(cell.n for cell in found.cells["all"]) == 20


def test_the_readme_has_the_command_that_computes_the_statistics() -> None:
    """With two waves of raters, and a baseline that has another name than the command expects."""
    study = make_study(batches=1, items=2)
    study.responders.filter(key="human").update(key="people")
    for wave in (1, 2):
        for group in open_groups(study, wave=wave):
            rate_all(make_participation(group, state=ParticipationState.DONE))
    files = files_of(study)
    command = "manage.py study_statistics ratings.csv --reference people --ratings-per-reply 2\n"
    assert command in files["README.txt"]
    assert read_study("ratings.csv", files["ratings.csv"].encode(), ratings_per_reply=2).rows == 8


def test_it_leads_to_nobody(study: Study) -> None:
    whole = "".join(files_of(study).values())
    for mine in Participation.objects.all():
        assert mine.rater_hash
        assert mine.rater_hash not in whole
    assert "SECRET-CODE" not in whole
    assert "25 to 34" not in whole
    assert not CLOCK.search(whole)
    assert "Something happened on day" not in whole
    assert "I am with you in this" not in whole


def test_each_export_gives_new_codes_and_the_order_tells_nothing(study: Study) -> None:
    first, second = (rows(files_of(study)["raters.csv"]) for _ in range(2))
    assert not {row["rater"] for row in first} & {row["rater"] for row in second}
    for found in (first, second):
        assert [row["rater"] for row in found] == sorted(row["rater"] for row in found)


def test_who_withdrew_is_in_no_export(study: Study) -> None:
    gone = Participation.objects.filter(state=ParticipationState.DONE).latest("id")
    key = gone.group.responder.key
    assert withdraw(gone)
    files = files_of(study)
    assert {row["responder"] for row in rows(files["ratings.csv"])} == {"human", "gpt-4"} - {key}
    assert len(rows(files["raters.csv"])) == 1
    assert Rating.objects.filter(participation=gone).count() == 0


def test_the_command_writes_a_private_file_once(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "study.zip"
    call_command("export_study", study.slug, str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="not touched"):
        call_command("export_study", study.slug, str(file))
    with pytest.raises(CommandError, match=f"no study nowhere. Studies: {study.slug}"):
        call_command("export_study", "nowhere", str(tmp_path / "other.zip"))
