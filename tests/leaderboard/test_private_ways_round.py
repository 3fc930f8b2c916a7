"""Ways round to a private bank: pages of staff that name rows, lists that are filtered by address, and old wishes."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from evaluation.models import Access, FaultKind, ItemBank, Run, Status
from leaderboard.models import Note, RankingDay, Schedule, Standing, Submission
from leaderboard.pages.news.page import news_strip
from leaderboard.sharing.feeds import board
from leaderboard.submissions.moderating import approve, resumable, resume_all
from tests.factories import make_bank, make_endpoint, make_model, make_run
from tests.leaderboard.sending import no_turns_taken, offered_bank, sent
from tests.leaderboard.staff import logged_in, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SCORE = "61.43"
SENTENCE = f"Run 7 of a model scored {SCORE}; 1 earlier replicate scored 48.12 on average."


def clerk() -> Client:
    """With every right but that to view items."""
    user, _ = User.objects.get_or_create(username="all-but-items", defaults={"is_staff": True})
    user.user_permissions.set(Permission.objects.exclude(codename="view_item"))
    return logged_in(user)


def private_run() -> Run:
    bank = make_bank(60, slug="office", access=Access.PRIVATE, title="Private bank office", sha256="ab12" * 16)
    ItemBank.objects.filter(pk=bank.pk).update(version="ab12ab12", source="/srv/our-own-questions.json")
    run = make_run(bank=bank, model=make_model("maker/m"), status=Status.FINISHED, score=61.4321)
    Note.objects.create(run=run, text=SENTENCE)
    return run


def test_the_audit_log_tells_no_score_of_a_private_bank_after_its_note_was_marked_as_seen() -> None:
    note = private_run().note
    root().post(f"/admin/leaderboard/note/{note.pk}/change/", {"seen": "on"})
    note.refresh_from_db()
    assert note.seen
    assert SCORE not in clerk().get("/admin/audit/").content.decode()


@pytest.mark.parametrize(
    "lookup",
    ["loaded_at__gt=2026-01-01", "version__startswith=a", "source__contains=questions", "sha256__startswith=a"],
)
def test_what_the_page_of_a_private_bank_hides_from_staff_is_no_way_to_filter_the_list_either(lookup: str) -> None:
    private_run()
    assert clerk().get(f"/admin/evaluation/itembank/?{lookup}").status_code == 400


def test_the_list_of_banks_has_no_version_of_a_private_one_which_is_the_beginning_of_its_hash() -> None:
    private_run()
    make_bank(5, slug="scenes", version="2-shown")
    html = clerk().get("/admin/evaluation/itembank/").content.decode()
    assert "2-shown" in html
    assert "ab12ab12" not in html
    assert "ab12ab12" in root().get("/admin/evaluation/itembank/").content.decode()


COMPUTED = datetime(2026, 10, 17, 13, 45, tzinfo=UTC)


def standings_of(client: Client, ways: str = "") -> str:
    return client.get(f"/admin/leaderboard/standing/{ways}").content.decode()


def ranked_standing(access: Access) -> Standing:
    bank = make_bank(60, slug="office", access=access, title="Office bank")
    return Standing.objects.create(
        ranking=bank.slug, model=make_model("maker/m"), origin="run", score=61.0, rank=1, computed_at=COMPUTED
    )


def test_staff_without_the_right_read_the_month_alone_in_which_a_private_ranking_was_computed() -> None:
    standing = ranked_standing(Access.PRIVATE)
    pages = [standings_of(clerk()), standings_of(clerk(), f"{standing.pk}/change/")]
    for page in pages:
        assert "Oct 2026" in page
        assert "17 Oct" not in page
        assert "13:45" not in page
        assert "1:45" not in page
    assert "13:45" in standings_of(root(), f"{standing.pk}/change/")


def test_staff_without_the_right_read_the_moment_of_a_public_ranking() -> None:
    standing = ranked_standing(Access.OPEN)
    assert "13:45" in standings_of(clerk())
    assert "13:45" in standings_of(clerk(), f"{standing.pk}/change/")


def test_the_list_of_standings_is_neither_filtered_nor_ordered_by_their_moment_without_the_right() -> None:
    ranked_standing(Access.PRIVATE)
    lookup = "?computed_at__gt=2026-10-17T00:00:00Z"
    assert clerk().get(f"/admin/leaderboard/standing/{lookup}").status_code == 400
    assert root().get(f"/admin/leaderboard/standing/{lookup}").status_code == 200
    headed = re.search(
        r'<th[^>]*class="([^"]*)"[^>]*>(?:(?!</th>).)*computed', standings_of(clerk()), re.DOTALL | re.IGNORECASE
    )
    assert headed
    assert "sortable" not in headed[1]


def test_the_schedules_of_a_private_bank_are_for_those_who_may_see_its_runs() -> None:
    endpoint = make_endpoint()
    for slug, access in [("office", Access.PRIVATE), ("scenes", Access.OPEN)]:
        bank = make_bank(60, slug=slug, access=access, title=f"The {slug} bank")
        Schedule.objects.create(endpoint=endpoint, bank=bank, every_days=7, next_at=COMPUTED, trouble="too many runs")
    hidden = Schedule.objects.get(bank__slug="office")
    path = "/admin/leaderboard/schedule/"
    seen = [client.get(path).content.decode().count("too many runs") for client in (clerk(), root())]
    assert seen == [1, 2]
    assert clerk().get(f"{path}{hidden.pk}/change/").status_code == 302
    assert root().get(f"{path}{hidden.pk}/change/").status_code == 200
    assert "next_at" not in clerk().get(f"{path}{hidden.pk}/change/", follow=True).content.decode()


def test_the_feed_does_not_tell_when_a_run_on_a_private_bank_was_published() -> None:
    run = private_run()
    Run.objects.filter(pk=run.pk).update(published_changed_at=timezone.now())
    assert board().listed_changed_at is None


def test_moves_of_a_bank_that_has_become_private_are_counted_in_no_strip() -> None:
    bank = make_bank(slug="office", access=Access.OPEN)
    ItemBank.objects.update(loaded_at="2020-01-01T00:00Z")
    today = date(2026, 11, 28)
    for key in ("office", "office--eq-bench-v2-strict"):
        RankingDay.objects.create(ranking=key, day=today, mark="1", n_moved=4, content=b"")
    before = news_strip(today)
    assert before is not None
    assert before.words == "8 scores moved"
    ItemBank.objects.filter(pk=bank.pk).update(access=Access.PRIVATE)
    assert news_strip(today) is None


def pending(client: Client) -> Submission:
    no_turns_taken()
    offered_bank()
    return sent(client, contact="team@a.example")


def test_a_submission_whose_banks_are_no_longer_offered_is_not_approved_and_staff_read_why(client: Client) -> None:
    submission = pending(client)
    ItemBank.objects.update(access=Access.PRIVATE)
    chosen = {"action": "approve_them", "_selected_action": [submission.pk]}
    page = root().post("/admin/leaderboard/submission/", chosen, follow=True).content.decode()
    submission.refresh_from_db()
    assert submission.state == Submission.State.PENDING
    assert f"Submission {submission.pk} asks for scenes alone, which this board does not offer any more." in page


def test_a_submission_of_which_one_bank_is_no_longer_offered_runs_on_the_others_and_its_sender_reads_so(
    client: Client,
) -> None:
    make_bank(5, slug="other", title="Other scenes")
    no_turns_taken()
    offered_bank()
    submission = sent(client, banks=["scenes", "other"], contact="team@a.example")
    ItemBank.objects.filter(slug="other").update(access=Access.PRIVATE)
    assert approve(submission)
    assert [run.bank.slug for run in submission.runs.all()] == ["scenes"]
    page = client.get(f"/submissions/{submission.token}/").content.decode()
    assert "Left out: other, which this board does not offer any more." in page


def test_a_submitter_opens_no_run_anew_on_a_bank_that_has_become_private() -> None:
    run = private_run()
    endpoint = make_endpoint()
    failed = make_run(
        bank=run.bank, endpoint=endpoint, status=Status.FAILED, failure_kind=FaultKind.ENDPOINT, published=False
    )
    submission = Submission.objects.create(
        model=failed.model, endpoint=endpoint, state=Submission.State.APPROVED, request={"banks": ["office"]}
    )
    submission.runs.add(failed)
    assert not resumable(submission).exists()
    assert resume_all(submission) == 0
    failed.refresh_from_db()
    assert failed.status == Status.FAILED


def test_a_replicate_is_opened_though_an_earlier_one_lies_in_the_future_since_the_clock_was_put_back() -> None:
    run = make_run(endpoint=make_endpoint(), status=Status.FINISHED)
    again = make_run(endpoint=run.endpoint, bank=run.bank, parent=run, status=Status.FINISHED)
    Run.objects.filter(pk=again.pk).update(created_at=timezone.now() + timedelta(hours=2))
    page = root().post(
        "/admin/evaluation/run/", {"action": "run_again", "_selected_action": [run.pk], "confirmed": "1"}, follow=True
    )
    assert "1 run opened" in page.content.decode()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, f'{{"a": {"9" * 5_000}}}'])
def test_extra_fields_of_an_endpoint_that_cannot_be_read_are_a_fault_of_the_form(text: str) -> None:
    endpoint = make_endpoint()
    path = f"/admin/evaluation/endpoint/{endpoint.pk}/change/"
    form = {"model": endpoint.model_id, "api_model": "m", "extra_body": text, "max_concurrency": 2, "owner": ""}
    page = root().post(path, {**form, "system_prompt": ""})
    assert page.status_code == 200
    assert "cannot be read as JSON" in page.content.decode() or "longer than 4 KB" in page.content.decode()
