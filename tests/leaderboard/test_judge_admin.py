"""Judges in the admin: the key is sealed at once and never shown; what opens and what does not."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.utils.html import escape

from evaluation.endpoints.guard import REFUSAL
from evaluation.keys.sealing import unseal
from evaluation.models import Endpoint, Judge, Run
from evaluation.runs.judging import open_judge_runs
from tests.evaluation.judged import gathered, make_judge
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
LIST = "/admin/evaluation/judge/"
KEY, OTHER = "sk-first-Key/0123456789", "sk-other-Key/0123456789"


def register(**changes: Any) -> Any:
    form = {
        "name": "Judge one", "maker": "Maker", "base_url": "https://judges.example/v1/", "api_model": "judge-large",
        "key": KEY, "max_tokens": "512", "concurrency": "2",
    }  # fmt: skip
    return root().post(f"{LIST}add/", {**form, **changes}, follow=True)


def test_a_judge_is_registered_with_a_sealed_key_that_no_page_or_log_holds() -> None:
    html = register().content.decode()
    judge = Judge.objects.select_related("endpoint__model").get()
    endpoint = judge.endpoint
    assert (judge.name, judge.slug, judge.prompt_version, judge.max_tokens) == ("Judge one", "judge-one", "1", 512)
    assert (endpoint.base_url, endpoint.api_model, endpoint.max_concurrency, endpoint.keep_key) == (
        "https://judges.example/v1", "judge-large", 2, True,
    )  # fmt: skip
    assert endpoint.model.organisation == "Maker"
    assert KEY not in endpoint.sealed_key
    assert unseal(endpoint.sealed_key) == KEY
    pages = [root().get(path).content.decode() for path in (LIST, f"{LIST}{judge.pk}/change/")]
    assert not any(KEY in text for text in (html, *pages, *LogEntry.objects.values_list("change_message", flat=True)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base_url": "http://8.8.8.8"}, escape(REFUSAL)),
        ({"base_url": "nothing"}, "address"),
        ({"key": "two\nlines"}, "key"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_what_the_form_of_submitters_refuses_is_refused_here_and_nothing_is_stored(
    changes: dict[str, str], words: str, settings: Any
) -> None:
    settings.ENDPOINT_ALLOWED_NETWORKS = []
    html = register(**changes).content.decode()
    assert "errornote" in html
    assert words in html
    assert KEY not in html
    assert Judge.objects.count() == Endpoint.objects.count() == 0


def test_a_name_is_given_once() -> None:
    register()
    assert "errornote" in register().content.decode()
    assert Judge.objects.count() == 1


def test_a_new_key_replaces_the_old_one_and_an_empty_field_keeps_it() -> None:
    judge = make_judge("Judge two", key=KEY)
    form = {"enabled": "on", "maker": judge.maker, "max_tokens": "1024"}
    root().post(f"{LIST}{judge.pk}/change/", {**form, "key": ""})
    assert unseal(Endpoint.objects.get(pk=judge.endpoint_id).sealed_key) == KEY
    root().post(f"{LIST}{judge.pk}/change/", {**form, "key": OTHER})
    assert unseal(Endpoint.objects.get(pk=judge.endpoint_id).sealed_key) == OTHER


def test_a_disabled_judge_opens_nothing_until_a_person_asks() -> None:
    gathered()
    judge = make_judge("Judge three")
    chosen = {"_selected_action": [str(judge.pk)]}
    root().post(LIST, {"action": "disable", **chosen})
    assert open_judge_runs() == []
    root().post(LIST, {"action": "enable", **chosen})
    root().post(LIST, {"action": "open_runs", **chosen})
    assert Run.objects.filter(subject__isnull=False).count() == 1
