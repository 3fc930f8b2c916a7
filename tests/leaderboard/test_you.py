"""You against the board: what a visitor sees and when, what is stored, and the line for people."""

import re
from itertools import count
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank
from evaluation.statistics.crossed import crossed_error, crossed_mean
from evaluation.statistics.newcomer import rank_among
from evaluation.statistics.ranks import resampled_ranks
from leaderboard.models import HumanSet
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from leaderboard.submissions.people import BANKS, excluded_by, new_play
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import page, table
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]

BANK = BANKS[0]
REFERENCE = 3.217
"""Of each feeling: a number that stands on a page only where a reference is shown."""


@pytest.fixture
def bank(db: None) -> ItemBank:
    no_turns_taken()
    bank = make_bank(12, slug=BANK, title="EQ Open v1")
    bank.items.update(reference=[REFERENCE] * 4)
    return bank


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by five seconds whenever it is asked."""
    moments = count(1_000.0, 5.0)
    monkeypatch.setattr("leaderboard.submissions.people.moment", lambda: next(moments))


def text(client: Client, path: str) -> str:
    """The page with each row of blanks as one."""
    return " ".join(page(client, path).split())


def ratings(at: int, *values: int) -> dict[str, str]:
    return {f"r{slot}": str(value) for slot, value in enumerate(values or (at % 5, 3, 7, 0))}


def answer(client: Client, n: int = 10, *values: int) -> Any:
    """The first n dialogues one after the other; the answer to the last."""
    client.post("/you/start/")
    for at in range(1, n + 1):
        client.get(f"/you/{at}/")
        response = client.post(f"/you/{at}/", ratings(at, *values))
    return response


def links(html: str) -> set[str]:
    """Addresses that the main part of a page, and what it loads, lead to."""
    inside = html.partition("<main")[2].partition("</main>")[0] + html.partition("</head>")[0]
    return {
        found for found in re.findall(r'(?:href|src|action)="(/[^"#]*)', inside) if not found.startswith("/static/")
    }


def test_no_page_serves_a_reference_before_the_tenth_dialogue_is_answered(client: Client, bank: ItemBank) -> None:
    client.post("/you/start/")
    for number in range(1, 11):
        own = {"/you/", "/you/result/", "/you/consent/", *(f"/you/{at}/" for at in range(1, 12))}
        for address in {*own, *(each for each in links(page(client, f"/you/{number}/")) if each != "/you/start/")}:
            body = client.get(address, follow=True).content.decode()
            assert str(REFERENCE) not in body, (number, address)
            # A feed's times may hold the figure by chance, as in 20:53.22.
            assert not re.search(r"(?<![\d:.])3\.22", body), (number, address)
        response = client.post(f"/you/{number}/", ratings(number))
        assert str(REFERENCE) not in response.content.decode()
    assert "reference 3.22" in text(client, "/you/result/")


def test_nothing_can_be_changed_once_the_references_were_shown(client: Client, bank: ItemBank) -> None:
    assert answer(client).headers["Location"] == "/you/result/"
    before = client.session["you"]["answers"]
    for number in (1, 10):
        assert client.post(f"/you/{number}/", ratings(0, 3, 3, 3, 3)).headers["Location"] == "/you/result/"
    assert client.session["you"]["answers"] == before


def test_an_answer_can_be_changed_before(client: Client, bank: ItemBank) -> None:
    answer(client, 2)
    assert 'value="7"' in text(client, "/you/1/")
    client.post("/you/1/", ratings(1, 1, 2, 3, 4))
    assert [1, 2, 3, 4] in client.session["you"]["answers"].values()


@pytest.mark.parametrize("wrong", ["", "11", "-1", "2.5", "²", "x", "1e1"])
def test_a_rating_is_a_whole_number_from_0_to_10(client: Client, bank: ItemBank, wrong: str) -> None:
    client.post("/you/start/")
    response = client.post("/you/1/", {**ratings(1), "r2": wrong})
    assert response.status_code == 422
    assert 'href="#r2"' in response.content.decode()
    assert client.session["you"]["answers"] == {}


def test_a_dialogue_has_no_value_until_one_is_given(client: Client, bank: ItemBank) -> None:
    client.post("/you/start/")
    fields = re.findall(r'<input class="rating"[^>]*>', page(client, "/you/1/"))
    assert len(fields) == 4
    assert all('value=""' in field and "required" in field and 'type="number"' in field for field in fields)


def test_later_dialogues_wait_for_the_earlier_ones(client: Client, bank: ItemBank) -> None:
    assert client.get("/you/3/").headers["Location"] == "/you/"
    answer(client, 2)
    assert client.get("/you/7/").headers["Location"] == "/you/3/"
    assert client.get("/you/result/").headers["Location"] == "/you/3/"


def test_the_score_is_that_of_the_products_own_scorer(client: Client, bank: ItemBank) -> None:
    bank.items.update(reference=[3.0, 3.0, 3.0, 3.0])
    answer(client, 10, 3, 3, 3, 3)
    assert "You score 100.0 of 100 points" in text(client, "/you/result/")
    answer(client, 10, 4, 3, 3, 3)
    # One rating is off by one: 6.5 / (1 + e^3.6) × 0.7477 = 0.129 points of 10, in every dialogue.
    assert "You score 98.7 of 100 points" in text(client, "/you/result/")


def test_the_rank_is_among_the_models_on_the_same_dialogues(client: Client, bank: ItemBank) -> None:
    for name, own in (("high", 9.0), ("mid", 6.0), ("low", 1.0)):
        run = make_run(bank=bank, model=make_model(name), status="finished", score=10 * own)
        for item in bank.items.all():
            value = own + item.number % 3 / 10
            run.results.create(item=item, state="read", reading="official", answer=[1, 2, 3, 4], score=value)
    refresh_standings()
    refresh_statistics()
    bank.items.update(reference=[3.0, 3.0, 3.0, 3.0])
    answer(client, 10, 7, 3, 3, 3)  # 10 − 0.7477 × 3.25 = 7.57
    html = text(client, "/you/result/")
    assert "You would rank 2 of 4" in html
    assert "These ten dialogues leave no other rank open." in html
    assert "Closest models on these ten: mid and high." in html
    assert "better than 2 of 3 models" in html


def test_nothing_is_stored_without_consent(client: Client, bank: ItemBank, slow: None) -> None:
    answer(client)
    page(client, "/you/result/")
    assert client.post("/you/join/", {}).status_code == 422
    assert client.post("/you/join/", {"agree": "0"}).status_code == 422
    assert not HumanSet.objects.exists()


def test_a_set_is_stored_with_its_consent_and_without_a_person(client: Client, bank: ItemBank, slow: None) -> None:
    answer(client)
    assert client.post("/you/join/", {"agree": "2"}).headers["Location"] == "/you/result/#join"
    (stored,) = HumanSet.objects.all()
    names = {field.name for field in HumanSet._meta.get_fields()}
    assert names == {"id", "bank", "answers", "consent_version", "day", "excluded", "dropped", "dropped_because"}
    assert (stored.consent_version, stored.excluded, len(stored.answers)) == (2, "", 10)
    assert dict(stored.answers) == client.session["you"]["answers"]
    assert "Your answers were added." in text(client, "/you/result/")


def test_one_set_a_session_and_a_network_turn(client: Client, bank: ItemBank, slow: None) -> None:
    answer(client)
    client.post("/you/join/", {"agree": "2"})
    answer(client)
    client.post("/you/join/", {"agree": "2"})
    other = Client()
    answer(other)
    assert other.post("/you/join/", {"agree": "2"}).status_code == 429
    assert HumanSet.objects.count() == 1
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    answer(elsewhere)
    elsewhere.post("/you/join/", {"agree": "2"})
    assert HumanSet.objects.count() == 2


def test_what_does_not_count_is_stored_as_such_and_said(client: Client, bank: ItemBank) -> None:
    answer(client)  # within milliseconds
    client.post("/you/join/", {"agree": "2"})
    assert HumanSet.objects.get().excluded == "fast"
    html = text(client, "/you/result/")
    assert "they do not count" in html
    assert "answered in less than 3 seconds" in html


@pytest.mark.parametrize(
    ("answers", "seconds", "reason"),
    [
        ([[3, 3, 3, 3], [5, 5, 5, 5]], [9, 9], "equal"),
        ([[1, 2, 3, 4], [1, 2, 3, 4]], [9, 9], "equal"),
        ([[1, 2, 3, 4], [1, 2, 3, 5]], [9, 2.9], "fast"),
        ([[1, 2, 3, 4], [1, 2, 3, 5]], [9, 3], ""),
    ],
)
def test_the_rule_of_what_counts(answers: list[list[int]], seconds: list[float], reason: str) -> None:
    assert excluded_by(answers, seconds) == reason


def test_the_items_that_fewest_have_answered_come_first_and_none_twice(bank: ItemBank) -> None:
    HumanSet.objects.create(
        bank=bank, answers=[["1", [1, 2, 3, 4]], ["2", [1, 2, 3, 4]]], consent_version=1, day=timezone.now().date()
    )
    play = new_play(bank, None)
    assert sorted(play.items, key=int) == [str(number) for number in range(3, 13)]
    assert len(set(new_play(bank, play).items)) == 10


def people(bank: ItemBank, n: int, **fields: Any) -> None:
    numbers = [item.item_id for item in bank.items.all()]
    for at in range(n):
        answers = [[item, [(at + int(item)) % 4, 3, 3, 3]] for item in numbers]
        HumanSet.objects.create(bank=bank, answers=answers, consent_version=1, day=timezone.now().date(), **fields)


def ranked(bank: ItemBank) -> None:
    for name, score in (("high", 95.0), ("low", 20.0)):
        make_run(bank=bank, model=make_model(name), status="finished", score=score)
    refresh_standings()


def test_the_line_for_people_waits_for_thirty_answers_an_item(client: Client, bank: ItemBank) -> None:
    ranked(bank)
    people(bank, 29)
    people(bank, 5, excluded="fast")
    people(bank, 5, dropped=True)
    assert ">People</a>" not in page(client, f"/rankings/{BANK}/")
    people(bank, 1)
    first, line, last = (" ".join(row) for row in table(page(client, f"/rankings/{BANK}/"))[1:])
    assert "30 to 30 answers per dialogue, 30 visitors" in line
    assert re.search(r"People 30 to 30 .* \d\d\.\d ±\d", line)
    assert "measured high" in first
    assert "measured low" in last


def test_the_line_is_no_row_that_counts_and_gives_way_to_filters(client: Client, bank: ItemBank) -> None:
    ranked(bank)
    people(bank, 30)
    assert "2 models" in page(client, f"/rankings/{BANK}/")
    for query in ("?q=high", "?sort=model", "?weights=open"):
        assert ">People</a>" not in page(client, f"/rankings/{BANK}/{query}")


def test_staff_can_take_a_set_out_and_back_in(client: Client, bank: ItemBank) -> None:
    ranked(bank)
    people(bank, 30)
    staff, chosen = root(), {"_selected_action": [HumanSet.objects.first().pk]}  # type: ignore[union-attr]
    staff.post("/admin/leaderboard/humanset/", {"action": "drop", **chosen})
    assert ">People</a>" not in page(client, f"/rankings/{BANK}/")
    staff.post("/admin/leaderboard/humanset/", {"action": "take_back", **chosen})
    assert ">People</a>" in page(client, f"/rankings/{BANK}/")


def test_a_shared_result_holds_the_score_and_no_answer(client: Client, bank: ItemBank) -> None:
    answer(client, 10, 7, 3, 3, 2)
    (address,) = re.findall(r'id="link" readonly value="https?://[^/]+([^"]+)"', page(client, "/you/result/"))
    html = page(Client(), address)
    (score,) = re.findall(r'class="huge">([^<]+)<', page(client, "/you/result/"))
    assert score in html
    assert str(REFERENCE) not in html
    assert Client().get(address[:-2] + "x/").status_code == 404


def test_without_the_bank_there_is_nothing_to_start(client: Client, db: None) -> None:
    assert "has not loaded EQ Open" in text(client, "/you/")
    assert client.post("/you/start/").status_code == 404


def test_the_rank_of_a_newcomer_is_that_of_the_boards_own_rule() -> None:
    chance = np.random.default_rng(7)
    others = chance.normal(6, 2, (30, 40)) + chance.normal(0, 1.5, (30, 1))
    others[3, :20] = np.nan
    own = chance.normal(6.5, 2, 40)
    found, board = rank_among(own, others), resampled_ranks(np.vstack([others, own]))
    assert (found.low, found.high, found.n) == (board.low[-1], board.high[-1], 31)


def test_the_error_of_a_mean_over_items_and_people() -> None:
    answers = [("a", 1, 1.0), ("a", 2, 3.0), ("b", 1, 5.0), ("b", 2, 7.0)]
    assert crossed_mean(answers) == 4.0
    # Items 2 and 6: variance 8 over 2 items. People 3 and 5: variance 2 over 2 people.
    assert crossed_error(answers) == pytest.approx((8 / 2 + 2 / 2) ** 0.5)
    assert crossed_error([("a", 1, 1.0), ("b", 1, 2.0)]) is None
    assert crossed_mean([("a", 1, 0.0), ("a", 2, 0.0), ("b", 1, 6.0)]) == 3.0
