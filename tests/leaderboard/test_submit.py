"""The form: what it asks, what it refuses and how, what it saves, and who has sent too many."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.endpoints.guard import REFUSAL
from evaluation.keys.sealing import unseal
from evaluation.models import Endpoint, FaultKind, KeyEvent, LanguageModel, Run, Status
from leaderboard.forms import SubmissionForm
from leaderboard.models import Submission
from leaderboard.submissions.limits import take_turn
from tests.evaluation.judged import prompt_bank
from tests.factories import make_endpoint, make_model, make_run
from tests.leaderboard.pages import content_of, page, publish
from tests.leaderboard.sending import CANARY, filled, offered_bank, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
NETWORKS = {"ENDPOINT_ALLOWED_NETWORKS": ["127.0.0.0/8"]}


def refused(client: Client, **changes: Any) -> str:
    response = client.post("/submit/", filled(**changes))
    assert response.status_code == 422
    assert Submission.objects.count() == Endpoint.objects.count() == 0
    return content_of(response)


def test_each_field_says_why_it_is_asked(client: Client) -> None:
    prompt_bank()  # whose replies judges may read
    html = page(client, "/submit/")
    for name, field in SubmissionForm.base_fields.items():
        assert f'name="{name}"' in html
        assert field.help_text
        assert f'id="id_{name}_helptext"' in html


def test_networks_that_this_board_allows_are_named_beside_the_public_internet(client: Client) -> None:
    with override_settings(ENDPOINT_ALLOWED_NETWORKS=["127.0.0.0/8", "10.1.0.0/16"]):
        assert "or lie in 127.0.0.0/8, 10.1.0.0/16, which this board allows." in page(client, "/submit/")
    with override_settings(ENDPOINT_ALLOWED_NETWORKS=[]):
        assert "It must be reachable from the public internet.</p>" in page(client, "/submit/")


def test_the_header_leads_to_the_form(client: Client) -> None:
    assert 'href="/submit/"' in page(client, "/")


def test_known_models_complete_and_keep_their_facts(client: Client) -> None:
    model = make_model("maker/known", organisation="Maker", licence="mit")
    publish(model, "scenes", 61.5)
    assert '<option value="maker/known">' in page(client, "/submit/")
    assert "On the board already" in page(client, "/submit/known/?name=maker/known")
    assert "On the board already" not in page(client, "/submit/known/?name=maker/other")
    sent(client, name="maker/known", licence="proprietary", organisation="Somebody")
    model.refresh_from_db()
    assert (model.licence, model.organisation) == ("mit", "Maker")


def test_a_model_without_anything_public_is_not_completed(client: Client) -> None:
    make_endpoint(model=make_model("maker/secret"))
    assert "maker/secret" not in page(client, "/submit/")


def test_a_form_in_order_saves_submission_and_endpoint_and_no_run(client: Client) -> None:
    found = sent(client, extra_body='{"top_p": 0.5}', system_prompt="Be brief.")
    assert (found.state, found.contact, found.publish_consent) == ("pending", "team@models.example", True)
    assert found.request["facts"]["params_billion"] == 7.0
    assert (found.endpoint.base_url, found.endpoint.extra_body) == ("http://127.0.0.1:9/v1", {"top_p": 0.5})
    assert Run.objects.count() == 0
    assert [event.text for event in found.events.all()] == ["Submitted.", "A moderator looks at it before it runs."]


@pytest.mark.parametrize("contact", ["", "team@models.example"])
def test_the_network_is_the_owner_whatever_contact_is_typed(client: Client, contact: str) -> None:
    found = sent(client, contact=contact)
    assert found.owner == found.endpoint.owner == "127.0.0.1"


def test_a_key_is_sealed_and_stands_nowhere_else(client: Client) -> None:
    found = sent(client, key=f"  {CANARY}\n")
    assert unseal(found.endpoint.sealed_key) == CANARY
    assert CANARY not in found.endpoint.sealed_key
    assert found.endpoint.key_events.get().kind == KeyEvent.Kind.SEALED
    assert CANARY not in str(found.request)
    assert all(CANARY not in str(session.get_decoded()) for session in Session.objects.all())
    assert CANARY not in page(client, f"/submissions/{found.token}/")


@pytest.mark.parametrize("wrong", [{"api_model": ""}, {"key": f"{CANARY} ü"}, {"key": CANARY + "x" * 600}])
def test_a_key_is_never_rendered_back(client: Client, wrong: dict[str, str]) -> None:
    html = refused(client, **{"key": CANARY, **wrong})
    assert CANARY not in html
    assert 'type="password"' in html


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel", "x" * 513, "a\x00b", "tab\tkey"])
def test_a_key_that_would_break_a_header_is_refused(client: Client, key: str) -> None:
    assert "id_key_error" in refused(client, key=key)


# Spellings that the form itself refuses stand in the guard's own corpus.
@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000", "http://[::1]:8000", "http://169.254.169.254", "http://10.0.0.1/v1", "http://2130706433",
        "http://localhost:8000", "http://metadata.google.internal", "http://8.8.8.8:6379", "https://192.168.1.1",
        "http://nowhere.invalid",
    ],
)  # fmt: skip
@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_every_address_that_may_not_be_called_gets_the_same_sentence(client: Client, address: str) -> None:
    assert REFUSAL in refused(client, base_url=address).replace("&#x27;", "'")


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_a_key_demands_https(client: Client) -> None:
    assert REFUSAL in refused(client, base_url="http://8.8.8.8", key=CANARY)
    assert client.post("/submit/", filled("http://8.8.8.8")).status_code == 302


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("", "Write the address of your endpoint, like https://models.example/v1."),
        ("ftp://models.example", "must begin with http:// or https://"),
        ("https://user:pass@models.example/v1", "must not contain a user name or password"),
        ("https://models.example/v1?key=1", "must not contain a query"),
        ("https://models.example\\@127.0.0.1/", "must not contain spaces, control characters or backslashes"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_with_its_reason(client: Client, address: str, sentence: str) -> None:
    assert sentence in refused(client, base_url=address)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "cannot be read as JSON"),
        ("[1]", "must be one JSON object"),
        ('{"a": NaN}', "cannot be read as JSON"),
        ('{"a": 1, "a": 2}', "cannot be read as JSON"),
        ('{"a": {"b": {"c": {"d": 1}}}, "e": [[[[1]]]]}', "nested deeper than 4"),
        ("[" * 3000, "cannot be read as JSON"),
        ('{"a": "' + "x" * 4096 + '"}', "longer than 4 KB"),
        ('{"model": "other"}', "must not set model"),
        ('{"messages": []}', "must not set messages"),
        ('{"stream": true}', "must not set stream"),
        ('{"n": 5}', "must not set n"),
    ],
)
def test_extra_fields_are_refused_with_what_is_wrong(client: Client, text: str, sentence: str) -> None:
    assert sentence in refused(client, extra_body=text)


@pytest.mark.parametrize("text", ["", "  ", "{}", '{"a": {"b": {"c": {"d": 1}}}}', '{"stop": ["\\n"], "top_k": 1}'])
def test_extra_fields_in_order_are_taken(client: Client, text: str) -> None:
    sent(client, extra_body=text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Qwеn/with-cyrillic"),
        ("name", "<script>"),
        ("name", ""),
        ("organisation", "evil\u202egro"),
        ("repeats", "2"),
        ("max_tokens", "0"),
        ("max_tokens", "99999"),
        ("concurrency", "9"),
        ("banks", ["nonsense"]),
        ("banks", []),
        ("contact", "team.example.org"),
        ("link", "javascript:alert(1)"),
        ("params", "-1"),
        ("system_prompt", "x" * 4001),
        ("system_prompt", "a\x00b"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_saved(client: Client, field: str, value: object) -> None:
    html = refused(client, **{field: value})
    assert f'id="id_{field}_error"' in html
    assert "One field needs you first" in html
    assert LanguageModel.objects.count() == 0


def test_a_private_bank_is_not_offered(client: Client) -> None:
    offered_bank(slug="own", title="Operator's own", access="private")
    assert "Operator" not in page(client, "/submit/")
    assert 'id="id_banks_error"' in refused(client, banks=["own"])


@pytest.mark.parametrize("days", [None, 0, 400])
def test_a_key_is_kept_to_a_date_that_is_near(client: Client, days: int | None) -> None:
    chosen = "" if days is None else (timezone.now() + timedelta(days=days)).date().isoformat()
    assert 'id="id_kept_until_error"' in refused(client, key=CANARY, keep="keep", kept_until=chosen)


def test_a_key_that_is_kept_carries_its_date(client: Client) -> None:
    until = (timezone.now() + timedelta(days=30)).date()
    found = sent(client, key=CANARY, keep="keep", kept_until=until.isoformat())
    assert found.endpoint.key_kept_until == until


def test_the_same_while_it_is_open_is_recognised_and_linked_to_who_sent_it(client: Client) -> None:
    first = sent(client)
    again = client.post("/submit/", filled())
    assert again.status_code == 409
    assert f"/submissions/{first.token}/" in content_of(again)
    stranger = Client().post("/submit/", filled(contact=""))
    assert stranger.status_code == 409
    assert first.token not in content_of(stranger)
    assert Submission.objects.count() == Endpoint.objects.count() == 1


@pytest.mark.parametrize("other", [{"api_model": "b"}, {"max_tokens": "4000"}, {"extra_body": '{"a": 1}'}])
def test_another_question_is_no_twin(client: Client, other: dict[str, str]) -> None:
    sent(client)
    sent(client, **other)


def test_after_a_failure_the_same_is_accepted_again(client: Client) -> None:
    """Q08."""
    first = sent(client)
    first.runs.add(make_run(endpoint=first.endpoint, status=Status.FAILED, failure_kind=FaultKind.ENDPOINT))
    Submission.objects.update(state=Submission.State.APPROVED)
    second = sent(client, key=CANARY)
    assert second.pk != first.pk


@override_settings(SUBMISSIONS_PER_DAY=2)
def test_the_quota_of_a_day_names_when_there_is_room_again(client: Client) -> None:
    first = sent(client, api_model="a")
    sent(client, api_model="b")
    response = client.post("/submit/", filled(api_model="c"))
    assert response.status_code == 429
    resets = first.created_at + timedelta(days=1)
    assert "2 submissions came from your network in the last 24 hours" in content_of(response)
    assert f"{resets:%H:%M} UTC" in content_of(response)
    assert Client(REMOTE_ADDR="192.0.2.1").post("/submit/", filled(api_model="d")).status_code == 302
    Submission.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(hours=25))
    sent(client, api_model="c")


@override_settings(SUBMISSIONS_PER_DAY=2, DRY_RUNS_PER_ADDRESS=100)
def test_a_wider_ipv6_network_has_a_larger_quota_and_it_ends_too(client: Client) -> None:
    """One /48 holds 65,536 networks of the size that a customer has at the least."""

    def statuses(addresses: list[str]) -> list[int]:
        forms = [filled(api_model=f"m-{address}") for address in addresses]
        return [
            client.post("/submit/", form, REMOTE_ADDR=address).status_code
            for form, address in zip(forms, addresses, strict=True)
        ]

    assert statuses([f"2001:db8:1:{number:x}::1" for number in range(6)]) == [302] * 4 + [429] * 2, "a /56, twice"
    assert statuses([f"2001:db8:1:{number:x}00::1" for number in range(1, 5)]) == [302] * 2 + [429] * 2, "a /48, thrice"
    assert statuses(["2001:db8:2::1", "2001:db8:2::2", "2001:db8:2::3"]) == [302, 302, 429], "a /64, once"


@override_settings(DRY_RUNS_PER_ADDRESS=1)
def test_turns_are_counted_by_wider_ipv6_networks_too() -> None:
    taken = [take_turn("dry-run", f"2001:db8:1:{number:x}::/64", 2) for number in range(6)]
    assert taken == [True] * 4 + [False] * 2
    taken = [take_turn("dry-run", f"2001:db8:1:{number:x}00::/64", 2) for number in range(1, 5)]
    assert taken == [True] * 2 + [False] * 2
    assert take_turn("dry-run", "2001:db8:2::/64", 2)


@override_settings(SUBMISSIONS_PER_DAY=1)
def test_a_fault_of_ours_uses_up_no_quota(client: Client) -> None:
    first = sent(client, api_model="a")
    first.runs.add(make_run(endpoint=first.endpoint, status=Status.FAILED, failure_kind=FaultKind.PLATFORM))
    sent(client, api_model="b")


@override_settings(DRY_RUNS_PER_ADDRESS=2, SUBMISSIONS_PER_DAY=50)
def test_one_network_cannot_send_without_end_under_ever_new_names(client: Client) -> None:
    for number in range(2):
        sent(client, api_model=f"m{number}", contact=f"a{number}@models.example")
    with CaptureQueriesContext(connection) as captured:
        response = client.post("/submit/", filled(api_model="m9", contact="a9@models.example"))
    assert response.status_code == 429
    counted = [query["sql"] for query in captured if "limits" in query["sql"]]
    assert len(counted) == 1, "a refusal looks once and writes nothing"


@override_settings(SUBMISSIONS_AUTO_APPROVE=True)
def test_a_name_that_looks_like_another_waits_for_a_moderator(client: Client) -> None:
    make_model("maker/modern")
    found = sent(client, name="maker/rnodern")
    assert found.flagged
    assert "looks like 'maker/modern'" in found.note


def test_a_submission_needs_the_csrf_token() -> None:
    assert Client(enforce_csrf_checks=True).post("/submit/", filled()).status_code == 403


def test_a_submission_of_another_has_an_endpoint_of_its_own(client: Client) -> None:
    """Q07: no key ever serves the run of somebody else."""
    first = sent(client, key=CANARY)
    second = sent(client, contact="other@models.example", max_tokens="100")
    assert first.endpoint != second.endpoint
    assert second.endpoint.sealed_key == ""


def test_the_canary_stands_in_no_table_and_no_log_after_all_that_a_form_can_go_through(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """R10, Q19: a faulty form, a dry run that fails, a submission, and a second one that is refused."""
    caplog.set_level("DEBUG")
    refused(client, key=CANARY, api_model="")
    assert client.post("/submit/dry-run/", filled(key=CANARY)).status_code == 200
    sent(client, key=CANARY)
    assert client.post("/submit/", filled(key=CANARY)).status_code == 409
    rows = [str(row) for model in apps.get_models() for row in model._default_manager.values()]
    assert len(rows) > 5
    assert not [row for row in rows if CANARY in row]
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    "typed", ["https://me:{}@models.example/v1", "me:{}@models.example/v1", " http://{}@m.example"]
)
def test_an_address_with_a_key_in_it_is_shown_again_without_the_key(client: Client, typed: str) -> None:
    html = refused(client, base_url=typed.format(CANARY))
    assert CANARY not in html
    assert "m.example" in html or "models.example/v1" in html
