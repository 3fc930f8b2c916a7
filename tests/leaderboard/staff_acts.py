"""Every act of staff that changes something, as a table, on a board that has a row for each.

`test_every_staff_act.py` checks the table against what is registered: a new action, form or address wants a row here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.utils import timezone

from evaluation.keys.endpoint_keys import store_key
from evaluation.models import FaultKind, ItemBank, Judge, LanguageModel, PublishedName, Run, Status
from leaderboard.models import HumanSet, Note, Report, Schedule, Submission, UploadedResults
from leaderboard.standings import refresh_standings
from tests.evaluation.judged import gathered, make_judge
from tests.factories import make_bank, make_endpoint, make_model, make_result, make_run, scene_reply
from tests.leaderboard.pages import publish
from tests.leaderboard.staff import root
from tests.leaderboard.test_upload_results import file_of, look

Form = Mapping[str, Any]


@dataclass(frozen=True)
class Board:
    """One row for each act. `rows` holds by label what a form is opened for."""

    bank: ItemBank
    hidden: Run
    public: Run
    queued: Run
    waiting: Run
    failed: Run
    older: Run
    double: LanguageModel
    submission: Submission
    upload: UploadedResults
    disabled: Judge
    dropped: HumanSet
    rows: Mapping[str, Model] = field(default_factory=dict)


def board() -> Board:
    bank = make_bank(6, slug="eq-bench-v2", benchmark="eq-bench-v2", title="EQ-Bench v2")
    look(root(), file_of())
    hidden, public = (of(bank, Status.FINISHED, score=s, published=s > 60) for s in (60.0, 61.0))
    model, older = make_model("maker/model", slug="maker-model"), of(bank, Status.FINISHED, score=55.0, n_scored=6)
    Run.objects.filter(pk=older.pk).update(scorer_version="older")
    for number in range(1, 7):
        make_result(older, str(number), reply=scene_reply(number))
    endpoint = make_endpoint(model=make_model())
    asked = {
        "banks": [bank.slug],
        "repeats": 1,
        "max_tokens": 60,
        "concurrency": 2,
        "system_prompt": "",
        "extra_body": {},
    }
    submission = Submission.objects.create(
        model=endpoint.model, endpoint=endpoint, owner="team@a.example", request=asked
    )
    gathered()
    judge = make_judge("Second judge")
    store_key(judge.endpoint, "sk-of-a-judge")
    disabled = make_judge("Disabled judge")
    Judge.objects.filter(pk=disabled.pk).update(enabled=False)
    refresh_standings()
    return Board(
        bank=bank,
        hidden=hidden,
        public=public,
        queued=of(bank, Status.QUEUED),
        waiting=of(bank, Status.WAITING, not_before=timezone.now() + timedelta(hours=1)),
        failed=of(bank, Status.FAILED, failure_kind=FaultKind.PLATFORM),
        older=older,
        double=make_model("Maker/Model", slug="maker-model-2"),
        submission=submission,
        upload=UploadedResults.objects.get(),
        disabled=disabled,
        dropped=given_set(bank, dropped=True),
        rows={
            "auth.Group": Group.objects.create(name="moderators"),
            "auth.User": User.objects.create_user("third"),
            "axes.AccessAttempt": AccessAttempt.objects.create(username="third", failures_since_start=5),
            "evaluation.Endpoint": endpoint,
            "evaluation.Judge": judge,
            "evaluation.LanguageModel": model,
            "evaluation.PublishedName": PublishedName.objects.create(
                table="eq-bench-3", name="Model", model=make_model()
            ),
            "evaluation.ReferenceScore": publish(make_model(), "mmlu", 60.0),
            "evaluation.Run": hidden,
            "leaderboard.HumanSet": given_set(bank),
            "leaderboard.Report": Report.objects.create(kind="mistake", run=public, text="This is wrong."),
            "leaderboard.Note": Note.objects.create(run=public, text="It departs."),
            "leaderboard.Schedule": Schedule.objects.create(endpoint=endpoint, bank=bank),
            "leaderboard.Submission": submission,
        },
    )


def given_set(bank: ItemBank, **fields: Any) -> HumanSet:
    """A set of answers that a visitor gave."""
    return HumanSet.objects.create(bank=bank, answers=[], consent_version=1, day=timezone.now().date(), **fields)


def of(bank: ItemBank, status: Status, **fields: Any) -> Run:
    return make_run(
        bank=bank, endpoint=make_endpoint(model=make_model()), status=status, **{"published": False, **fields}
    )


@dataclass(frozen=True)
class Act:
    """A POST: where it goes and what it sends. One that `changes` nothing asks or shows first."""

    path: Callable[[Board], str]
    form: Callable[[Board], Form]
    changes: bool = True


def list_of(label: str) -> str:
    return f"/admin/{label.lower().replace('.', '/')}/"


def action(label: str, name: str, *rows: str, **more: Any) -> Act:
    """An action on attributes of the board, or on the row of that list where none is named."""

    def form(made: Board) -> Form:
        chosen = [getattr(made, row) for row in rows] or [made.rows[label]]
        return {"action": name, "_selected_action": [str(row.pk) for row in chosen], **more}

    return Act(lambda _: list_of(label), form)


def added(label: str, form: Callable[[Board], Form]) -> Act:
    return Act(lambda _: f"{list_of(label)}add/", form)


def changed(label: str, form: Callable[[Board], Form]) -> Act:
    return Act(lambda made: f"{list_of(label)}{made.rows[label].pk}/change/", form)


def deleted(label: str) -> Act:
    return Act(lambda made: f"{list_of(label)}{made.rows[label].pk}/delete/", lambda _: {"post": "yes"})


def pressed(name: str, run: str) -> Act:
    return Act(lambda made: f"/admin/runs/{getattr(made, run).pk}/{name}/", lambda _: {})


def facts(**changes: str) -> Form:
    return {"name": "maker/model", "slug": "maker-model", "display_name": "model", "organisation": "Maker", **changes}


def figure(made: Board, **changes: Any) -> Form:
    model = made.rows["evaluation.LanguageModel"].pk
    usual = {"model": model, "benchmark": "mmlu", "value": "70.5", "source": "the paper, table 2", "match": "exact"}
    return {**usual, **changes}


def schedule(made: Board, **changes: Any) -> Form:
    times = {"next_at_0": "2026-12-24", "next_at_1": "06:00:00"}
    return {
        "endpoint": made.queued.endpoint_id,
        "bank": made.bank.pk,
        "every_days": 7,
        "enabled": "on",
        **times,
        **changes,
    }


DELETABLE = (
    "auth.Group", "auth.User", "axes.AccessAttempt", "evaluation.LanguageModel", "evaluation.ReferenceScore",
    "leaderboard.HumanSet", "leaderboard.Note", "leaderboard.Report", "leaderboard.Schedule",
)  # fmt: skip
JOINED = {"date_joined_0": "2026-01-01", "date_joined_1": "06:00:00"}
NO_EVENTS = {"events-TOTAL_FORMS": "0", "events-INITIAL_FORMS": "0"}
PASSWORD = "a long one of the fourth"

ACTS: Mapping[str, Act] = {
    **{f"action {label} delete_selected": action(label, "delete_selected", post="yes") for label in DELETABLE},
    **{f"form {label} delete": deleted(label) for label in DELETABLE},
    "action evaluation.Judge enable": action("evaluation.Judge", "enable", "disabled"),
    "action evaluation.Judge disable": action("evaluation.Judge", "disable"),
    "action evaluation.Judge open_runs": action("evaluation.Judge", "open_runs"),
    "action evaluation.Judge erase_keys": action("evaluation.Judge", "erase_keys"),
    "action evaluation.LanguageModel merge_duplicates": Act(
        lambda _: list_of("evaluation.LanguageModel"),
        lambda made: {
            "action": "merge_duplicates",
            "_selected_action": [str(made.rows["evaluation.LanguageModel"].pk), str(made.double.pk)],
            "confirmed": "yes",
        },
    ),
    "action evaluation.Run run_again": action("evaluation.Run", "run_again", "hidden", confirmed="yes"),
    "action evaluation.Run cancel_runs": action("evaluation.Run", "cancel_runs", "queued"),
    "action evaluation.Run resume_runs": action("evaluation.Run", "resume_runs", "failed"),
    "action evaluation.Run publish": action("evaluation.Run", "publish", "hidden"),
    "action evaluation.Run unpublish": action("evaluation.Run", "unpublish", "public"),
    "action evaluation.Run rescore": action("evaluation.Run", "rescore", "older", confirmed="yes"),
    "action leaderboard.Note mark_seen": action("leaderboard.Note", "mark_seen"),
    "action leaderboard.Submission approve_them": action("leaderboard.Submission", "approve_them"),
    "action leaderboard.Submission reject_them": action(
        "leaderboard.Submission", "reject_them", confirmed="yes", reason="The name is that of another maker."
    ),
    "form auth.Group add": added("auth.Group", lambda _: {"name": "judges"}),
    "form auth.Group change": changed("auth.Group", lambda _: {"name": "editors"}),
    "form auth.User add": added(
        "auth.User",
        lambda _: {"username": "fourth", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD},
    ),
    "form auth.User change": changed("auth.User", lambda _: {"username": "third", "first_name": "Tom", **JOINED}),
    "form evaluation.Endpoint change": changed(
        "evaluation.Endpoint",
        lambda made: {
            "model": made.rows["evaluation.Endpoint"].model_id,  # type: ignore[attr-defined]
            "api_model": "other",
            "extra_body": "{}",
            "max_concurrency": "4",
        },
    ),
    "form evaluation.Judge add": added(
        "evaluation.Judge",
        lambda _: {
            "name": "Third judge",
            "maker": "Maker",
            "base_url": "https://third.example/v1",
            "api_model": "third",
            "key": "sk-of-the-third",
            "max_tokens": "512",
            "concurrency": "2",
        },
    ),
    "form evaluation.Judge change": changed(
        "evaluation.Judge", lambda _: {"enabled": "on", "maker": "Another maker", "key": "", "max_tokens": "2048"}
    ),
    "form evaluation.LanguageModel add": added("evaluation.LanguageModel", lambda _: facts(name="new", slug="new")),
    "form evaluation.LanguageModel change": changed("evaluation.LanguageModel", lambda _: facts(licence="mit")),
    "form evaluation.PublishedName change": changed(
        "evaluation.PublishedName",
        lambda made: {"model": made.double.pk, "match": "alias: another spelling"},
    ),
    "form evaluation.ReferenceScore add": added("evaluation.ReferenceScore", figure),
    "form evaluation.ReferenceScore change": changed("evaluation.ReferenceScore", figure),
    "form evaluation.Run change": changed("evaluation.Run", lambda _: {"published": "on", "priority": "5"}),
    "action leaderboard.HumanSet drop": action("leaderboard.HumanSet", "drop"),
    "action leaderboard.HumanSet take_back": action("leaderboard.HumanSet", "take_back", "dropped"),
    "form leaderboard.HumanSet change": changed("leaderboard.HumanSet", lambda _: {"dropped_because": "from a script"}),
    "action leaderboard.Report mark_done": action("leaderboard.Report", "mark_done"),
    "form leaderboard.Report change": changed("leaderboard.Report", lambda _: {"note": "mended", "done": "on"}),
    "form leaderboard.Note change": changed("leaderboard.Note", lambda _: {"seen": "on"}),
    "form leaderboard.Schedule add": added("leaderboard.Schedule", schedule),
    "form leaderboard.Schedule change": changed("leaderboard.Schedule", schedule),
    "form leaderboard.Submission change": changed(
        "leaderboard.Submission", lambda _: {"note": "asked them", "flagged": "on", **NO_EVENTS}
    ),
    "address admin-act try-now": pressed("try-now", "waiting"),
    "address admin-act resume": pressed("resume", "failed"),
    "address admin-act cancel": pressed("cancel", "queued"),
    "address admin-act publish": pressed("publish", "hidden"),
    "address admin-act unpublish": pressed("unpublish", "public"),
    "address admin-import": Act(lambda _: "/admin/import/", lambda _: {"files": [file_of()]}, changes=False),
    "address admin-import-confirmed": Act(
        lambda _: "/admin/import/confirmed/", lambda made: {"upload": [str(made.upload.pk)]}
    ),
}
"""Name -> act: `action LABEL NAME`, `form LABEL KIND`, `address NAME [BUTTON]`."""

ONLY_LOOKED_AT = {"address admin-queue", "address admin-audit"}
