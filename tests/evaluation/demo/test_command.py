"""`manage.py demo_endpoint` from outside: it prints its address, answers, and stops when told to."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.base import Message
from evaluation.demo.questions import no_references, read_question
from evaluation.endpoints.client import ChatRequest
from evaluation.management.commands.demo_endpoint import chosen_references
from tests.evaluation.demo.prompts import NAMES, english
from tests.evaluation.endpoints.servers import ask
from tests.factories import make_bank, scene_labels, scene_prompt, scene_reference
from tests.processes import ROOT, environment

QUESTION = ChatRequest([Message("user", english())], 0.01, 60)


@contextmanager
def demo_endpoint(*arguments: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    command = [sys.executable, "manage.py", "demo_endpoint", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(""), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_it_prints_its_address_answers_from_a_file_and_stops_on_sigterm(tmp_path: Path) -> None:
    reference = {f"emotion{n + 1}": name for n, name in enumerate(NAMES)}
    scores = {f"emotion{n + 1}_score": score for n, score in enumerate((3, 6, "0", 8))}
    bank = {"1": {"prompt": english(revision=True), "reference_answer_fullscale": reference | scores}}
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(bank))
    with demo_endpoint("--references", str(path)) as (url, process):
        assert url.startswith("http://127.0.0.1:")
        assert ask(url, QUESTION).text == "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--fault", "nonsense"], "There is no fault 'nonsense'"),
        (["--bank", "no-such-bank"], "There is no bank 'no-such-bank' with references"),
        (["--references", str(ROOT / "manage.py")], "This is not an EQ-Bench question file"),
        (["--references", "missing.json"], "missing.json"),
        (["--persona", "nobody"], "invalid choice"),
    ],
)
@pytest.mark.django_db
def test_a_wrong_option_is_answered_with_a_sentence(arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("demo_endpoint", *arguments, stdout=StringIO(), stderr=StringIO())


@pytest.mark.django_db
def test_the_references_come_from_the_loaded_banks() -> None:
    bank = make_bank(3)
    asked = read_question(scene_prompt(2))
    expected = dict(zip(scene_labels(2), scene_reference(2), strict=True))
    assert chosen_references(None, None)(asked) == expected
    assert chosen_references(None, bank.slug)(asked) == expected
    assert chosen_references(None, None)(read_question("Something else.")) is None


@pytest.mark.django_db
def test_without_a_bank_there_are_no_references() -> None:
    assert chosen_references(None, None) is no_references
