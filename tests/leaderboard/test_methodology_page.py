"""The methodology page: its figures are those of the code that scores, and of the database."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.eqbench_numbers import FLAGS as READER_FLAGS
from evaluation.importers.banks import DATA_FOLDER
from evaluation.models import ItemBank, Origin
from leaderboard.kinds import scorer_changes
from leaderboard.pages.methodology.page import guesses_of
from leaderboard.standings import refresh_standings
from leaderboard.wording.example_replies import FLAGS, REASONS, ReadExample, general, read_examples
from leaderboard.wording.worked_examples import curve_rows, worked_v1, worked_v2
from tests.evaluation.benchmarks.by_item import loaded
from tests.evaluation.judged import prompt_bank
from tests.factories import make_bank
from tests.leaderboard.pages import finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def example(shape: str) -> ReadExample:
    return next(found for found in read_examples() if found.shape == shape)


def test_the_curve_of_the_page_has_the_published_values(client: Client) -> None:
    """s(1) to s(5) as the specification gives them, 5 by both rules."""
    shown = {row.difference: (f"{row.readme:.6f}", f"{row.code:.6f}") for row in curve_rows()}
    assert [shown[d][0] for d in (1, 2, 3, 4, 5)] == ["0.172880", "0.540623", "1.504589", "3.250000", "5.000000"]
    assert shown[5][1] == "4.995411"
    html = page(client, "/methodology/")
    for value in ("0.172880", "0.540623", "1.504589", "3.250000", "4.995411", "0.7477"):
        assert value in html


def test_the_worked_example_adds_up_by_hand(client: Client) -> None:
    """Differences 1, 2, 5, 0: 10 - 0.7477 x (0.172880 + 0.540623 + 5 + 0) = 5.7280, by the code rule 5.7314."""
    worked = worked_v2()
    assert worked.points == pytest.approx(10 - 0.7477 * (0.172880 + 0.540623 + 5), abs=1e-5)
    assert worked.by_code == pytest.approx(10 - 0.7477 * (0.172880 + 0.540623 + 4.995411), abs=1e-5)
    html = page(client, "/methodology/")
    assert "<b>5.7280</b>" in html
    assert "<b>5.7314</b>" in html
    assert "57.28" in html


def test_the_example_of_v1_adds_up_by_hand() -> None:
    """4, 8, 1, 7 of 20 are 2, 4, 0.5, 3.5 of 10; off by 0, 1, 0.5, 1.5 in all 3."""
    assert [step.given for step in worked_v1().steps] == [2.0, 4.0, 0.5, 3.5]
    assert worked_v1().points == 7.0


@pytest.mark.parametrize(
    ("shape", "strict", "standard", "flags"),
    [
        ("As asked", "10.00", "10.00", ()),
        ("Names in bold", None, "10.00", ()),
        ("A draft after", "-9.44", "-9.44", ()),
        ("Decimals", "10.00", "10.00", ("decimal cut",)),
        ("Ranges", "9.61", "9.61", ("range",)),
        ("Per cent", "-104.40", "-104.40", ("per cent", "above 10")),
        ("An unseen sign in a name", None, "10.00", ()),
        ("Four zeros", None, None, ()),
    ],
)
def test_the_shapes_have_the_scores_of_the_specification(
    shape: str, strict: str | None, standard: str | None, flags: tuple[str, ...]
) -> None:
    found = example(shape)
    scores = [None if score is None else f"{score:.2f}" for score in (found.strict, found.standard)]
    assert (scores, found.flags) == ([strict, standard], flags)


def test_every_reason_and_flag_of_the_reader_has_an_example_and_a_meaning() -> None:
    flags = {flag for found in read_examples() for flag in found.flags}
    assert flags == set(FLAGS) == set(READER_FLAGS)
    assert {general(found.reason) for found in read_examples() if found.reason} == set(REASONS)


def test_the_page_says_what_decimal_cut_means_and_shows_the_signs_without_shape(client: Client) -> None:
    html = page(client, "/methodology/")
    assert "<b>decimal cut</b> on a run's page means that 3.9 was counted as 3" in html
    assert 'An<mark class="sign" title="zero width space">U+200B</mark>gry' in html


def test_the_rules_of_a_run_are_on_the_page(client: Client) -> None:
    html = page(client, "/methodology/")
    assert "83.33 % of the items" in html
    assert "at least 95 % as many items have points as by the first answers" in " ".join(html.split())
    assert "A request may be repeated, but each answer is stored once." in html
    assert "0.01, 0.16, 0.31" in html


def test_a_bank_that_shares_the_rules_of_a_benchmark_is_named_beside_it(client: Client) -> None:
    make_bank(slug="eq-open-v2", title="EQ Open v2", benchmark="eq-bench-v2")
    assert '<th scope="row">EQ-Bench v2, EQ Open v2</th>' in page(client, "/methodology/")


def test_the_page_says_how_several_runs_of_a_model_become_one_score(client: Client) -> None:
    """The same six passes have the same score and error, however they were cut into runs."""
    said = " ".join(page(client, "/methodology/").split())
    assert "all their passes have the same weight" in said
    assert "Repeats reduce only the noise of a model’s answers." in said
    assert "The error from the choice of items falls only with more items." in said
    assert "Repetition does not" not in said


def test_the_page_says_how_often_an_interval_holds_the_score(client: Client) -> None:
    """The figures are those of tests/statistics/test_score_interval.py."""
    html = page(client, "/methodology/")
    table = re.search(r'<table[^>]*id="coverage".*?</table>', html, re.DOTALL)
    assert table is not None
    rows = re.findall(r">(\d+)</th><td[^>]*>([\d.]+)</td><td[^>]*>(\d+) %</td><td[^>]*>(\d+) %</td>", table[0])
    assert rows == [
        ("171", "1.974", "95", "94"), ("60", "2.001", "94", "93"), ("20", "2.093", "93", "90"),
        ("10", "2.262", "92", "87"),
    ]  # fmt: skip
    assert "below 30 scored items" not in html


def test_every_entry_of_the_contents_leads_to_a_section(client: Client) -> None:
    html = page(client, "/methodology/")
    contents = html.partition('class="contents"')[2].partition("</nav>")[0]
    targets = re.findall(r'href="#([^"]+)"', contents)
    assert len(targets) == len(set(targets)) == 17
    assert all(f'<section class="section" id="{target}">' in html for target in targets)


def test_every_scorer_has_its_version_in_the_changelog(client: Client) -> None:
    html = page(client, "/methodology/")
    for benchmark in BENCHMARKS.values():
        assert benchmark.scorer_version in {change.version for change in scorer_changes()}
        assert benchmark.scorer_version in html
    since = [change.since for change in scorer_changes()]
    assert since == sorted(since, reverse=True)


def test_the_banks_stand_with_hash_licence_citation_and_the_items_that_a_score_needs(client: Client) -> None:
    bank = make_bank(171, title="Own scenes", licence="Own licence", citation="Own, 2026")
    html = page(client, "/methodology/")
    assert bank.sha256 in html
    assert "171; a score needs 143" in html
    assert "Own licence" in html
    assert "Own, 2026" in html


def test_the_rows_of_each_origin_are_counted(client: Client) -> None:
    bank = make_bank()
    finished(bank, 60.0)
    finished(bank, 61.0)
    finished(bank, 3.0, origin=Origin.BASELINE)
    refresh_standings()
    section = page(client, "/methodology/").partition('id="origins"')[2].partition("</section>")[0]
    counts = re.findall(r'</span>\s*</th><td class="n">(\d+)</td>', section)
    assert counts == ["2", "0", "0", "1", "0"]


def test_what_a_baseline_and_an_import_are_is_said_without_contradiction(client: Client) -> None:
    """The noisy reference is a baseline that knows the answers; official files keep theirs, other replies are read."""
    finished(make_bank(slug="scenes"), 60.0)
    refresh_standings()
    pages = [page(client, "/methodology/"), page(client, "/")]
    for html in pages:
        assert "the noisy reference knows the answers" in html
        assert "a rule that needs no reading" not in html
        assert "a rule that answers without reading" not in html
    assert "An official run file holds answers parsed by its own pipeline" in pages[0]
    assert "replies of other harnesses are parsed here too" in pages[0]
    assert "Official run files are the exception" in pages[1]


def test_words_of_the_tables_are_explained(client: Client) -> None:
    words = page(client, "/methodology/").partition('id="words"')[2].partition("</section>")[0]
    for word in ("Item, bank", "Resample", "SD, CV", "ICC(2,1)", "Standard error of measurement", "MMLU", "MAGI-Hard"):
        assert f"<dt>{word}</dt>" in words


def test_constant_and_random_answers_have_the_known_scores(v2_questions: Any) -> None:
    """The specification's figures for the 171 items: always 3 gets 38.86, always 10 gets -78.56, random 1.4223."""
    bank = ItemBank.objects.create(slug="o", benchmark="eq-bench-v2", title="t", version="2", sha256="e" * 64)
    for number, item in enumerate(loaded(BENCHMARKS["eq-bench-v2"], json.dumps(v2_questions).encode()), 1):
        labels, reference = list(item.labels), list(item.reference)
        bank.items.create(number=number, item_id=item.id, prompt="p", labels=labels, reference=reference)
    guesses = guesses_of(bank.pk, bank.sha256, bank.title, bank.benchmark)
    assert guesses is not None
    shown = [None if score is None else f"{score:.2f}" for score in guesses.constants]
    assert shown == [
        "2.36", "19.64", "32.97", "38.86", "36.17", "26.84", "15.77", "-2.97", "-25.12", "-50.31", "-78.56",
    ]  # fmt: skip
    assert (guesses.best, f"{guesses.random:.4f}") == (3, "1.4223")


def test_the_baselines_of_a_bank_are_listed_from_its_stored_rows(client: Client) -> None:
    """EQ Open: the best fixed answer is one by position, and one random run scatters far more than the expectation."""
    call_command("load_bank", "eq-open-v1", stdout=StringIO())
    before = page(client, "/methodology/").partition('id="guessing"')[2].partition("</section>")[0]
    assert "The other baselines of this bank are not computed yet" in before
    assert "{" not in before
    call_command("load_baselines", stdout=StringIO())
    section = page(client, "/methodology/").partition('id="guessing"')[2].partition("</section>")[0]
    rows = re.findall(
        r'<th scope="row"><bdi>(.*?)</bdi>.*?<td class="n">(.*?)</td>.*?(?:± (.*?)|–)</td>.*?>([^<]*)</td>', section
    )
    assert rows == [
        ("Random answers (expected)", "4.51", "2.70", "5.6"),
        ("Words alone", "33.43", "8.38", "–"),
        ("Always answers 4", "37.05", "3.98", "–"),
        ("Always answers 4, 4, 3, 5", "38.30", "5.62", "–"),
        ("Reference with noise", "85.00", "0.34", "1.7"),
        ("Second reader", "96.27", "0.66", "–"),
    ]  # fmt: skip
    assert (
        "which ignores dialogue and words, is <bdi>Always answers 4, 4, 3, 5</bdi>, with <b>38.30</b> points" in section
    )
    assert re.search(r"\d+ ratings are of words that\s+occur in no other item; they get \d", section)


def test_a_bank_of_prompts_for_replies_has_no_baselines_of_ratings(client: Client) -> None:
    bank = prompt_bank(3)
    assert guesses_of(bank.pk, bank.sha256, bank.title, bank.benchmark) is None


def test_a_private_bank_shows_its_size_and_nothing_of_its_texts(client: Client) -> None:
    make_bank(3, title="Closed", access="private")
    html = page(client, "/methodology/")
    assert "no page, file or answer of the API holds them" in html
    assert "Disappointed" not in html
    assert "Always answering" not in html


def test_the_page_has_the_agreement_figures_that_stand_in_the_file_of_our_own_bank(client: Client) -> None:
    call_command("load_bank", "eq-open-v1", stdout=StringIO())
    html = page(client, "/methodology/")
    facts = json.loads((DATA_FOLDER / "eq_open_v1_ratings.json").read_text())["facts"]
    for when in ("agreement_before_revision", "agreement"):
        for name, value in facts[when].items():
            shown = f"{100 * value:.1f} %" if name.startswith("share") else str(value)
            assert f">{shown}<" in html or f"{shown} ratings" in html, name
    assert facts["who"] in html
    assert facts["caution"] in html


def test_the_facts_of_a_private_bank_are_not_told(client: Client) -> None:
    facts = json.loads((DATA_FOLDER / "eq_open_v1_ratings.json").read_text())["facts"]
    make_bank(3, access="private", facts={**facts, "who": "The night shift of quay 9"})
    assert "The night shift of quay 9" not in page(client, "/methodology/")


def test_the_page_says_what_a_gap_between_public_and_private_can_and_cannot_show(client: Client) -> None:
    html = page(client, "/methodology/")
    assert "It can show that the public items are unusually easy for one model." in html
    assert "It cannot show why" in html
    assert "a small difference proves nothing either" in html


def test_the_page_takes_few_queries_and_is_kept(client: Client) -> None:
    make_bank(5)
    response = client.get("/methodology/")
    with CaptureQueriesContext(connection) as captured:
        again = client.get("/methodology/", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    assert len(captured) <= 4
