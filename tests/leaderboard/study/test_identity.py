"""The hash of a rater's id, and where the id must not show."""

import pytest
from django.test import override_settings

from leaderboard.operations.error_reports import before_send
from leaderboard.operations.logs import clean
from leaderboard.study.identity import new_code, new_invitations, rater_hash
from leaderboard.study.models import Invitation
from tests.leaderboard.study.making import make_study

PLAIN = "5f2c9d0b7e1a4c3d8b6a9e0f"


@pytest.mark.django_db
@pytest.mark.database
def test_the_same_id_gives_the_same_hash_in_a_study_and_another_one_elsewhere() -> None:
    study, other = make_study(), make_study()
    first = rater_hash(study, PLAIN)
    assert first == rater_hash(study, f"  {PLAIN.upper()}\n")
    assert len(first) == 64
    assert PLAIN not in first
    assert first != rater_hash(other, PLAIN)
    with override_settings(STUDY_ID_KEY="another"):
        assert first != rater_hash(study, PLAIN)


@pytest.mark.django_db
@pytest.mark.database
@pytest.mark.parametrize("text", ["", "   ", "---", "\x00", "a" * 101, "{{%PROLIFIC_PID%}}"])
def test_what_can_be_no_id_gives_none(text: str) -> None:
    assert rater_hash(make_study(), text) == ""


@pytest.mark.django_db
@pytest.mark.database
def test_invitations_are_stored_as_hashes_alone() -> None:
    study = make_study()
    codes = new_invitations(study, 50)
    assert len(set(codes)) == 50
    stored = set(Invitation.objects.values_list("rater_hash", flat=True))
    assert stored == {rater_hash(study, code.lower().replace("-", "")) for code in codes}


def test_a_code_has_no_signs_that_look_alike() -> None:
    assert not set("01OILl") & set("".join(new_code(12) for _ in range(200)))


@pytest.mark.parametrize(
    "line",
    [
        f'"GET /rate/short/?PROLIFIC_PID={PLAIN}&STUDY_ID=1 HTTP/1.1" 302',
        f"Not Found: /rate/short/?code={PLAIN}",
        f"https://board.example/rate/short/?x=1&code={PLAIN}",
    ],
)
def test_a_log_line_holds_no_id(line: str) -> None:
    assert PLAIN not in clean(line)
    assert "/rate/short/?[removed]" in clean(line)
    assert clean(clean(line)) == clean(line)


def test_an_error_report_holds_no_id() -> None:
    event = {"request": {"url": "https://b.example/rate/short/", "query_string": f"PROLIFIC_PID={PLAIN}"}}
    assert PLAIN not in str(before_send(event, {}))  # type: ignore[arg-type]
    other = {"request": {"url": "https://b.example/rankings/", "query_string": "sort=-mmlu"}}
    assert "sort=-mmlu" in str(before_send(other, {}))  # type: ignore[arg-type]
