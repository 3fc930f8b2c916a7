"""The official bank on a fresh board: tried for a moment, never in the way, and a sentence that helps."""

import gc
import json
import socket
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.importers.banks import bank_sources
from evaluation.models import ItemBank, Origin, Run
from leaderboard.starting.official_bank import BENCHMARK, FETCHING, fetched, loaded, try_official_bank
from tests.factories import make_bank, question_file

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def fetching() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == FETCHING]


def is_fetching() -> bool:
    return any(thread.is_alive() for thread in fetching())


@pytest.fixture
def silent_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The way to the internet accepts and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(4)
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.getsockname()[1]}")
        yield
    for thread in fetching():
        thread.join(timeout=30)
    # http.client of Python 3.11.2 leaves the answer that a proxy never gave to the collector, in whatever test that is.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_an_address_that_never_answers_is_given_up_in_time_with_the_way_to_load_it(silent_proxy: None) -> None:
    said = try_official_bank(seconds=0.3)
    assert is_fetching(), "it was left behind, not waited for"
    assert said.startswith("The official item bank is not loaded: its public address did not give it within 0 s.")
    assert "manage.py load_bank eq-bench-v2" in said
    assert "--from FILE" in said
    assert "\n" not in said
    assert not ItemBank.objects.exists()


def test_without_a_way_to_the_internet_it_says_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert try_official_bank(seconds=120).startswith("The official item bank is not loaded")
    assert not is_fetching(), "it ended by itself, not by the limit"


def test_a_loaded_bank_is_not_asked_for_again(silent_proxy: None) -> None:
    source = bank_sources()[BENCHMARK]
    make_bank(5, slug=source.slug, sha256=source.sha256)
    assert try_official_bank() == ""
    assert not is_fetching()


def test_another_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps(question_file(5)))
    content = fetched(str(path), 120)
    assert content is not None
    said = loaded(bank_sources()[BENCHMARK], content)
    assert "is not loaded:" in said
    assert "171" in said
    assert not ItemBank.objects.exists()


@pytest.mark.thorough
def test_the_listed_file_is_loaded_with_its_baselines(shared_data: Path) -> None:
    content = fetched(str(shared_data / "eqbench/eq_bench_v2_questions_171.json"), 120)
    assert content is not None
    assert loaded(bank_sources()[BENCHMARK], content).startswith("The official item bank is loaded: ")
    bank = ItemBank.objects.get()
    assert bank.items.count() == 171
    assert Run.objects.filter(bank=bank, origin=Origin.BASELINE).exists()
