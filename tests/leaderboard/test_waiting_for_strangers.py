"""No web thread waits on a stranger's word without a bound: what look-ups, refusals and dry runs hold is counted."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import Client, override_settings

from evaluation.endpoints.guard import REFUSAL
from evaluation.models import Endpoint, KeyEvent
from leaderboard.models import Submission
from leaderboard.pages.submissions import views
from leaderboard.pages.submissions.views import OFTEN_KEYS
from leaderboard.pages.submit.views import BUSY, OFTEN_SENT, OFTEN_WRONG
from leaderboard.submissions.giving_way import Waiting
from leaderboard.submissions.limits import take_turn
from leaderboard.submissions.moderating import reject, withdraw
from leaderboard.submissions.places import LOOKUPS, PLACES, bounded_lookup, waiting_place
from tests.fakes import serve_raw, silent
from tests.leaderboard.sending import filled, sent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
HTMX = {"HX-Request": "true"}


class Names:
    """The system's resolver, which waits for each name until the test lets it go. Everything else stays as it is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.asked = threading.Event()
        self.let_go = threading.Event()
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: Any, *args: Any, **kwargs: Any) -> Any:
        if not str(host).endswith((".example", ".example.")):
            return self._real(host, *args, **kwargs)
        self.begun.append(str(host))
        self.asked.set()
        self.let_go.wait(timeout=60)
        raise socket.gaierror("nobody knows this name")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    made = Names(monkeypatch)
    yield made
    made.let_go.set()


class Sleeps:
    """`time.sleep`, which notes who sleeps how long and returns at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        monkeypatch.setattr(time, "sleep", self.seconds.append)


def posted(path: str, number: int, **changes: Any) -> Any:
    """The form from a network of its own."""
    address = f"203.0.113.{number}"
    return Client().post(path, filled(**changes), headers=HTMX, REMOTE_ADDR=address)


def without_leaving_a_connection(call: Callable[[], object]) -> None:
    """Django opens one database connection a thread; Python 3.13 warns where nobody closes it."""
    try:
        call()
    finally:
        connections.close_all()


def at_once(*calls: Any) -> list[threading.Thread]:
    threads = [threading.Thread(target=without_leaving_a_connection, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    return threads


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_an_address_that_is_refused_by_its_text_lets_no_thread_sleep_and_no_name_be_looked_up(
    names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeps = Sleeps(monkeypatch)
    key_form = sent(Client(), base_url="http://8.8.8.8/v1")
    for address in ("http://10.0.0.5/v1", "http://[fd00::1]/v1", "http://localhost/v1", "http://good.example:22/v1"):
        for path in ("/submit/", "/submit/dry-run/"):
            assert REFUSAL in posted(path, 1, base_url=address).content.decode().replace("&#x27;", "'")
    refused = Client().post(f"/submissions/{key_form.token}/key/", {"key": "sk-1"})
    assert refused.status_code == 422, "a key goes over https alone"
    assert (sleeps.seconds, names.begun) == ([], [])


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
@pytest.mark.parametrize("path", ["/submit/", "/submit/dry-run/"])
def test_names_that_never_resolve_hold_two_threads_of_a_process_and_no_more(path: str, names: Names) -> None:
    answers: list[int] = []
    posted(path, 99, base_url="http://10.0.0.5/v1")  # all is loaded then, so that the eight come together

    def ask(number: int) -> None:
        answers.append(
            posted(path, number, base_url=f"https://n{number}.example/v1", api_model=f"m{number}").status_code
        )

    threads = at_once(*(lambda number=number: ask(number) for number in range(1, 9)))
    for thread in threads:
        thread.join(timeout=60)
    assert len(names.begun) <= PLACES, "the others were answered without a look-up"
    assert len(answers) == 8


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_one_network_and_one_name_hold_one_thread_in_all_processes(names: Names) -> None:
    first = at_once(lambda: posted("/submit/dry-run/", 1, base_url="https://n1.example/v1"))
    assert names.asked.wait(timeout=60)
    mine = posted("/submit/dry-run/", 1, base_url="https://n2.example/v1").content.decode()
    same_host = posted("/submit/dry-run/", 2, base_url="https://n1.example/v1").content.decode()
    assert [BUSY in html for html in (mine, same_host)] == [True, True]
    assert names.begun == ["n1.example."]
    names.let_go.set()
    first[0].join(timeout=60)
    assert BUSY not in posted("/submit/dry-run/", 1, base_url="https://n1.example/v1").content.decode()


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_a_form_is_not_turned_away_because_others_wait(names: Names) -> None:
    waiting = at_once(lambda: posted("/submit/", 1, base_url="https://n1.example/v1"))
    assert names.asked.wait(timeout=60)
    assert posted("/submit/", 1, base_url="https://n2.example/v1", api_model="m2").status_code == 302
    assert Submission.objects.filter(endpoint__base_url="https://n2.example/v1").exists()
    names.let_go.set()
    waiting[0].join(timeout=60)


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
@pytest.mark.parametrize("path", ["/submit/", "/submit/dry-run/"])
def test_a_name_that_is_refused_takes_as_long_as_any_other_and_holds_a_place_meanwhile(
    path: str, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    names.let_go.set()
    pauses = list[float]()
    monkeypatch.setattr(Waiting, "pause", lambda _, seconds: pauses.append(seconds))
    html = posted(path, 1, base_url="https://n1.example/v1").content.decode()
    assert REFUSAL in html.replace("&#x27;", "'")
    assert len(pauses) == 1
    assert 0 < pauses[0] <= 1


def test_a_look_up_that_was_given_up_counts_until_the_system_ends_it() -> None:
    let_go = threading.Event()
    begun: list[str] = []

    def hang(name: str) -> Sequence[str]:
        begun.append(name)
        let_go.wait(timeout=60)
        return ["93.184.216.34"]

    def ask(network: str) -> None:
        look_up = bounded_lookup(network, hang)
        try:
            look_up("slow.example")
        except OSError:
            begun.append("refused")

    threads = at_once(*(lambda n=n: ask(f"203.0.113.{n}") for n in range(LOOKUPS)))
    while len(begun) < LOOKUPS:
        time.sleep(0.01)
    ask("203.0.113.0")
    ask("203.0.113.99")
    assert begun[LOOKUPS:] == ["refused", "refused"]
    let_go.set()
    for thread in threads:
        thread.join(timeout=60)
    ask("203.0.113.0")
    assert begun[-1] == "slow.example"


def test_places_are_given_back_and_counted_by_the_widest_network() -> None:
    with waiting_place("2001:db8:0:1::/64", "a.example") as first:
        assert first
        with waiting_place("2001:db8:0:2::/64", "b.example") as second:
            assert not second, "the same /48"
    for _ in range(PLACES + 1):
        with waiting_place("2001:db8:0:2::/64", "b.example") as free:
            assert free
    with pytest.raises(KeyError), waiting_place("203.0.113.1", "c.example"):
        raise KeyError
    with waiting_place("203.0.113.1", "c.example") as free:
        assert free


@override_settings(DRY_RUN_SILENCE_SECONDS=0.5, DRY_RUN_SECONDS=60)
def test_an_endpoint_that_accepts_and_never_answers_is_left_long_before_the_dry_run_must_end(client: Client) -> None:
    with serve_raw(silent) as address:
        html = client.post("/submit/dry-run/", filled(address), headers=HTMX).content.decode()
    assert "did not finish its answer in the time allowed" in html


def silent_after_a_byte(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    silent(connection)


@override_settings(DRY_RUN_SILENCE_SECONDS=0.5, DRY_RUN_SECONDS=60)
def test_so_is_one_that_stops_after_the_first_byte(client: Client) -> None:
    with serve_raw(silent_after_a_byte) as address:
        html = client.post("/submit/dry-run/", filled(address), headers=HTMX).content.decode()
    assert "did not finish its answer in the time allowed" in html


@override_settings(DRY_RUNS_PER_ADDRESS=1)
def test_forms_with_a_fault_are_counted_too_and_the_last_answer_is_short(client: Client) -> None:
    pages = [client.post("/submit/", filled(api_model="")) for _ in range(4)]
    assert [page.status_code for page in pages] == [422, 422, 429, 429]
    assert OFTEN_WRONG in pages[-2].content.decode()
    assert pages[-1].content == pages[-2].content
    assert len(pages[-1].content) < len(pages[0].content) / 2
    assert OFTEN_WRONG in client.post("/submit/dry-run/", filled(api_model=""), headers=HTMX).content.decode()
    assert client.post("/submit/dry-run/", filled(api_model="")).status_code == 429
    assert client.post("/submit/", filled(), REMOTE_ADDR="192.0.2.7").status_code == 302


@override_settings(DRY_RUNS_PER_ADDRESS=0)
@pytest.mark.parametrize(("path", "headers"), [("/submit/", {}), ("/submit/dry-run/", {}), ("/submit/dry-run/", HTMX)])
def test_who_was_refused_a_moment_ago_is_refused_before_a_form_is_made(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str, headers: dict[str, str]
) -> None:
    """Making the form is most of what a refusal costs, and a crowd that is refused must not fill the threads."""
    refusal = client.post(path, filled(api_model=""), headers=headers)
    monkeypatch.setattr("leaderboard.pages.submit.views.SubmissionForm", None)
    again = client.post(path, filled(api_model=""), headers=headers)
    assert OFTEN_WRONG in refusal.content.decode()
    assert (again.status_code, again.content) == (refusal.status_code, refusal.content)


@override_settings(DRY_RUNS_PER_ADDRESS=1)
def test_keys_and_submissions_take_a_turn_before_a_name_is_looked_up(client: Client, names: Names) -> None:
    names.let_go.set()
    found = sent(client)
    Endpoint.objects.update(base_url="https://n1.example/v1")
    assert take_turn("key", "127.0.0.1", 1)
    refused = client.post(f"/submissions/{found.token}/key/", {"key": "sk-1"})
    assert OFTEN_KEYS in refused.content.decode()
    cache.clear()
    assert OFTEN_SENT in client.post("/submit/", filled("https://n2.example/v1")).content.decode()
    assert names.begun == []
    assert not KeyEvent.objects.exists()


@pytest.mark.parametrize("act", [withdraw, lambda found: reject(found, "no such model")])
def test_a_key_whose_host_is_looked_up_while_its_submission_ends_is_not_kept(
    act: Callable[[Submission], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sent(Client(), key="sk-1")

    def ended_meanwhile(*_: object, **__: object) -> str:
        assert act(Submission.objects.get(pk=found.pk))
        return ""

    monkeypatch.setattr(views, "name_refusal", ended_meanwhile)
    answer = Client().post(f"/submissions/{found.token}/key/", {"key": "sk-2"}, follow=True)
    assert views.DECIDED in answer.content.decode()
    assert Endpoint.objects.get(pk=found.endpoint_id).sealed_key == ""
