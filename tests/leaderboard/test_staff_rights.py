"""What staff may see and do: the table of docs/administration.md line by line, bearer secrets, and who did what."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from evaluation.models import Endpoint, ItemBank, KeyEvent, Run, Status
from leaderboard.models import Mail, Submission, UploadedResults
from leaderboard.submissions.moderating import approve
from tests.factories import make_model, make_run
from tests.leaderboard.sending import CANARY, no_turns_taken, offered_bank, sent
from tests.leaderboard.staff import logged_in, looker, nobody_of_note, root
from tests.leaderboard.staff_acts import ACTS, Board, board
from tests.leaderboard.study.probes import PROBES as STUDY_PROBES
from tests.leaderboard.test_every_staff_act import state
from tests.leaderboard.test_upload_results import file_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ROOT = Path(__file__).resolve().parents[2]
AUDIT = "/admin/audit/"


@pytest.fixture(autouse=True)
def _turns() -> Iterator[None]:
    no_turns_taken()
    yield
    no_turns_taken()


def table() -> dict[str, list[str]]:
    """What is done -> the rights that it wants, as docs/administration.md has them."""
    text = (ROOT / "docs/administration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", text.partition("| to do this |")[2].partition("\n\n")[0], re.MULTILINE)
    return {done: rights.split(", ") for done, rights in rows}


def with_rights(rights: list[str]) -> Client:
    user, _ = User.objects.get_or_create(username="tried", defaults={"is_staff": True})
    found = [Permission.objects.get(name=f"Can {right}") for right in rights]
    user.user_permissions.set(found)
    return logged_in(user)


Probe = Callable[[Client, Board], bool]


def does(*names: str) -> Probe:
    """Whether each of these acts of the table of acts changes something."""

    def probe(client: Client, made: Board) -> bool:
        done = [changes(client, made, name) for name in names]  # each is tried, also after one that failed
        return all(done)

    def changes(client: Client, made: Board, name: str) -> bool:
        act, before = ACTS[name], state()
        response = client.post(act.path(made), act.form(made), follow=True)
        return state() != before if act.changes else response.status_code == 200

    return probe


def shows(path: Callable[[Board], str], text: str) -> Probe:
    def probe(client: Client, made: Board) -> bool:
        response = client.get(path(made))
        return response.status_code == 200 and text in response.content.decode()

    return probe


def hidden_run(client: Client, made: Board) -> bool:
    path = f"/runs/{made.hidden.pk}/"
    ends = ("", "items/", "live/", "manifest.json", "items.csv", "items.json", "replies.jsonl")
    statuses = {client.get(f"{path}{end}").status_code for end in ends}
    on_model = f"Run {made.hidden.pk}<" in client.get(f"/models/{made.hidden.model.slug}/").content.decode()
    assert statuses in ({200}, {404})
    return statuses == {200} or on_model


def hidden_model(client: Client, made: Board) -> bool:
    return client.get(f"/models/{made.queued.model.slug}/").status_code == 200


def submission_page(client: Client, made: Board) -> bool:
    html = client.get(f"/admin/leaderboard/submission/{made.submission.pk}/change/").content.decode()
    return made.submission.token in html


def uploaded(client: Client, made: Board) -> bool:
    """A file of one's own: that of another user is not theirs to confirm."""
    before = Run.objects.count()
    client.post("/admin/import/", {"files": [file_of()]})
    own = UploadedResults.objects.filter(uploaded_by__username="tried").values_list("pk", flat=True)
    client.post("/admin/import/confirmed/", {"upload": [str(pk) for pk in [*own, made.upload.pk]]})
    return Run.objects.count() > before


def item_texts(client: Client, made: Board) -> bool:
    item = made.public.bank.items.get(number=1)
    return "Read scene 1" in client.get(f"/admin/evaluation/item/{item.pk}/change/").content.decode()


def private_run() -> Run:
    bank, _ = ItemBank.objects.get_or_create(slug="own", benchmark="eq-bench-v2", sha256="f" * 64, access="private")
    run = bank.runs.first()
    return run or make_run(bank=bank, status=Status.FINISHED, score=61.4321, limit=None)


def private_run_page(client: Client, made: Board) -> bool:
    return client.get(f"/runs/{private_run().pk}/").status_code == 200


def exact_scores(client: Client, made: Board) -> bool:
    path = f"/admin/evaluation/itembank/{private_run().bank_id}/change/"
    return "61.43 (standard error" in client.get(path).content.decode()


def of_study(probe: Callable[[Client], bool]) -> Probe:
    return lambda client, _: probe(client)


def audit_of(kind: str) -> Probe:
    return shows(lambda _: AUDIT, f">{kind}</td>")


PROBES: Mapping[str, Probe] = {
    "see the queue board": shows(lambda _: "/admin/queue/", "Nothing is stalled"),
    "see there which submissions wait for a decision": shows(lambda _: "/admin/queue/", "Awaiting review"),
    "see runs that are not listed, with their replies": hidden_run,
    "see the pages of models that have nothing listed": hidden_model,
    "see texts and references of items": item_texts,
    "see listed runs on [private banks](banks.md#private-banks)": private_run_page,
    "see exact scores of private banks": exact_scores,
    "press the buttons of a run: cancel, publish": does("address admin-act cancel", "address admin-act publish"),
    "run again": does("action evaluation.Run run_again"),
    "rescore": does("action evaluation.Run rescore"),
    "upload results": uploaded,
    "edit facts of models": does("form evaluation.LanguageModel change"),
    "merge duplicates": does("action evaluation.LanguageModel merge_duplicates"),
    "add a published figure": does("form evaluation.ReferenceScore add"),
    "correct a published figure": does("form evaluation.ReferenceScore change"),
    "delete a published figure": does("form evaluation.ReferenceScore delete"),
    "correct which model a name in a published table means": does("form evaluation.PublishedName change"),
    "look at submissions, with contacts and networks": shows(
        lambda _: "/admin/leaderboard/submission/", "team@a.example"
    ),
    "open a submission's own page": submission_page,
    "approve, reject": does("action leaderboard.Submission approve_them"),
    "flag, note": does("form leaderboard.Submission change"),
    "register a judge": does("form evaluation.Judge add"),
    "enable and disable a judge, open its runs, erase its key": does(
        "action evaluation.Judge disable", "action evaluation.Judge erase_keys"
    ),
    "add a schedule": does("form leaderboard.Schedule add"),
    "change a schedule": does("form leaderboard.Schedule change"),
    "delete a schedule": does("form leaderboard.Schedule delete"),
    "mark notes as seen": does("action leaderboard.Note mark_seen"),
    "read the audit log: keys": audit_of("key"),
    "read the audit log: what administrators did": audit_of("admin"),
    "read the audit log: submissions": audit_of("submission"),
    "read the audit log: log-ins": audit_of("login"),
    **{done: of_study(probe) for done, probe in STUDY_PROBES.items()},
    "see failed log-ins": shows(lambda _: "/admin/axes/accessattempt/", "third"),
    "lift a lock": does("action axes.AccessAttempt delete_selected"),
}


def filled_audit(made: Board) -> None:
    KeyEvent.objects.create(endpoint=made.submission.endpoint, kind=KeyEvent.Kind.SEALED)
    made.submission.events.create(text="Submitted.")
    LogEntry.objects.log_actions(User.objects.get(username="root").pk, [made.submission], 2, single_object=True)
    AccessLog.objects.create(username="root")


def test_the_table_of_rights_has_a_trial_for_each_line_and_the_other_way_round() -> None:
    assert list(table()) == list(PROBES)


@pytest.mark.parametrize("done", PROBES)
def test_it_takes_the_rights_that_the_table_names_and_each_of_them(done: str) -> None:
    made, rights = board(), table()[done]
    filled_audit(made)
    for lacking in rights:
        others = [right for right in rights if right != lacking]
        assert not PROBES[done](with_rights(others), made), f"without the right to {lacking}"
    assert PROBES[done](with_rights(rights), made)


def test_staff_without_a_right_see_what_a_visitor_sees() -> None:
    made = board()
    visitor, clerk = Client(), nobody_of_note()
    run, model = made.public, made.public.model.slug
    paths = ["/", "/status/", "/runs/", f"/runs/{run.pk}/", f"/models/{model}/", f"/models/{made.queued.model.slug}/"]
    paths += [f"/runs/{made.hidden.pk}/{end}" for end in ("", "items/", "replies.jsonl", "manifest.json")]
    for path in paths:
        seen, own = visitor.get(path), clerk.get(path)
        assert (own.status_code, own.content) == (seen.status_code, seen.content), path


@pytest.fixture
def found(client: Client) -> Submission:
    """An approved submission with a key and a queued run."""
    offered_bank()
    made = sent(client, key=CANARY, base_url="http://127.0.0.1:9/v1")
    approve(made)
    return made


def test_a_look_at_everything_shows_no_address_of_a_submission_anywhere(found: Submission) -> None:
    viewer = looker()
    make_run(model=make_model("m", slug="m"), status=Status.FINISHED)
    paths = {"/admin/"}
    for path in sorted(set(re.findall(r'href="(/admin/[a-z_]+/[a-z_]+/)"', viewer.get("/admin/").content.decode()))):
        html = viewer.get(path).content.decode()
        paths |= {path, *re.findall(rf'href="({path}[0-9]+/change/)', html)}
    paths |= {re.sub("change/$", "history/", path) for path in paths if path.endswith("change/")}
    paths |= {"/admin/queue/", AUDIT, f"/runs/{found.runs.get().pk}/", f"/models/{found.model.slug}/"}
    assert len(paths) > 20
    for path in paths:
        response = viewer.get(path)
        assert response.status_code == 200, path
        assert found.token not in response.content.decode(), path


@pytest.mark.parametrize(
    ("path", "lookup"),
    [
        ("leaderboard/submission", "token__startswith"),
        ("leaderboard/submission", "token"),
        ("leaderboard/submission", "endpoint__sealed_key__startswith"),
        ("evaluation/endpoint", "sealed_key__startswith"),
        ("evaluation/endpoint", "submissions__token__startswith"),
        ("evaluation/run", "submissions__token__startswith"),
        ("evaluation/run", "endpoint__sealed_key__gt"),
        ("evaluation/languagemodel", "submissions__token__startswith"),
        ("leaderboard/schedule", "endpoint__sealed_key__startswith"),
        ("leaderboard/note", "run__submissions__token__startswith"),
        ("evaluation/run", "failure_message__contains"),
        ("evaluation/run", "observed__contains"),
        ("evaluation/run", "manifest__contains"),
        ("evaluation/run", "results__reason__startswith"),
        ("evaluation/itemresult", "reason__startswith"),
        ("evaluation/itemresult", "flags__startswith"),
        ("evaluation/itemresult", "other_parts__contains"),
        ("evaluation/itemresult", "reply__text__contains"),
        ("evaluation/itemresult", "item__prompt__startswith"),
    ],
)
def test_no_list_can_be_searched_by_a_secret(found: Submission, path: str, lookup: str) -> None:
    assert looker().get(f"/admin/{path}/?{lookup}=a").status_code == 400


@pytest.mark.parametrize("act", ["cancel", "withdraw", "resume", "try-now", "key"])
def test_what_staff_do_on_a_submissions_page_is_written_down_as_done_by_staff(found: Submission, act: str) -> None:
    run = found.runs.get()
    if act in {"resume", "key"}:
        Run.objects.update(status=Status.FAILED, failure_kind="endpoint")
    if act == "try-now":
        Run.objects.update(status=Status.WAITING, not_before="2100-01-01T00:00Z")
    Mail.objects.all().delete()
    path = f"/submissions/{found.token}/{act}/"
    assert root().post(path, {"sure": "on", "key": "sk-other"}).status_code == 302
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_id) == ("root", str(found.pk))
    assert "by the submission's page" in entry.change_message
    assert not [event.text for event in found.events.all() if "by the submitter" in event.text]
    run.refresh_from_db()
    if act in {"cancel", "withdraw"}:
        assert run.status == Status.CANCELLED
        assert "administrator" in Mail.objects.get().text
    if act == "withdraw":
        html = Client().get(f"/submissions/{found.token}/").content.decode()
        assert "An administrator has withdrawn this submission" in html
        assert "Withdrawn by an administrator." in html
    if act == "key":
        assert "The key was replaced by an administrator." in [event.text for event in found.events.all()]


def test_what_changes_nothing_is_not_written_down(found: Submission) -> None:
    Run.objects.update(status=Status.CANCELLED)
    for act in ("cancel", "withdraw", "try-now", "resume"):
        root().post(f"/submissions/{found.token}/{act}/")
    assert not LogEntry.objects.exists()
    assert found.endpoint == Endpoint.objects.get()


def test_the_submitter_is_told_of_their_own_withdrawal_as_theirs(client: Client, found: Submission) -> None:
    client.post(f"/submissions/{found.token}/withdraw/", {"sure": "on"})
    html = client.get(f"/submissions/{found.token}/").content.decode()
    assert "You have withdrawn this submission" in html
    assert "Withdrawn by the submitter." in html
    assert not LogEntry.objects.exists()
    assert AccessAttempt.objects.count() == 0
