"""Signs that cannot be seen, in every text that a stranger can choose: on no way out does one stay as it is."""

import importlib
import io
import json
import logging
import pkgutil
import re
import unicodedata
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core import mail
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.test import Client
from django.utils import timezone

import evaluation.management.commands
import leaderboard.management.commands
from evaluation.importers.names import model_named
from evaluation.management.base import BaseCommand
from evaluation.models import KeyEvent, LanguageModel, Run, Status
from evaluation.runs.official_form import official_file
from evaluation.signs import MOST_MARKS, escaped, hides_something, is_plain, spelled, spelled_lines
from leaderboard.cells import csv_text
from leaderboard.models import Submission
from leaderboard.operations.logs import JsonFormatter, PlainFormatter
from leaderboard.standings import refresh_standings
from leaderboard.submissions.mailing import NEWS, post, send_due
from leaderboard.submissions.names import checked_name
from leaderboard.visible import marked, visible
from tests.factories import make_bank, make_endpoint, make_result, make_run
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SIGNS = "\u202e\u200b\u2066\x07\x1b[31m\u00ad\ufeff\u2028\x9b\U000e0041\ue000\u034f\ufe01\u2800"
TOWER = "a" + "\u0301" * 70
HOSTILE = f"odd{SIGNS}{TOWER}end"


def hidden_in(text: str) -> list[str]:
    return [f"U+{ord(sign):04X}" for sign in sorted(set(text) - set("\t\n\r")) if hides_something(sign)] + (
        ["a tower"] if "\u0301" * (MOST_MARKS + 2) in unicodedata.normalize("NFD", text) else []
    )


def test_each_sign_is_spelled_and_twice_is_once() -> None:
    text = spelled(HOSTILE)
    assert hidden_in(text) == []
    assert text.startswith("odd[U+202E][U+200B][U+2066][U+0007][U+001B][31m[U+00AD]")
    assert "[66 more marks]end" in text
    assert spelled(text) == spelled_lines(text) == text
    assert not is_plain(HOSTILE)
    assert is_plain(text) or set(text) - set(TOWER)


def test_what_people_write_stays_as_it_is() -> None:
    for text in ("Wütend é e\u0301 ע ש 感情 😀 ½ ３ ❤\ufe0f", "Tiếng Việt", "שָׁלוֹם", "ภาษาไทยที่นี่", "हिन्दी", "a\tb\nc"):
        assert spelled_lines(text) == text
        assert spelled_lines(unicodedata.normalize("NFD", text)) == unicodedata.normalize("NFD", text)


def test_a_name_with_a_tower_of_accents_is_refused() -> None:
    for name in (TOWER, "Meta\U0001d159", "Open\u034fAI", "Open\ufe01AI", "Meta\u2800"):
        with pytest.raises(ValueError, match=r"\.$"):
            checked_name(name)


def test_of_a_form_the_values_go_back_as_they_came() -> None:
    html = f'<p title="{SIGNS}">{SIGNS}</p><input value="{SIGNS}" name="{SIGNS}"><textarea rows="2">{SIGNS}</textarea>'
    shown = visible(html)
    assert shown.count(SIGNS) == 2
    assert hidden_in(shown.replace(SIGNS, "")) == []
    assert hidden_in(str(marked(HOSTILE))) == []


@pytest.fixture
def found() -> Submission:
    """A submission, its runs, its replies, and what stands beside them, each text with the signs in it."""
    bank = make_bank(3, slug="scenes")
    model = LanguageModel.objects.create(
        name=HOSTILE, slug="odd", display_name=HOSTILE[:80], organisation=HOSTILE[:80], licence=HOSTILE[:80]
    )
    endpoint = make_endpoint(
        model=model,
        api_model=HOSTILE,
        base_url="https://m.example/v1",
        system_prompt=HOSTILE,
        extra_body={"x": HOSTILE},
    )
    submission = Submission.objects.create(
        model=model, endpoint=endpoint, owner="team", contact="a@b.example", note=HOSTILE, reason=HOSTILE,
        request={"banks": [bank.slug], "site": "https://board.example"}, publish_consent=True,
    )  # fmt: skip
    manifest = {"endpoint": {"models": [HOSTILE], "fingerprints": [HOSTILE], "servers": [HOSTILE]}}
    for status, fields in (
        (Status.FINISHED, {"score": 50.0}),
        (Status.FAILED, {"failure_kind": "endpoint", "failure_message": HOSTILE}),
        (Status.WAITING, {"failure_kind": "endpoint", "failure_message": HOSTILE, "not_before": timezone.now()}),
    ):
        run = make_run(
            model=model, endpoint=endpoint, bank=bank, status=status, published=True, manifest=manifest,
            settings={"system_prompt": HOSTILE, "extra_body": {"x": HOSTILE}}, **fields,
        )  # fmt: skip
        make_result(run, "1", reply=HOSTILE, reason=HOSTILE[:120], flags=HOSTILE[:120])
        submission.runs.add(run)
    submission.events.create(text=HOSTILE[:300])
    KeyEvent.objects.create(endpoint=endpoint, kind=KeyEvent.Kind.ERASED, detail=HOSTILE[:80])
    AccessAttempt.objects.create(username=HOSTILE, ip_address="192.0.2.1", failures_since_start=1)
    return submission


def paths_of(submission: Submission, staff: Client) -> list[str]:
    paths = ["/", "/rankings/scenes/", "/compare/", "/submit/", "/status/", "/feed.atom", "/models/odd/",
             "/items/scenes/", "/submit/known/?name=odd", f"/submissions/{submission.token}/",
             f"/submissions/{submission.token}/live/",
             f"/submissions/{submission.token}/again/", "/admin/queue/", "/admin/audit/"]  # fmt: skip
    for run in submission.runs.all():
        paths += [f"/runs/{run.pk}/{end}" for end in ("", "live/", "items/", "items.csv")]
    for path in sorted(set(re.findall(r'href="(/admin/[a-z_]+/[a-z_]+/)"', staff.get("/admin/").content.decode()))):
        html = staff.get(path).content.decode()
        paths += [path, *re.findall(rf'href="({path}[0-9]+/change/)', html)[:3]]
    return paths


def test_no_page_feed_or_table_holds_such_a_sign(found: Submission) -> None:
    staff = root()
    seen = 0
    for path in paths_of(found, staff):
        response = staff.get(path)
        assert response.status_code in {200, 404}, path
        text = b"".join(response).decode() if response.streaming else response.content.decode()
        seen += "U+202E" in text
        outside = re.sub(r"""<textarea\b.*?</textarea>|\bvalue=(?:"[^"]*"|'[^']*')""", "", text, flags=re.DOTALL)
        assert hidden_in(outside) == [], path
    assert seen >= 15


def json_paths_of(submission: Submission) -> list[str]:
    paths = ["/api/v1/models", "/api/v1/models/odd", "/api/v1/runs", "/api/v1/rankings/scenes", "/rankings/scenes.json"]
    for run in submission.runs.all():
        paths += [f"/runs/{run.pk}/{name}" for name in ("items.json", "manifest.json", "replies.jsonl")]
        paths += [f"/api/v1/runs/{run.pk}", f"/api/v1/runs/{run.pk}/items"]
    return paths


def strings_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for entry in [*value, *value.values()] for text in strings_in(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in strings_in(entry)]
    return [value] if isinstance(value, str) else []


def test_no_json_holds_such_a_sign_and_its_values_are_what_they_were(found: Submission) -> None:
    """Files and the API are for programs: nothing is lost in them, and a terminal that shows one obeys nothing."""
    refresh_standings()
    whole = dict[str, bool]()
    for path in json_paths_of(found):
        response = root().get(path)
        assert response.status_code == 200, path
        text = b"".join(response).decode() if response.streaming else response.content.decode()
        assert hidden_in(text) == [], path
        values = [each for line in text.splitlines() for each in strings_in(json.loads(line))] if (
            path.endswith("l")
        ) else strings_in(json.loads(text))  # fmt: skip
        whole[path] = HOSTILE in values
    assert sum(whole.values()) >= 8, whole
    assert all(holds for path, holds in whole.items() if path.endswith(("manifest.json", "replies.jsonl"))), whole


def test_so_does_the_official_form(found: Submission) -> None:
    run = found.runs.get(status=Status.FINISHED)
    run.bank.slug = "eq-bench-v2"
    Run.objects.filter(pk=run.pk).update(source="odd.json")
    content = official_file(run).decode()
    assert hidden_in(content) == []
    assert HOSTILE in strings_in(json.loads(content))


def test_an_escape_of_json_means_the_sign() -> None:
    value = {"a\u202e": ["\\\u200b", "\U000e0041", TOWER, "ü 感 😀"]}
    text = escaped(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert hidden_in(text) == []
    assert '"ü 感 😀"' in text
    assert escaped("\ud800") == r"\ud800"


def test_no_mail_holds_such_a_sign_in_its_subject_or_text(found: Submission) -> None:
    post(found, "your submission", NEWS, news=f"something happened: {HOSTILE}", more=[HOSTILE])
    assert send_due() == 1
    (sent,) = mail.outbox
    assert "U+202E" in str(sent.subject) + str(sent.body)
    assert hidden_in(str(sent.subject)) == hidden_in(str(sent.body)) == []


def commands_of(package: Any) -> list[tuple[str, str]]:
    app = package.__name__.partition(".")[0]
    return [(app, name) for _, name, _ in pkgutil.iter_modules(package.__path__)]


STYLED = {"migrate"}  # Django's own puts its colours into the text, and names nothing but migrations
OURS = [*commands_of(evaluation.management.commands), *commands_of(leaderboard.management.commands)]


@pytest.mark.parametrize(("app", "name"), [each for each in OURS if each[1] not in STYLED])
def test_every_command_writes_through_the_filter(app: str, name: str) -> None:
    command = load_command_class(app, name)
    assert isinstance(command, BaseCommand)
    for stream in ("stdout", "stderr"):
        out = StringIO()
        setattr(command, stream, type(getattr(command, stream)).__mro__[1](out))
        getattr(command, stream).write(HOSTILE)
        assert hidden_in(out.getvalue()) == []
        assert "U+001B" in out.getvalue()


def test_a_command_of_a_library_that_lists_what_strangers_typed_goes_through_it_too(found: Submission) -> None:
    assert get_commands()["axes_list_attempts"] == "leaderboard"
    out = StringIO()
    call_command("axes_list_attempts", stdout=out)
    assert "odd[U+202E]" in out.getvalue()
    assert hidden_in(out.getvalue()) == []


def test_an_error_of_a_command_is_spelled_on_its_way_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    command = load_command_class("evaluation", "evaluate")

    def fail(**_: Any) -> None:
        raise CommandError(HOSTILE)

    command.handle = fail  # type: ignore[method-assign]
    with pytest.raises(SystemExit):
        command.run_from_argv(["manage.py", "evaluate", "--model", "x", "--base-url", "y"])
    written = capsys.readouterr()
    assert "U+001B" in written.err
    assert hidden_in(written.err + written.out) == []


@pytest.mark.parametrize("shape", [PlainFormatter("{levelname} {message}", style="{"), JsonFormatter()])
def test_a_log_line_is_one_line_without_such_a_sign(shape: logging.Formatter) -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(shape)
    logger = logging.getLogger("tests.signs")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        logger.warning("from %s", f"{HOSTILE}\n2026-01-01 INFO forged", extra={"facts": {"path": HOSTILE}})
        try:
            raise ValueError(HOSTILE)
        except ValueError:
            logger.exception("broken")
    finally:
        logger.removeHandler(handler)
    lines = out.getvalue().splitlines()
    assert hidden_in(out.getvalue()) == []
    assert not [line for line in lines if line.startswith("2026-01-01")]
    assert "U+001B" in lines[0]
    if isinstance(shape, JsonFormatter):
        assert hidden_in("".join(str(value) for line in lines for value in json.loads(line).values())) == []


def test_a_cell_of_a_table_is_spelled_and_numbers_stay() -> None:
    text = csv_text(["name", "score"], [[HOSTILE, 1.5]])
    assert hidden_in(text) == []
    assert '"1.5"' in text


def test_a_model_is_found_by_the_name_that_it_has(found: Submission) -> None:
    assert model_named(HOSTILE) == found.model
    assert Run.objects.filter(model=found.model).count() == 3
    assert importlib.import_module("leaderboard.plaintext").spelled is spelled
