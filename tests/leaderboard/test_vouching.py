"""Who vouches for a score: on the ranking, the pages of models and runs, in files and in the API."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from evaluation.models import ItemBank, Origin, Run, Status
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from leaderboard.standings.vouchers import voucher_of, with_voucher
from leaderboard.submissions.moderating import approve, replicate
from leaderboard.wording.vouching import LEVELS, VOUCHERS, offered, weakest
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.pages import board, finished, page, publish
from tests.leaderboard.sending import sent

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(slug="scenes", title="Own scenes")


def submitted(run: Run, **fields: Any) -> Submission:
    """A submission that brought the run."""
    endpoint = run.endpoint or make_endpoint(model=run.model, owner="198.51.100.7")
    found = Submission.objects.create(model=run.model, endpoint=endpoint, owner="198.51.100.7", **fields)
    found.runs.add(run)
    return found


def voucher(run: Run) -> str:
    """As one run and as a list of runs have it."""
    found: str = with_voucher(Run.objects.filter(pk=run.pk)).values_list("vouched_by", flat=True).get()  # type: ignore[misc]
    assert voucher_of(Run.objects.get(pk=run.pk)) == found
    return found


@pytest.mark.parametrize(
    ("origin", "level"),
    [
        (Origin.MEASURED, "staff"), (Origin.IMPORTED, "file"), (Origin.PUBLISHED, "published"), (Origin.BASELINE, ""),
        (Origin.DEMO, ""),
    ],
)  # fmt: skip
def test_a_run_that_nobody_submitted_is_vouched_for_by_where_it_comes_from(
    bank: ItemBank, origin: Origin, level: str
) -> None:
    assert voucher(finished(bank, 50.0, origin=origin)) == level


def test_a_submitted_run_is_one_of_an_unchecked_submitter_also_after_contact_and_network_are_erased(
    bank: ItemBank,
) -> None:
    run = finished(bank, 50.0)
    submitted(run)
    Run.objects.update(owner="")
    assert voucher(run) == "submitter"


def test_a_proven_domain_is_the_hosts_until_staff_record_it_as_the_makers(bank: ItemBank) -> None:
    run = finished(bank, 50.0)
    submitted(run, proven_domain="models.example")
    assert voucher(run) == "host"
    type(run.model).objects.update(maker_domain="maker.example")
    assert voucher(run) == "host"
    type(run.model).objects.update(maker_domain="models.example")
    assert voucher(run) == "maker"


def test_no_domain_at_all_is_nobodys_domain(bank: ItemBank) -> None:
    """Neither has one: that both are empty proves nothing."""
    run = finished(bank, 50.0)
    submitted(run, proven_domain="")
    assert run.model.maker_domain == ""
    assert voucher(run) == "submitter"


def test_of_two_submissions_of_a_run_the_weaker_counts(bank: ItemBank) -> None:
    run = finished(bank, 50.0)
    submitted(run, proven_domain="models.example")
    submitted(run)
    assert voucher(run) == "submitter"


def test_a_judges_run_has_the_voucher_of_the_replies_that_it_rates(bank: ItemBank) -> None:
    sent_in, from_file, asked = finished(bank, 50.0), finished(bank, 50.0, origin=Origin.IMPORTED), finished(bank, 50.0)
    submitted(sent_in)
    runs = [finished(bank, 70.0, model=subject.model, subject=subject) for subject in (sent_in, from_file, asked)]
    assert [voucher(run) for run in runs] == ["submitter", "file", "staff"]


@pytest.mark.usefixtures("bank_on_offer")
def test_a_replicate_that_staff_open_of_a_submitted_run_is_still_the_submitters(client: Client) -> None:
    submission = sent(client)
    approve(submission)
    Run.objects.update(status=Status.FINISHED, score=50.0)
    again = replicate(submission.runs.get())
    assert voucher(again) == "submitter"


def test_of_several_runs_behind_a_score_the_weakest_counts(bank: ItemBank) -> None:
    model = make_model("maker/one")
    finished(bank, 50.0, model=model)
    submitted(finished(bank, 52.0, model=model))
    refresh_standings()
    assert Standing.objects.get().vouched_by == "submitter"
    assert weakest({"staff", "maker", "host"}) == "host"
    assert weakest({""}) == weakest(set()) == ""


def four(bank: ItemBank) -> None:
    """A row of staff, of a submitter, of a file and of a source."""
    finished(bank, 80.0, name="by-staff")
    submitted(finished(bank, 70.0, name="sent-in"))
    finished(bank, 60.0, name="from-file", origin=Origin.IMPORTED)
    publish(make_model("from-paper"), "scenes", 50.0)
    finished(bank, 40.0, name="by-rule", origin=Origin.BASELINE)
    refresh_standings()


NAMES = {"staff": "by-staff", "submitter": "sent-in", "file": "from-file", "published": "from-paper"}


def test_the_ranking_has_a_column_and_a_filter_of_who_vouches(client: Client, bank: ItemBank) -> None:
    four(bank)
    html = page(client, "/rankings/scenes/?c=vouched")
    for level, name in NAMES.items():
        assert f">{VOUCHERS[level].word}</td>" in html
        own = page(client, f"/rankings/scenes/?vouched={level}")
        assert [each for each in NAMES.values() if f"/models/{each}" in own or f">{each}</bdi>" in own] == [name]
    assert ">Staff</td>" not in page(client, "/rankings/scenes/")
    assert all(f">{name}</bdi>" in page(client, "/rankings/scenes/?vouched=angels") for name in NAMES.values())
    assert 'name="vouched"' in html


def test_a_ranking_whose_rows_all_come_from_one_source_offers_no_such_filter(client: Client, bank: ItemBank) -> None:
    publish(make_model("from-paper"), "scenes", 50.0)
    assert 'name="vouched"' not in board(client, "/rankings/scenes/")
    assert offered(("published",)) == (("published", "Published"),)
    assert [level for level, _ in offered(("measured", "imported", "published", "baseline"))] == [*LEVELS]


def test_files_and_the_api_say_who_vouches(client: Client, bank: ItemBank) -> None:
    four(bank)
    rows = csv.DictReader(io.StringIO(client.get("/rankings/scenes.csv").content.decode()))
    by_name = {row["display_name"]: row["vouched_by"] for row in rows}
    assert by_name == {**{name: level for level, name in NAMES.items()}, "by-rule": ""}
    found = client.get("/api/v1/rankings/scenes").json()["results"]
    assert {row["display_name"]: row["vouched_by"] for row in found} == {**by_name, "by-rule": None}
    runs = client.get("/api/v1/runs").json()["results"]
    assert {run["model_name"]: run["vouched_by"] for run in runs} == {
        "by-staff": "staff", "sent-in": "submitter", "from-file": "file", "by-rule": None,
    }  # fmt: skip


def test_the_pages_of_run_and_model_say_who_vouches_and_lead_to_what_that_means(client: Client, bank: ItemBank) -> None:
    four(bank)
    for run in Run.objects.filter(model__name__in=NAMES.values()):
        words = VOUCHERS[voucher(run)].words
        for html in (page(client, f"/runs/{run.pk}/"), page(client, f"/models/{run.model.slug}/")):
            assert words in html
            assert "/methodology/#vouching" in html
    baseline = Run.objects.get(model__name="by-rule")
    assert "Vouched for by" not in page(client, f"/runs/{baseline.pk}/")


def test_a_run_without_a_score_says_who_vouches_too(client: Client, bank: ItemBank) -> None:
    make_run(
        bank=bank, status=Status.FAILED, failure_kind="parse", published=True, parse_share=0.2, model=make_model("mute")
    )
    finished(bank, 50.0)
    assert ">Staff</td>" in page(client, "/rankings/scenes/?c=vouched&q=mute")


def test_the_methodology_counts_the_rows_of_each_and_says_what_a_check_cannot_show(
    client: Client, bank: ItemBank
) -> None:
    four(bank)
    html = page(client, "/methodology/")
    assert "What a check cannot show" in html
    for level in NAMES:
        assert f'<th scope="row">{VOUCHERS[level].word}</th><td class="n">1</td>' in html
