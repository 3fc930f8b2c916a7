"""What the form says of a field that is wrong: what to do, never Django's own words; and of keys, what is true."""

import re
from datetime import date, timedelta
from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from evaluation.models import LanguageModel
from leaderboard.forms import KeyForm, SubmissionForm
from leaderboard.submissions.form_fields import KeyField
from leaderboard.submissions.moderating import approve
from leaderboard.wording.form_words import CODES
from tests.leaderboard.pages import page
from tests.leaderboard.sending import filled, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
DJANGO = ("This field", "Enter a", "Ensure", "Select a valid", "not allowed")


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("name", "", "Write the model’s name, like maker/model-7b."),
        ("params", "7B", "Write billions as a number, like 7 or 0.5."),
        ("params", "0", "Write billions as a number, like 7 or 0.5."),
        ("params", "nan", "Write billions as a number, like 7 or 0.5."),
        ("weights", "half", "Choose one of the three."),
        ("released_on", "soon", "Write the date as year, month and day, like 2024-05-31."),
        ("released_on", "0224-05-31", "Choose a day up to today, or leave it empty."),
        ("link", "a page", "Write the whole address of a page, like https://models.example/card."),
        ("base_url", "", "Write the address of your endpoint, like https://models.example/v1."),
        ("api_model", "", "Write the name as your endpoint lists it under /v1/models."),
        ("banks", [], "Choose at least one benchmark of the list."),
        ("banks", ["nonsense"], "Choose at least one benchmark of the list."),
        ("repeats", "2", "Choose 1, 3 or 5."),
        ("max_tokens", "many", "Write a whole number from 1 to 32,768."),
        ("max_tokens", "99999", "Write a whole number from 1 to 32,768."),
        ("concurrency", "20", "Write a whole number from 1 to 8."),
        ("concurrency", "", "Write a whole number from 1 to 8."),
        ("system_prompt", "x" * 4001, "Shorten this to at most 4,000 characters."),
        ("system_prompt", "a\0b", "The text contains a null character (code 0). Type it again."),
        ("extra_body", '{"top_p": 1e999}', "The extra fields cannot be read as JSON."),
        ("extra_body", r'{"stop": "\ud800"}', "The extra fields cannot be read as JSON."),
        ("extra_body", r'{"stop": ["\u0000"]}', "The extra fields hold the character U+0000"),
        ("contact", "team.example.org", "This address has no @. Write it like team@example.org."),
        ("contact", "team@", "Mail cannot reach this address. Write it like team@example.org."),
        ("contact", f"{'a' * 60}@{'b' * 60}.{'c' * 200}.example", "Mail cannot reach this address."),
        ("contact", f"team@{'.'.join(['b' * 60] * 4)}.example", "Shorten this to at most 254 characters."),
    ],
)
def test_a_wrong_field_says_what_to_do(field: str, typed: Any, sentence: str) -> None:
    form = SubmissionForm(filled(**{field: typed}))
    assert sentence in " ".join(map(str, form.errors[field]))
    assert list(form.errors) == [field]


def test_no_field_falls_back_to_a_sentence_of_django() -> None:
    """Each code that a field knows has a sentence of ours, but for keys and consent, which cannot fail with one."""
    for name, field in SubmissionForm().fields.items():
        if not isinstance(field, KeyField) and name not in {"publish_consent", "judging_consent"}:
            assert not [text for text in map(str, field.error_messages.values()) if text.startswith(DJANGO)], name
            assert set(CODES) <= set(field.error_messages), name


def test_an_overlong_text_is_told_how_long_it_may_be() -> None:
    long = dict.fromkeys(("name", "organisation", "licence", "api_model", "base_url"), "x" * 3000)
    form = SubmissionForm(filled(**long, link=f"https://models.example/{'x' * 300}"))
    for name, most in {**dict.fromkeys(("api_model", "link"), "200"), "organisation": "80", "licence": "80"}.items():
        assert form.errors[name] == [f"Shorten this to at most {most} characters."]
    assert form.errors["name"] == ["Shorten this to at most 120 characters."]
    assert form.errors["base_url"] == ["Shorten this to at most 2,048 characters."]


def test_the_release_date_reaches_a_model_that_is_new_and_what_a_moderator_sees(client: Client) -> None:
    dated, undated = sent(client, released_on="2024-05-31"), sent(client, name="maker/undated", released_on="")
    assert dated.request["facts"]["released_on"] == "2024-05-31"
    assert undated.request["facts"]["released_on"] is None
    assert approve(dated)
    assert approve(undated)
    known = dict(LanguageModel.objects.values_list("name", "released_on"))
    assert known == {"maker/new-model": date(2024, 5, 31), "maker/undated": None}


def test_a_release_date_in_the_future_is_refused() -> None:
    tomorrow = (timezone.now() + timedelta(days=1)).date().isoformat()
    assert "released_on" in SubmissionForm(filled(released_on=tomorrow)).errors
    assert SubmissionForm(filled(released_on=timezone.now().date().isoformat())).is_valid()


def test_wherever_a_key_is_asked_for_it_is_said_who_could_read_it(client: Client) -> None:
    found = sent(client, key="sk-a-key-of-mine")
    said = (
        str(SubmissionForm().fields["key"].help_text),
        str(KeyForm(endpoint=found.endpoint).fields["key"].help_text),
        unescape(page(client, f"/submissions/{found.token}/").partition('<ol class="timeline')[2]),
    )
    for text in said:
        assert "Encrypted before it is stored, used only to call your endpoint, never shown." in text
        assert "The operator of this site could decrypt it until it is erased" in text
        assert "worker" not in text


def test_a_field_of_keys_keeps_its_own_words() -> None:
    with pytest.raises(ValidationError, match=r"Enter the key\."):
        KeyField(required=True).clean("")


def errors_of(html: str) -> list[str]:
    return [part.partition("</p>")[0].partition(">")[2] for part in unescape(html).split('<p class="note" id="id_')[1:]]


def test_the_page_shows_the_sentences_at_their_fields(client: Client) -> None:
    wrong: dict[str, Any] = {"params": "7B", "api_model": "", "contact": "team.example.org"}
    response = client.post("/submit/", filled(**wrong))
    assert response.status_code == 422
    summary = response.content.decode().partition('id="errors"')[2].partition("</div>")[0]
    assert re.findall(r'href="#(\w+)">', summary) == ["id_params", "id_api_model", "id_contact"]
    assert errors_of(response.content.decode()) == [
        "Write billions as a number, like 7 or 0.5.",
        "Write the name as your endpoint lists it under /v1/models.",
        "This address has no @. Write it like team@example.org.",
    ]
