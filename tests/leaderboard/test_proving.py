"""The proof that a submitter controls a domain: where the token counts, who looks for it, and what it changes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiohttp import web
from celery.signals import before_task_publish
from django.test import Client

from evaluation.endpoints.errors import EndpointError, fault
from evaluation.endpoints.text_file import MAX_BYTES, text_at
from evaluation.models import Endpoint, LanguageModel, Run, Status
from leaderboard.celery import app
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions import proving
from leaderboard.submissions.moderating import approve, withdraw
from leaderboard.submissions.proving import address_of, domains_of, prove, token_of
from tests.fakes import ON_LOOPBACK, serve
from tests.leaderboard.pages import page
from tests.leaderboard.sending import sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]


@pytest.fixture
def submission(client: Client) -> Submission:
    """With a public, finished run, an endpoint at api.models.example and a maker at maker.example."""
    found = sent(client)
    approve(found)
    Endpoint.objects.update(base_url="https://api.models.example/v1")
    LanguageModel.objects.filter(pk=found.model_id).update(maker_domain="maker.example")
    Run.objects.update(status=Status.FINISHED, score=60.0, published=True)
    refresh_standings()
    return Submission.objects.select_related("model", "endpoint").get(pk=found.pk)


def serving(text: str) -> Callable[[str], str]:
    return lambda address: text


def refusing(error: EndpointError) -> Callable[[str], str]:
    def read(address: str) -> str:
        raise error

    return read


def vouched_by() -> str:
    return str(Standing.objects.get().vouched_by)


def test_the_token_counts_under_the_makers_domain_and_on_the_endpoints_own_host(submission: Submission) -> None:
    assert domains_of(submission) == ("maker.example", "api.models.example")
    assert address_of("maker.example") == "https://maker.example/.well-known/eq-leaderboard.txt"


@pytest.mark.parametrize("base_url", ["https://192.0.2.7/v1", "http://localhost:8000/v1", "http://127.1/v1"])
def test_an_address_without_a_domain_proves_nothing(submission: Submission, base_url: str) -> None:
    submission.endpoint.base_url = base_url
    submission.model.maker_domain = ""
    assert domains_of(submission) == ()


def test_the_token_is_the_submissions_own_and_does_not_open_its_page(client: Client, submission: Submission) -> None:
    other = sent(client, name="maker/other")
    assert token_of(submission) != token_of(other)
    assert submission.token not in token_of(submission)
    assert client.get(f"/submissions/{token_of(submission).partition('=')[2]}/").status_code == 404


@pytest.mark.parametrize(("domain", "level"), [("maker.example", "maker"), ("api.models.example", "host")])
def test_a_found_token_changes_who_vouches(client: Client, submission: Submission, domain: str, level: str) -> None:
    assert vouched_by() == "submitter"
    asked = []

    def read(address: str) -> str:
        asked.append(address)
        return f"another=1\n  {token_of(submission)}\r\n"

    assert prove(submission.pk, domain, read)
    assert asked == [address_of(domain)]
    assert vouched_by() == level
    html = page(client, f"/submissions/{submission.token}/")
    assert f"The token was found under {domain}" in html


def test_a_proof_of_the_host_does_not_replace_that_of_the_maker(submission: Submission) -> None:
    there = serving(token_of(submission))
    assert prove(submission.pk, "maker.example", there)
    assert prove(submission.pk, "api.models.example", there)
    assert vouched_by() == "maker"


def test_a_domain_that_staff_take_back_is_the_makers_no_more(submission: Submission) -> None:
    prove(submission.pk, "maker.example", serving(token_of(submission)))
    LanguageModel.objects.update(maker_domain="other.example")
    refresh_standings()
    assert vouched_by() == "host"


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (serving("nothing of ours"), "the file has no line with it"),
        (serving("eq-leaderboard="), "the file has no line with it"),
        (refusing(fault("refused", status=404)), "the host answered with status 404"),
        (refusing(fault("unreachable")), "the host could not be reached"),
    ],
)
def test_what_was_not_found_is_said_with_its_reason_and_changes_nothing(
    submission: Submission, read: Callable[[str], str], words: str
) -> None:
    assert not prove(submission.pk, "maker.example", read)
    assert words in submission.events.latest("pk").text
    assert vouched_by() == "submitter"


def test_the_token_of_another_submission_proves_nothing(client: Client, submission: Submission) -> None:
    other = sent(client, name="maker/other")
    assert not prove(submission.pk, "maker.example", serving(token_of(other)))


def test_neither_another_domain_nor_a_withdrawn_submission_is_looked_at(submission: Submission) -> None:
    def never(address: str) -> str:
        raise AssertionError(address)

    assert not prove(submission.pk, "elsewhere.example", never)
    withdraw(submission)
    assert not prove(submission.pk, "maker.example", never)


@pytest.fixture
def calls() -> Iterator[list[Any]]:
    """What is sent to the workers, while nobody can be reached."""
    found: list[Any] = []

    def note(sender: str, body: Any, **_: object) -> None:
        found.append((sender, tuple(body[0])))

    before = app.conf.broker_url
    app.conf.update(broker_url="redis+socket:///nowhere/redis.sock")
    before_task_publish.connect(note, weak=False)
    yield found
    before_task_publish.disconnect(note)
    app.conf.update(broker_url=before)


def test_the_web_only_calls_a_worker(
    client: Client, submission: Submission, calls: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    path = f"/submissions/{submission.token}/prove/"
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(path, {"domain": "maker.example"}, follow=True)
    assert "now looks for the token under maker.example" in response.content.decode()
    assert calls == [(proving.TASK, (submission.pk, "maker.example"))]
    assert client.post(path, {"domain": "elsewhere.example"}).status_code == 404
    assert client.get(path).status_code == 405
    assert Client(enforce_csrf_checks=True).post(path, {"domain": "maker.example"}).status_code == 403


def test_the_worker_knows_the_task(submission: Submission) -> None:
    LanguageModel.objects.update(maker_domain="")
    Endpoint.objects.update(base_url="https://192.0.2.7/v1")
    app.loader.import_default_modules()  # as a worker does when it starts
    assert app.tasks[proving.TASK](submission.pk, "maker.example") is None
    assert vouched_by() == "submitter"


def test_checks_are_counted_by_network_and_by_domain(client: Client, submission: Submission, settings: Any) -> None:
    settings.DRY_RUNS_PER_ADDRESS, settings.DRY_RUNS_PER_HOST = 5, 1
    path = f"/submissions/{submission.token}/prove/"
    assert [client.post(path, {"domain": "maker.example"}).status_code for _ in range(2)] == [302, 429]


def test_the_page_shows_the_token_and_each_address(client: Client, submission: Submission) -> None:
    html = page(client, f"/submissions/{submission.token}/")
    assert token_of(submission) in html
    assert all(address_of(domain) in html for domain in domains_of(submission))
    withdraw(submission)
    assert token_of(submission) not in page(client, f"/submissions/{submission.token}/")


@pytest.mark.parametrize("domain", ["https://maker.example", "maker.example/x", "maker", "127.0.0.1", "-a.example"])
def test_staff_can_record_a_domain_alone(submission: Submission, domain: str) -> None:
    model = submission.model
    path = f"/admin/evaluation/languagemodel/{model.pk}/change/"
    typed = {"name": model.name, "slug": model.slug, "display_name": model.display_name, "maker_domain": domain}
    response = root().post(path, typed)
    assert "Write a domain alone, like maker.example." in response.content.decode()
    model.refresh_from_db()
    assert model.maker_domain == "maker.example"


def test_the_admin_has_a_field_for_the_makers_domain(submission: Submission) -> None:
    assert 'name="maker_domain"' in page(root(), f"/admin/evaluation/languagemodel/{submission.model_id}/change/")


def test_the_admin_lists_what_is_missing(submission: Submission) -> None:
    LanguageModel.objects.update(organisation="")
    path = "/admin/evaluation/languagemodel/?missing="
    shown = {gap: "maker/new-model" in page(root(), path + gap).partition("result_list")[2] for gap in ("maker", "any")}
    assert shown == {"maker": True, "any": True}
    assert "maker/new-model" not in page(root(), path + "weights").partition("result_list")[2]


def files(asked: list[str]) -> web.Application:
    """A host with a file, one that is too large, and one that lies elsewhere."""

    async def handle(request: web.Request) -> web.Response:
        asked.append(f"{request.method} {request.path}")
        if request.path == "/moved.txt":
            return web.Response(status=302, headers={"Location": "/file.txt"})
        return web.Response(text="x" * (MAX_BYTES + 1) if request.path == "/large.txt" else "a line\nanother")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    return app


def test_the_file_is_read_by_the_guard_with_bounds_and_no_redirect_is_followed() -> None:
    asked: list[str] = []
    with serve(files(asked)) as url:
        assert text_at(f"{url}/file.txt", ON_LOOPBACK) == "a line\nanother"
        with pytest.raises(EndpointError, match="larger"):
            text_at(f"{url}/large.txt", ON_LOOPBACK)
        with pytest.raises(EndpointError) as caught:
            text_at(f"{url}/moved.txt", ON_LOOPBACK)
    assert caught.value.status == 302
    assert asked == ["GET /file.txt", "GET /large.txt", "GET /moved.txt"]


def test_an_address_inside_is_refused_by_the_guard_of_the_settings(settings: Any) -> None:
    settings.ENDPOINT_ALLOWED_NETWORKS = []
    asked: list[str] = []
    with serve(files(asked)) as url, pytest.raises(EndpointError) as caught:
        proving.guarded_text(f"{url}/file.txt")
    assert caught.value.code == "address-refused"
    assert asked == []
