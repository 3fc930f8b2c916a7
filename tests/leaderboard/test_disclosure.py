"""Words of replies and items are read in one place: `evaluation.disclosure`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.disclosure import NAME_MISSING, NOT_READ, TEXT_COLUMNS, own_words, plain_flags, plain_reason
from evaluation.endpoints.errors import FAULTS, fault
from leaderboard.wording.example_replies import FLAGS, REASONS

ROOT = Path(__file__).resolve().parent.parent.parent
FAULT_REASON = "endpoint fault"
# Names of the columns that mean something else in these modules, each with what it is there.
OTHER_MEANINGS = {
    "leaderboard/admin.py": {"reason": "why a submission was rejected"},
    "leaderboard/api/schemas.py": {"reason": "a name of the API", "flags": "the same"},
    "leaderboard/api/runs.py": {"failure_message": "a name of the API", "manifest": "the same"},
    "leaderboard/management/commands/seed_scale.py": {"reason": "written", "flags": "written"},
    "leaderboard/pages/runs/answers.py": {"reason": "of a shown part", "flags": "the same",
                                       "other_parts": "loaded for it"},
    "leaderboard/pages/rankings/cells.py": {"reason": "why a row has no rank"},
    "leaderboard/study/answering.py": {"flags": "of a participation"},
    "leaderboard/study/counting.py": {"flags": "of a participation"},
    "leaderboard/study/exporting.py": {"flags": "of a participation"},
    "leaderboard/study/progress.py": {"flags": "of a participation"},
    "leaderboard/study/responders_of_runs.py": {"reply": "what raters of an open study are to read"},
    "leaderboard/study/results.py": {"reason": "why a test of a study was not made"},
    "leaderboard/study/rows.py": {"reason": "the same"},
    "leaderboard/study/waves.py": {"reason": "the same"},
    "leaderboard/pages/compare/chosen.py": {"reason": "why a model is not compared"},
    "leaderboard/pages/compare/items.py": {"reason": "of a shown part", "flags": "loaded for it",
                                             "other_parts": "the same"},
    "leaderboard/pages/runs/items.py": {"reason": "of a shown part", "flags": "the same", "reply": "of shown texts"},
    "leaderboard/pages/methodology/page.py": {"flags": "what each flag means"},
    "leaderboard/pages/models/items.py": {"reason": "loaded for shown parts", "flags": "the same",
                                           "other_parts": "the same"},
    "leaderboard/pages/models/runs.py": {"manifest": "left in the database", "observed": "the same",
                                          "failure_message": "the same"},
    "leaderboard/pages/administration/queue_board.py": {"manifest": "left in the database", "observed": "the same"},
    "leaderboard/pages/rankings/row_markup.py": {"reason": "why a row has no rank"},
    "leaderboard/pages/rankings/rows.py": {"reason": "why a row has no rank"},
    "leaderboard/pages/runs/answered.py": {"reason": "of the part that counts", "flags": "loaded for it",
                                           "other_parts": "the same"},
    "leaderboard/pages/runs/context.py": {"manifest": "whether there is one"},
    "leaderboard/pages/runs/page.py": {"reason": "of a shown part", "manifest": "whether there is one"},
    "leaderboard/sharing/export_notes.py": {"reason": "a column of the files", "flags": "the same"},
    "leaderboard/sharing/run_exports.py": {"reason": "a column of the files", "flags": "the same"},
    "leaderboard/submissions/doubts.py": {"flags": "only those of SCALE_FLAGS are counted"},
    "leaderboard/submissions/dry_run_report.py": {"reason": "shown by plain_reason", "reply": "a word",
                                                  "flags": "only those of SCALE_FLAGS"},
    "leaderboard/submissions/emails.py": {"failure_message": "only its code"},
    "leaderboard/submissions/moderating.py": {"reason": "why a submission was rejected"},
    "leaderboard/administration/upload_words.py": {"manifest": "of an upload", "reply": "a word"},
    "leaderboard/wording/advice.py": {"reply": "a word", "failure_message": "only its code"},
    "leaderboard/wording/sentences.py": {"reply": "a word"},
    "leaderboard/wording/example_replies.py": {"reason": "of our own examples", "flags": "the same",
                                               "reply": "the same"},
}  # fmt: skip
MOST_SPELT = re.compile(r"(?:^|__)(?:" + "|".join(sorted(TEXT_COLUMNS)) + r")(?:__|$)")


def named_in(tree: ast.AST) -> Iterator[str]:
    """Columns that a module names: as an attribute, as a text that a query takes, or as a keyword."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Attribute):
            names = [node.attr]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]
        elif isinstance(node, ast.keyword) and node.arg:
            names = [node.arg]
        for name in names:
            if found := MOST_SPELT.search(name):
                yield found[0].strip("_")


def test_no_other_module_of_the_site_reads_such_a_column() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "leaderboard").rglob("*.py")
        if "migrations" not in path.parts
        for name in named_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    known = {(module, name) for module, names in OTHER_MEANINGS.items() for name in names}
    assert sorted(known - found) == [], "named here without need"
    assert sorted(found - known) == [], "take it from evaluation.disclosure, or say here what else the name means"


def test_no_template_reads_one_from_a_run_or_a_result() -> None:
    column = re.compile(r"(?:run|result|row\.run)\.(?:" + "|".join(sorted(TEXT_COLUMNS)) + r")\b")
    templates = (ROOT / "templates").rglob("*")
    texts = {path: path.read_text(encoding="utf-8") for path in templates if path.suffix in {".html", ".txt", ".svg"}}
    assert [path.name for path, text in texts.items() if column.search(text)] == []


@pytest.mark.parametrize(
    "reason",
    [
        "Ashamed missing", "Ashamed missing (saw Shame)", "Ashamed, Hurt missing (saw Shame, Pain)",
        "no scores found (saw Mara, DRONGALICish)", "A (saw B missing", "Ashamed", "endpoint fault: Ashamed",
        "endpoint fault: Ashamed missing", "cut off Ashamed", "(saw Ashamed)", " missing Ashamed",
        f"{FAULT_REASON}: {fault('refused', excerpt='Ashamed” It said: “Mara').message}",
        f"{FAULT_REASON}: {fault('refused', excerpt='Ashamed').message}"[:75],
    ],
)  # fmt: skip
def test_a_reason_of_a_closed_bank_is_one_of_a_fixed_list(reason: str) -> None:
    sentences = {f"{FAULT_REASON}: {row.sentence}" for row in FAULTS.values()}
    allowed = {*REASONS, NAME_MISSING, NOT_READ, FAULT_REASON, "", *sentences}
    assert plain_reason(reason) in allowed
    assert plain_reason(plain_reason(reason)) == plain_reason(reason)


def test_what_our_own_readers_say_stays_as_it_is() -> None:
    for reason in REASONS:
        assert plain_reason(reason) == (NAME_MISSING if reason == "NAME missing" else reason)
    assert plain_flags(",".join(FLAGS)) == ",".join(FLAGS)
    assert plain_flags("thinking,Ashamed,above 10") == "thinking,above 10"
    assert plain_flags("too long,Ashamed,cut,thinking") == "too long,cut,thinking"
    assert plain_reason(f"{FAULT_REASON}: {fault('timeout').message}").endswith("in the time allowed.")


def test_a_failure_message_ends_where_it_begins_to_quote() -> None:
    assert own_words(fault("refused", excerpt="Ashamed").message) == FAULTS["refused"].sentence
    assert own_words("Too few. Most often: Ashamed missing (saw Shame).") == "Too few."
