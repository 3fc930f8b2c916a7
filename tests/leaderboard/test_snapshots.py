"""What the pages and files of two boards say, against what they said before: words, numbers, links and drawings.

A page is reduced to its texts and attributes without classes, so that a change of looks alone passes. Where a change
of words is meant, EQ_SNAPSHOTS=write stores what the pages say now; the difference then shows in the commit.
"""

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from django.test import Client

from evaluation.baselines import CONSTANT_NAME
from evaluation.models import FaultKind, Origin, Run, Status
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import finished, page, publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]

FOLDER = Path(__file__).parent / "snapshots"
WRITES = os.environ.get("EQ_SNAPSHOTS") == "write"
LOOKS = {"class", "style", "integrity", "nonce", "data-before", "data-after", "viewbox"}
MASKS = (
    (re.compile(r"/static/\S+"), "STATIC"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)"), "MOMENT"),
)
VIEWS = (
    "", "?c=origin&c=strict&c=items&c=cv&c=mmlu&c=arena_elo&c=magi_hard&c=date", "?c=none&sort=-strict", "?sort=model",
    "?sort=-mmlu&weights=open", "?sort=date&since=2024-01-02", "?sort=cv", "?sort=-size&size=8-40", "?q=ced&demo=1",
    "?items=5&sort=-items", "?pin=birch&m=amber&m=cedar", "?origin=baseline", "?q=nothing-like-it",
)  # fmt: skip
MADE_UP = {
    **{f"/rankings/scenes/{view}": f"rankings{at}" for at, view in enumerate(VIEWS)},
    "/": "home",
    "/rankings/eq-bench-v2/": "published",
    "/rankings/scenes.csv?sort=-mmlu": "csv",
    "/rankings/scenes.json": "json",
    "/api/v1/rankings/scenes?demo=true": "api",
    "/api/v1/models/amber": "api-model",
    "/charts/scenes/": "charts",
    "/charts/scenes/?weights=open": "charts-open",
    "/charts/scenes/scores.json": "chart-scores",
    "/charts/scenes/items.json": "chart-items",
    "/charts/scenes/mmlu.csv": "chart-mmlu",
    "/compare/?m=amber&m=birch&ranking=scenes": "compare-two",
    "/compare/?m=amber&m=birch&m=cedar&m=dune": "compare-four",
    "/models/amber/": "model",
    "/models/birch/?ranking=scenes": "model-of-ranking",
    "/runs/101/": "run",
    "/items/scenes/": "items",
    "/items/scenes/2/": "item",
    "/api/": "api-docs",
}


class Reducer(HTMLParser):
    """Texts and attributes of a page, one a line, without its looks."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style"}:
            self.silent = tag
        elif tag not in {"link", "meta"}:
            kept = sorted(f"{name}={value}" for name, value in attrs if name not in LOOKS)
            if kept:
                self.lines.append(f"<{tag} {' '.join(kept)}>")

    def handle_endtag(self, tag: str) -> None:
        self.silent = "" if tag == self.silent else self.silent

    def handle_data(self, data: str) -> None:
        if not self.silent and data.strip():
            self.lines.append(" ".join(data.split()))


def reduced(text: str) -> str:
    """The lines of a page, or the text of a file, without what changes from day to day."""
    if "<html" in text:
        reducer = Reducer()
        reducer.feed(text)
        text = "\n".join(reducer.lines)
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    for hours in (0, 1):  # what was stored before midnight is read after it
        day = datetime.now(UTC) - timedelta(hours=hours)
        text = text.replace(f"{day.day} {day:%b} {day.year}", "TODAY").replace(f"{day:%Y-%m-%d}", "TODAY")
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


def differences(said: Mapping[str, str]) -> Iterable[str]:
    """What differs from the stored texts, as lines of a diff; writes them where that is asked for."""
    for name, text in said.items():
        path = FOLDER / f"{name}.txt"
        if WRITES:
            path.write_text(text)
        before = path.read_text() if path.exists() else ""
        yield from difflib.unified_diff(before.splitlines(), text.splitlines(), name, "now", n=1, lineterm="")


def made_up_board() -> None:
    """Six models with answers, one without a score, a published, an imported one, a baseline and a demonstration."""
    bank = make_bank(slug="scenes", title="Own scenes", sha256="5" * 64)
    sizes = (7.0, 13.0, 70.0, None, 1.5, 8.0)
    for at, name in enumerate(("amber", "birch", "cedar", "dune", "elm", "fern")):
        facts = {
            "slug": name, "display_name": name.capitalize(), "organisation": f"Maker {at % 2}",
            "open_weights": (True, False, None)[at % 3], "params_billion": sizes[at],
        }  # fmt: skip
        scores = [9.0 - at, 8.0 - at / 2, 9.5 - at, None if at == 4 else 8.5 - at / 3, 9.2 - at]
        more = [[9.1 - at, 8.1 - at / 2, 9.4 - at, 8.6 - at / 3, 9.1 - at]] if at < 2 else []
        run = scored(
            bank, scores, *more, name=f"maker/{name}", facts=facts, pk=101 + at, standard_error=2.0 + at / 10,
            strict_score=70.0 - 9 * at, finished_at=datetime(2024, 1, 1 + at, 12, tzinfo=UTC),
            origin=Origin.IMPORTED if at == 3 else Origin.MEASURED, n_scored=4 if at == 4 else 5,
        )  # fmt: skip
        publish(run.model, "mmlu", 50.0 + at)
        if at % 2:
            publish(run.model, "arena_elo", 1100.0 + at)
            publish(run.model, "magi_hard", 40.0 + at)
    plain = {"finished_at": datetime(2024, 2, 1, tzinfo=UTC), "standard_error": 1.0}
    finished(bank, 30.0, name=f"{CONSTANT_NAME} 3", facts={"slug": "constant"}, pk=111, origin=Origin.BASELINE, **plain)
    finished(bank, 99.0, name="demo/cedric", facts={"slug": "cedric"}, pk=112, origin=Origin.DEMO, **plain)
    make_run(
        pk=113, bank=bank, model=make_model("maker/mute", slug="mute"), status=Status.FAILED, published=True,
        failure_kind=FaultKind.PARSE, parse_share=0.2, n_scored=1, finished_at=datetime(2024, 3, 1, tzinfo=UTC),
    )  # fmt: skip
    publish(make_model("maker/paper", slug="paper"), "scenes", 50.0)
    for name, value in (("one", 61.5), ("two", 58.25), ("three", 20.0)):
        publish(make_model(f"lab/{name}", slug=name), "eq-bench-v2", value)
    refresh_standings()
    refresh_ready()
    refresh_statistics()


def test_the_pages_and_files_of_a_made_up_board_say_what_they_said(client: Client) -> None:
    made_up_board()
    said = {name: reduced(page(client, path)) for path, name in MADE_UP.items()}
    changed = "\n".join(differences(said))
    assert not changed, changed


PUBLISHED = (
    "/rankings/eq-bench-v2/?rows=all", "/rankings/eq-bench-v2/?rows=all&sort=model", "/rankings/eq-bench-v2.csv",
    "/rankings/eq-bench-v2/?rows=all&sort=-arena_elo", "/rankings/eq-bench-v2.json?weights=open",
    "/rankings/eq-bench-v2/?rows=all&q=llama", "/charts/eq-bench-v2/", "/charts/eq-bench-v2/scores.json",
    "/api/v1/rankings/eq-bench-v2?limit=200", "/models/gpt-4-1106-preview/",
)  # fmt: skip


def digests(client: Client, paths: Iterable[str]) -> str:
    """A line a page: its address and the hash of what it says; of a ranking that of its rows, without their links."""
    return "".join(f"{path} {sha256(digested(page(client, path), path).encode()).hexdigest()[:16]}\n" for path in paths)


def digested(text: str, path: str) -> str:
    if "rows=all" not in path:
        return reduced(text)
    rows = text.partition("<tbody")[2].partition("</table>")[0]
    return re.sub(r"href=[^ >]*", "", reduced(f"<html><table><tbody{rows}"))


def test_the_pages_and_files_of_the_published_figures_say_what_they_said(client: Client) -> None:
    call_command("load_published", verbosity=0)
    refresh_ready()
    changed = "\n".join(differences({"digests-published": digests(client, PUBLISHED)}))
    assert not changed, changed


def count_runs_from_one() -> None:
    """The pages and files name runs by their numbers, which go on from those of the tests before."""
    sequences = [{"table": Run._meta.db_table, "column": "id"}]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), sequences):
            cursor.execute(statement)


@pytest.mark.thorough
def test_the_pages_and_files_of_the_official_runs_say_what_they_said(client: Client, shared_data: Path) -> None:
    count_runs_from_one()
    questions = shared_data / "eqbench/eq_bench_v2_questions_171.json"
    call_command("load_bank", "eq-bench-v2", "--from", str(questions), verbosity=0)
    call_command("load_published", verbosity=0)
    call_command("import_results", str(shared_data / "eqbench/official_runs"), verbosity=0)
    refresh_standings()
    refresh_ready()
    paths = (*PUBLISHED, "/items/eq-bench-v2/", "/items/eq-bench-v2/12/", "/compare/?m=gpt-4-0314&m=gpt-4-0613")
    changed = "\n".join(differences({"digests-official": digests(client, paths)}))
    assert not changed, changed
