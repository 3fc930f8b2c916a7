"""The Atom feed of new and corrected results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, F, Subquery, When
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import conditional_page, require_safe

from evaluation.disclosure import month_of
from evaluation.models import ItemBank, Origin, Run, Status
from evaluation.runs.judging import judge_names
from evaluation.runs.summaries import half_of_run
from leaderboard.pages.rankings.directory import title_of_run
from leaderboard.pages.shared.corrections import Correction, newest_corrections
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.plaintext import spelled
from leaderboard.rounding import figure, number, unit
from leaderboard.wording.other_settings import in_words

ENTRIES = 50
AS_MADE = timedelta(seconds=1)  # between the two times of a row that was never changed


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened to a result. `unique_id` never changes, whatever host name the feed is read by."""

    run_id: int
    unique_id: str
    at: datetime
    updated_at: datetime
    title: str
    text: str


# When a run joined the board: a result from elsewhere when it was brought here, all others as they ended.
JOINED = Coalesce("published_changed_at", Case(When(origin=Origin.IMPORTED, then="created_at"), default="finished_at"))


def joined_at(run: Run) -> datetime:
    """The same of one run."""
    ended = run.created_at if run.origin == Origin.IMPORTED else run.finished_at
    return run.published_changed_at or ended or run.created_at


def updated_at(run: Run, happened: datetime) -> datetime:
    """When an entry about the run last became another one: it happened, the run was put on the board again, or its
    model, of which the entry gives the name, was changed."""
    model = run.model
    was_changed = model.changed_at - model.created_at > AS_MADE
    return max(filter(None, [happened, run.published_changed_at, model.changed_at if was_changed else None]))


def unique_id(run: Run, mark: str) -> str:
    """A tag URI (RFC 4151). The moment at which the row was made tells the runs of several boards apart."""
    return f"tag:eq-leaderboard,2026:run/{run.pk}/{run.created_at:%Y%m%dT%H%M%S%f}/{mark}"


@dataclass(frozen=True, slots=True)
class Board:
    """What the feed as a whole tells: its own tag URI, by the oldest item bank, since a board has one before it has a
    result; and when a run was last put on the board or taken off, None for never."""

    feed_id: str
    listed_changed_at: datetime | None


def board() -> Board:
    """One query. When a run on a private bank was listed is not told, and when such a bank was loaded to the month."""
    last = (
        Run.objects.shown().order_by(F("published_changed_at").desc(nulls_last=True)).values("published_changed_at")[:1]
    )
    first = ItemBank.objects.order_by("pk").annotate(last=Subquery(last)).first()
    if first is None:
        return Board("tag:eq-leaderboard,2026:feed", None)
    loaded_at = first.loaded_at if first.shows_items else month_of(first.loaded_at)
    return Board(f"tag:eq-leaderboard,2026:feed/{loaded_at:%Y%m%dT%H%M%S%f}", first.last)


def newest_entries() -> list[Entry]:
    """New and corrected results of public, whole runs of models, newest first. Two queries, one more with judges."""
    runs = Run.objects.listed().filter(status=Status.FINISHED, limit__isnull=True, finished_at__isnull=False)
    runs = runs.filter(score__isnull=False).exclude(origin__in=(Origin.BASELINE, Origin.DEMO))
    results = list(runs.select_related("model", "bank").order_by(JOINED.desc(), "-pk")[:ENTRIES])
    changes = newest_corrections(ENTRIES)
    by_judges = any(run.subject_id for run in (*results, *(change.run for change in changes)))
    judges = judge_names() if by_judges else {}
    found = [*(new_result(run, judges) for run in results), *(corrected(change, judges) for change in changes)]
    return sorted(found, key=lambda entry: (entry.updated_at, entry.at, entry.run_id), reverse=True)[:ENTRIES]


def new_result(run: Run, judges: Mapping[str, str]) -> Entry:
    """The run as it ended; a later correction is an entry of its own, so the first score is the one to tell. Its error
    and its count of items are not kept: with a first score that was replaced, those of now are left out."""
    replaced = next((entry["score"] for entry in run.score_history if entry["score"] is not None), None)
    first = run.score if replaced is None else replaced
    reach = half_of_run(run) if replaced is None else None
    half = f" ± {number(reach, 1)}" if reach is not None else ""
    scored = f", {run.n_scored} of {run.n_items} items scored" if replaced is None else ""
    measure, ranking = ranking_measure(run.benchmark), title_of_run(run, judges)
    other = f" Asked with other settings: {in_words(run.departures)}." if run.departures else ""
    corrected_at = [datetime.fromisoformat(entry["replaced_at"]) for entry in run.score_history]
    joined = joined_at(run)
    return Entry(
        run_id=run.pk,
        unique_id=unique_id(run, "new"),
        at=joined,
        updated_at=updated_at(run, max([joined, *corrected_at])),
        title=spelled(f"{run.model}: {figure(first, measure)} on {ranking}"),
        text=spelled(
            f"A new {run.origin} result of {run.model.name}: {figure(first, measure)}{half}{unit(measure)} "
            f"on {ranking}{scored}.{other}"
        ),
    )


def corrected(change: Correction, judges: Mapping[str, str]) -> Entry:
    measure, ranking = ranking_measure(change.run.benchmark), title_of_run(change.run, judges)
    old, new = figure(change.old_score, measure), figure(change.new_score, measure)
    return Entry(
        run_id=change.run_id,
        unique_id=unique_id(change.run, f"corrected-{change.at:%Y%m%dT%H%M%S%f}"),
        at=change.at,
        updated_at=updated_at(change.run, change.at),
        title=spelled(f"Corrected: {change.model}, {old} is now {new}"),
        text=spelled(
            f"The score of run {change.run_id} on {ranking} was recomputed from the stored answers: "
            f"{old} ({change.old_version}) became {new} ({change.new_version})."
        ),
    )


def changed_at(entries: Sequence[Entry], listed_changed_at: datetime | None) -> datetime | None:
    """When the feed last changed: an entry did, or a run was taken off the board. None where nothing ever was."""
    return max(filter(None, [listed_changed_at, *(entry.updated_at for entry in entries)]), default=None)


class ResultsFeed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        """Django knows the entries alone, and one that was taken off is a change as well."""
        changed: datetime | None = self.feed["changed_at"]
        return changed or super().latest_post_date()


@conditional_page
@require_safe
def results_feed(request: HttpRequest) -> HttpResponse:
    entries, own = newest_entries(), board()
    feed = ResultsFeed(
        title="EQ Leaderboard: new and corrected results",
        link=request.build_absolute_uri(reverse("home")),
        description="",
        subtitle="Runs added to the board, and corrected scores.",
        feed_url=request.build_absolute_uri(reverse("feed")),
        language="en",
        feed_guid=own.feed_id,
        changed_at=changed_at(entries, own.listed_changed_at),
    )
    for entry in entries:
        add(feed, entry, request.build_absolute_uri(reverse("run", args=[entry.run_id])))
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def add(feed: Atom1Feed, entry: Entry, address: str) -> None:
    """Titles are plain text there; summaries are HTML, so theirs is escaped."""
    feed.add_item(
        title=entry.title,
        link=address,
        description=escape(entry.text),
        unique_id=entry.unique_id,
        pubdate=entry.at,
        updateddate=entry.updated_at,
    )


urlpatterns = [path("feed.atom", results_feed, name="feed")]
