"""The Atom feed of new and corrected results."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import conditional_page, require_safe

from evaluation.models import Origin, Run, Status
from evaluation.statistics.intervals import Z95
from leaderboard.plaintext import spelled
from leaderboard.queries.corrections import Correction, newest_corrections
from leaderboard.rounding import number, points
from leaderboard.wording.other_settings import in_words

ENTRIES = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened to a result. `mark` tells several entries of one run apart."""

    run_id: int
    mark: str
    at: datetime
    title: str
    text: str


def newest_entries() -> list[Entry]:
    """New and corrected results of public, whole runs, newest first. Two queries."""
    runs = Run.objects.listed().filter(status=Status.FINISHED, limit__isnull=True, finished_at__isnull=False)
    results = runs.exclude(origin=Origin.DEMO).select_related("model", "bank").order_by("-finished_at", "-pk")
    found = [*map(new_result, results[:ENTRIES]), *map(corrected, newest_corrections(ENTRIES))]
    return sorted(found, key=lambda entry: (entry.at, entry.run_id), reverse=True)[:ENTRIES]


def new_result(run: Run) -> Entry:
    """The run as it ended; a later correction is an entry of its own, so the first score is the one to tell."""
    first = next((entry["score"] for entry in run.score_history if entry["score"] is not None), run.score)
    error = run.standard_error
    half = f" ± {number(Z95 * error, 1)}" if error is not None and not run.score_history else ""
    other = f" Asked with other settings: {in_words(run.departures)}." if run.departures else ""
    return Entry(
        run_id=run.pk,
        mark="new",
        at=run.finished_at or run.created_at,
        title=spelled(f"{run.model}: {points(first)} on {run.bank.title}"),
        text=spelled(
            f"A new {run.origin} result of {run.model.name}: {points(first)}{half} points "
            f"on {run.bank.title}, {run.n_scored} of {run.n_items} items scored.{other}"
        ),
    )


def corrected(change: Correction) -> Entry:
    return Entry(
        run_id=change.run_id,
        mark=f"corrected-{change.at:%Y%m%dT%H%M%S}",
        at=change.at,
        title=spelled(f"Corrected: {change.model}, {points(change.old_score)} is now {points(change.new_score)}"),
        text=spelled(
            f"The score of run {change.run_id} on {change.bank} was made anew from what is stored: "
            f"{points(change.old_score)} ({change.old_version}) became "
            f"{points(change.new_score)} ({change.new_version})."
        ),
    )


@conditional_page
@require_safe
def results_feed(request: HttpRequest) -> HttpResponse:
    feed = Atom1Feed(
        title="EQ Leaderboard: new and corrected results",
        link=request.build_absolute_uri(reverse("home")),
        description="",
        subtitle="Runs that joined the board, and scores that were made anew.",
        feed_url=request.build_absolute_uri(reverse("feed")),
        language="en",
    )
    for entry in newest_entries():
        add(feed, entry, request.build_absolute_uri(reverse("run", args=[entry.run_id])))
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def add(feed: Atom1Feed, entry: Entry, address: str) -> None:
    """Titles are plain text there; summaries are HTML, so theirs is escaped."""
    feed.add_item(
        title=entry.title,
        link=address,
        description=escape(entry.text),
        unique_id=f"{address}#{entry.mark}",
        pubdate=entry.at,
        updateddate=entry.at,
    )


urlpatterns = [path("feed.atom", results_feed, name="feed")]
