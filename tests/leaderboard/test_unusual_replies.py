"""What a submitter is told of replies on another scale, of thinking in other marks, and of what is worth changing."""

import re
from collections.abc import Callable

import pytest
from aiohttp import web
from django.test import Client
from django.utils import timezone

from evaluation.models import FaultKind, ItemResult, Run, Status
from evaluation.runs.unread import short_reason
from leaderboard.models import Submission
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import approve
from leaderboard.wording.advice import OF_UNREAD, fault_advice
from tests.factories import make_result, scene_labels
from tests.fakes import serve
from tests.leaderboard.sending import filled, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]


def endpoint(answer: Callable[[list[str]], str], finish_reason: str = "stop") -> web.Application:
    """A chat endpoint that answers each prompt with what is made of the names in it."""

    async def chat(request: web.Request) -> web.Response:
        asked = await request.json()
        names = re.findall(r"^(\w+): <score>", asked["messages"][-1]["content"], re.MULTILINE)
        message = {"role": "assistant", "content": answer(names)}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        return web.json_response({"model": asked["model"], "choices": [choice], "usage": {"prompt_tokens": 900}})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    return app


def lines(shape: str) -> Callable[[list[str]], str]:
    return lambda names: "\n".join(shape.format(name=name, n=n) for name, n in zip(names, (3, 6, 1, 8), strict=True))


def panel(client: Client, app: web.Application) -> str:
    with serve(app) as address:
        response = client.post("/submit/dry-run/", filled(address), headers={"HX-Request": "true"})
    return response.content.decode().replace("&#x27;", "'").replace("&quot;", '"')


@pytest.mark.parametrize("name", ["{name}:", "**{name}**:"])
@pytest.mark.parametrize(
    ("value", "words", "flags"),
    [
        ("{n}0%", "on another scale than 0 to 10", "per cent"),
        ("{n}/5", "on another scale than 0 to 10", "other scale"),
        ("{n}0/100", "on another scale than 0 to 10", "other scale"),
        ("{n}0", "on another scale than 0 to 10", "other scale"),
        ("{n}.5", "have decimals", "decimal cut"),
    ],
)
def test_s2_5_the_dry_run_tells_of_another_scale_and_what_to_do(
    client: Client, name: str, value: str, words: str, flags: str
) -> None:
    html = panel(client, endpoint(lines(f"{name} {value}")))
    assert f"The ratings {'are ' if words.startswith('on') else ''}{words}" in html
    assert flags in html
    assert "whole numbers from 0 to 10" in html
    assert "not listed before a moderator has looked at it" in html


def test_ratings_as_asked_bring_no_remark_on_their_scale(client: Client) -> None:
    html = panel(client, endpoint(lines("{name}: {n}")))
    assert "The ratings" not in html


@pytest.mark.parametrize(
    ("opening", "closing"), [("[THINK]", "[/THINK]"), ("<|channel|>analysis<|message|>", "<|end|>")]
)
def test_s2_3_the_dry_run_says_that_thinking_was_taken_off(client: Client, opening: str, closing: str) -> None:
    draft, answer = lines("{name}: 5"), lines("{name}: {n}")
    html = panel(client, endpoint(lambda names: f"{opening}{draft(names)}{closing}{answer(names)}"))
    assert "Thinking was found in 3 of 3 replies and taken off before they were read." in html
    assert "All three replies were read" in html


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (lines("{name}: 0"), OF_UNREAD["all zero"]),
        (lines("{name}: <score>"), OF_UNREAD["placeholder"]),
        (lines("Un{name}: {n}"), OF_UNREAD["names changed"]),
        (lambda names: "Mood: 3\nTone: 4", "See the replies below"),
        (lambda names: "Let me think about each of them.", "Raise the max tokens per reply"),
        (lambda names: "0\n" * 40, OF_UNREAD["repeats itself"]),
    ],
)
def test_5_the_dry_run_advises_more_tokens_only_where_they_help(
    client: Client, answer: Callable[[list[str]], str], advice: str
) -> None:
    html = panel(client, endpoint(answer, finish_reason="length"))
    assert advice in html
    assert ("Raise the max tokens per reply" in html) is advice.startswith("Raise")


def finished_run(client: Client, flags: str) -> tuple[Submission, Run]:
    found = sent(client)
    approve(found)
    run = found.runs.get()
    run.results.all().delete()
    for number in range(1, 6):
        make_result(run, str(number), flags=flags if number == 1 else "")
    found.runs.update(status=Status.FINISHED, score=61.5, n_scored=5, finished_at=timezone.now())
    return found, found.runs.get()


@pytest.mark.parametrize("flags", ["per cent,above 10", "other scale", "decimal cut", "thinking,other scale"])
def test_s2_5_a_run_on_another_scale_is_never_listed_by_itself(client: Client, settings: object, flags: str) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True  # type: ignore[attr-defined]
    found, run = finished_run(client, flags)
    tell_submitters()
    found.refresh_from_db()
    run.refresh_from_db()
    assert (found.flagged, run.published) == (True, False)
    assert "Of 5 replies that were read, 1 seem to rate on another scale" in found.note


@pytest.mark.parametrize("flags", ["", "thinking", "above 10", "bare numbers", "range"])
def test_a_run_on_the_scale_that_was_asked_lists_itself(client: Client, settings: object, flags: str) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True  # type: ignore[attr-defined]
    run = finished_run(client, flags)[1]
    tell_submitters()
    run.refresh_from_db()
    assert run.published


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ({"cut off": 1, "no scores found": 100}, "Read the replies on the run's page"),
        ({"all zero": 6, "cut off": 1}, "rate all four feelings 0"),
        ({"placeholder": 40, "cut off": 3}, "leave its blanks empty"),
        ({f"{name} missing (saw Mood)": 2 for name in scene_labels(1)} | {"cut off": 5}, "under other names"),
        ({f"{name} missing (saw 3/5)": 2 for name in scene_labels(1)} | {"cut off": 5}, "not one number from 0 to 10"),
        ({"no scores found (saw Bored, Proud, Confined)": 9, "cut off": 1}, "under other names"),
        ({"prompt repeated": 3}, "repeat the prompt"),
        ({"repeats itself": 3, "all zero": 2}, "repeat one piece until the limit"),
        ({"cut off": 3, "cut off in thinking": 2, "all zero": 4}, "5 replies ended at the limit of 60 tokens"),
        ({"no scores found (saw answer)": 9, "cut off": 1}, "Read the replies on the run's page"),
    ],
)
def test_5_advice_follows_from_the_commonest_reason(reasons: dict[str, int], words: str) -> None:
    told = fault_advice(FaultKind.PARSE, sum(reasons.values()), reasons, 60)
    assert words in told
    assert ("with a higher one" in told) is words.startswith("5 replies")


def test_reasons_are_counted_together_without_what_is_of_one_item() -> None:
    assert short_reason("Confused missing (saw Confined)") == "names changed"
    assert short_reason("Angry missing (saw 3/5)") == "a number refused"
    assert short_reason("Angry, Hopeful missing") == "a name missing"
    assert short_reason("") == "no reason stored"
    assert ItemResult._meta.get_field("flags").max_length == 120
