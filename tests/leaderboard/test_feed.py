"""The Atom feed, read back by an XML parser: new and corrected results of public runs, names as text."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Origin, Run, Status
from evaluation.runs.rescoring import rescore_run
from leaderboard.pages.shared.corrections import newest_corrections
from leaderboard.submissions.moderating import set_public
from tests.evaluation.judged import gathered, make_judge, prompt_bank
from tests.factories import make_bank, make_model, make_result, make_run, scene_reply
from tests.leaderboard.pages import finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ATOM = "{http://www.w3.org/2005/Atom}"
ENDED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def feed(client: Client) -> ET.Element:
    response = client.get("/feed.atom")
    assert response["Content-Type"].startswith("application/atom+xml")
    return ET.fromstring(response.content)  # noqa: S314


def all_ids(client: Client, host: str) -> list[str]:
    root = ET.fromstring(client.get("/feed.atom", headers={"Host": host}).content)  # noqa: S314
    return [element.text or "" for element in root.iter(f"{ATOM}id")]


def updated(client: Client) -> tuple[datetime, datetime]:
    """Of the feed and of its newest entry."""
    root = feed(client)
    entry = next(root.iter(f"{ATOM}entry"), root)
    own, newest = root.findtext(f"{ATOM}updated") or "", entry.findtext(f"{ATOM}updated") or ""
    return datetime.fromisoformat(own), datetime.fromisoformat(newest)


def changed(run: Run, words: str) -> None:
    if words == "renamed":
        run.model.display_name = "Another name"
        run.model.save()
    elif words == "corrected":
        assert rescore_run(run.pk).changed
    else:
        set_public([run], public=words == "published")
        run.refresh_from_db()


def texts(client: Client, name: str) -> list[str]:
    return [entry.findtext(f"{ATOM}{name}") or "" for entry in feed(client).iter(f"{ATOM}entry")]


def test_a_new_result_says_what_its_page_says(client: Client) -> None:
    bank = make_bank(5, title="Own scenes")
    run = finished(bank, 63.456, name="maker/one", facts={"display_name": "One"}, finished_at=ENDED, standard_error=2.0)
    assert texts(client, "title") == ["One: 63.46 on Own scenes"]
    assert texts(client, "summary") == [
        "A new measured result of maker/one: 63.46 ± 5.6 points on Own scenes, 5 of 5 items scored."
    ]
    assert texts(client, "updated") == ["2026-03-04T05:06:07+00:00"]
    assert texts(client, "id") == [f"tag:eq-leaderboard,2026:run/{run.pk}/{run.created_at:%Y%m%dT%H%M%S%f}/new"]
    entry = next(feed(client).iter(f"{ATOM}entry"))
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"http://testserver/runs/{run.pk}/"
    assert "63.46 points" in page(client, f"/runs/{run.pk}/")


def test_a_run_scored_anew_is_an_entry_of_its_own_with_both_values(client: Client) -> None:
    run = make_run(bank=make_bank(1, title="Own scenes"), origin=Origin.IMPORTED)
    make_result(run, "1", answer=[7.0, 1.0, 0.0, 3.0], score=5.0)
    ended = {"status": Status.FINISHED, "published": True, "score": 50.0, "scorer_version": "old/1"}
    Run.objects.filter(pk=run.pk).update(**ended, finished_at=ENDED, n_scored=1)
    assert rescore_run(run.pk).changed
    newest, first = texts(client, "title")
    assert newest.startswith("Corrected: ")
    assert newest.endswith("50.00 is now 100.00")
    assert first.endswith(": 50.00 on Own scenes")
    assert "(old/1) became 100.00 (eq-bench-v2/5)" in texts(client, "summary")[0]
    assert len(set(texts(client, "id"))) == 2
    html = page(client, "/methodology/")
    assert "50.00 → 100.00" in html
    assert "old/1 became eq-bench-v2/5" in html
    assert '<td class="n">50.00</td><td class="n">100.00</td>' in page(client, f"/runs/{run.pk}/")


def test_a_first_score_that_was_replaced_stands_without_the_counts_of_now(client: Client) -> None:
    bank = make_bank(5, title="Own scenes")
    history = [{"score": 50.0, "scorer_version": "old/1", "replaced_at": ENDED.isoformat()}]
    finished(bank, 63.0, name="maker/one", finished_at=ENDED, standard_error=2.0, n_scored=4, score_history=history)
    found = [text for text in texts(client, "summary") if text.startswith("A new")]
    assert found == ["A new measured result of maker/one: 50.00 points on Own scenes."]


def test_a_run_that_got_its_first_score_by_a_correction_is_told_whole(client: Client) -> None:
    bank = make_bank(5, title="Own scenes")
    history = [{"score": None, "scorer_version": "old/1", "replaced_at": ENDED.isoformat()}]
    finished(bank, 63.0, name="maker/one", finished_at=ENDED, standard_error=2.0, n_scored=4, score_history=history)
    found = texts(client, "summary")
    assert "A new measured result of maker/one: 63.00 ± 6.4 points on Own scenes, 4 of 5 items scored." in found


def test_the_newest_corrections_are_those_made_last_whatever_the_numbers_of_their_runs() -> None:
    bank = make_bank(1)

    def history(*hours: int) -> list[dict[str, object]]:
        return [
            {"score": 1.0, "scorer_version": "a/1", "replaced_at": (ENDED + timedelta(hours=h)).isoformat()}
            for h in hours
        ]

    old = finished(bank, 2.0, score_history=history(1, 9))
    for at in range(12):
        finished(bank, 2.0, score_history=history(2 + at % 5))
    finished(bank, 2.0, score_history=[])
    newest, second = newest_corrections(2)[0], newest_corrections(2)[1]
    assert (newest.run_id, newest.at) == (old.pk, ENDED + timedelta(hours=9))
    assert second.at == ENDED + timedelta(hours=6)
    assert newest_corrections(1) == (newest,)


def test_what_is_not_public_partial_or_a_demonstration_is_not_told(client: Client) -> None:
    bank = make_bank()
    finished(bank, 1.0, finished_at=ENDED, published=False, score_history=[])
    finished(bank, 2.0, finished_at=ENDED, limit=2)
    finished(bank, 3.0, finished_at=ENDED, origin=Origin.DEMO)
    history = [{"score": 1.0, "strict_score": None, "scorer_version": "a/1", "replaced_at": ENDED.isoformat()}]
    finished(bank, 4.0, finished_at=ENDED, published=False, score_history=history)
    make_run(bank=bank, published=True)
    assert texts(client, "title") == []
    assert feed(client).findtext(f"{ATOM}title") == "EQ Leaderboard: new and corrected results"


def test_replies_that_were_gathered_have_no_score_to_tell(client: Client) -> None:
    gathered(prompt_bank(), finished_at=ENDED)
    assert texts(client, "title") == []


def test_results_of_several_rankings_on_one_bank_are_told_apart(client: Client) -> None:
    bank, judge = prompt_bank(title="Own prompts"), make_judge("Judge one")
    subject = gathered(bank, finished_at=ENDED)
    finished(
        bank, 75.0, name="judged", benchmark="empathy-judged", variant=f"judge-{judge.slug}", subject=subject,
        finished_at=ENDED,
    )  # fmt: skip
    moods = make_bank(slug="emotionbench", benchmark="emotionbench", title="EmotionBench")
    finished(moods, 70.0, name="moody", variant="quick", finished_at=ENDED)
    assert set(texts(client, "title")) == {
        "judged: 75.00 on Own prompts, judged by Judge one", "moody: 70.0 on EmotionBench, quick",
    }  # fmt: skip


def test_a_hostile_name_is_text_in_title_and_summary_and_never_markup(client: Client) -> None:
    name = '<a href="https://x.example">Best</a>'
    finished(make_bank(), 60.0, model=make_model(name, display_name=name), finished_at=ENDED)
    finished(make_bank(), 60.0, model=make_model("ctl", display_name="a\x0b\u202eb"), finished_at=ENDED)
    titles, summaries = texts(client, "title"), texts(client, "summary")
    assert any(title.startswith(name) for title in titles)
    assert any("a[U+000B][U+202E]b" in title for title in titles)
    # A summary is HTML to a feed reader, so the name must be escaped inside it.
    assert not any("<a " in summary for summary in summaries)
    assert any("&lt;a href=" in summary for summary in summaries)


def test_the_feed_holds_the_fifty_newest_in_few_queries(client: Client) -> None:
    bank = make_bank()
    now = timezone.now()
    for number in range(53):
        finished(bank, float(number), finished_at=now - timedelta(hours=number))
    with CaptureQueriesContext(connection) as captured:
        titles = texts(client, "title")
    assert len(titles) == 50
    assert ": 0.00 on" in titles[0]
    assert len(captured) <= 3


def test_a_feed_that_did_not_change_is_not_sent_again(client: Client) -> None:
    finished(make_bank(), 60.0, finished_at=ENDED)
    etag = client.get("/feed.atom")["ETag"]
    assert client.get("/feed.atom", headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost:8000", "[::1]"])
def test_no_id_moves_with_the_name_of_the_host(client: Client, host: str) -> None:
    run = finished(make_bank(1), 60.0, finished_at=ENDED, score_history=[
        {"score": 1.0, "scorer_version": "a/1", "replaced_at": (ENDED + timedelta(hours=h)).isoformat()} for h in (1, 2)
    ])  # fmt: skip
    there = all_ids(client, "testserver")
    assert len(set(there)) == 4
    assert all(found.startswith("tag:eq-leaderboard,2026:") for found in there)
    assert all_ids(client, host) == there
    run.model.display_name = "Another name"
    run.model.save()
    assert sorted(all_ids(client, host)) == sorted(there)


@pytest.mark.parametrize(
    "acts",
    [
        ["taken off"],
        ["taken off", "published"],
        ["taken off", "published", "taken off", "published"],
        ["renamed"],
        ["corrected"],
        ["corrected", "renamed", "taken off", "published"],
    ],
)
def test_the_feed_and_its_entry_tell_when_they_changed(client: Client, acts: list[str]) -> None:
    run = finished(make_bank(1), 50.0, finished_at=ENDED, scorer_version="old/1", n_scored=1)
    make_result(run, "1", answer=[7.0, 1.0, 0.0, 3.0], score=5.0, reply=scene_reply(1))
    type(run.model).objects.update(created_at=ENDED, changed_at=ENDED)
    assert updated(client) == (ENDED, ENDED)
    last = ENDED
    for act in acts:
        run.refresh_from_db()
        changed(run, act)
        own, newest = updated(client)
        assert own > last
        assert own >= newest
        if act != "taken off":
            assert newest == own
        last = own
    again = updated(client)
    assert again == updated(client), "nothing changed, and so no time does"


def test_an_imported_result_is_dated_by_its_import_and_not_by_its_file(client: Client) -> None:
    run = finished(make_bank(1), 60.0, finished_at=ENDED, origin=Origin.IMPORTED)
    assert updated(client) == (run.created_at, run.created_at)


def test_every_page_names_the_feed(client: Client) -> None:
    assert '<link rel="alternate" type="application/atom+xml"' in page(client, "/methodology/")


def test_rules_that_read_nothing_are_no_new_results(client: Client) -> None:
    bank = make_bank(1)
    finished(bank, 70.0, name="a model", finished_at=ENDED)
    finished(bank, 40.0, name="a rule", origin=Origin.BASELINE, finished_at=ENDED)
    assert [title.partition(":")[0] for title in texts(client, "title")] == ["a model"]
