"""Badge, embeddings, BibTeX and model card: each is read back by a parser and agrees with the page."""

import html as html_entities
import re
from collections.abc import Iterator
from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import LanguageModel
from leaderboard.drawings.badges import badge, rank_words
from leaderboard.models import Standing
from leaderboard.plaintext import spelled
from leaderboard.sharing.citations import Cited, badge_markdown, bibtex, model_index, paper_entry, quoted
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import board, finished, page, publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SVG = "{http://www.w3.org/2000/svg}"
NAMES = (
    '<a href="https://x.example">Best</a>',
    "=1+1",
    "safe\u202eevil",
    "100% & {more} #1 $x$ _a_ ~ ^ \\",
    "]](x) `code` ![x]",
    "Überraschung 感情 😀",
    "key: - [x, y] # no comment",
    "nul\ufffe\x85line\u2028end",
)


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def svg(client: Client, path: str) -> ET.Element:
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    return ET.fromstring(response.content)  # noqa: S314  (our own output)


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def copied(page_html: str, name: str) -> str:
    """The text of a field to copy from, as a browser hands it over."""
    field = page_html.partition(f'id="copy-{name}"')[2].partition(">")[2].partition("</textarea>")[0]
    return html_entities.unescape(field)


def bib_fields(entry: str) -> dict[str, str]:
    """The fields of an entry with balanced braces. Raises AssertionError for another form."""
    lines = entry.splitlines()
    assert re.fullmatch(r"@misc\{[A-Za-z0-9-]+,", lines[0])
    assert lines[-1] == "}"
    fields = dict(re.fullmatch(r"  (\w+) = \{(.*)\},", line).groups() for line in lines[1:-1])  # type: ignore[union-attr,misc]
    for value in fields.values():
        plain = re.sub(r"\\[{}]", "", value)
        assert plain.count("{") == plain.count("}")
    return {"key": lines[0][len("@misc{") : -1], **fields}


def cited(**fields: Any) -> Cited:
    defaults: dict[str, Any] = {
        "ranking": "eq-bench-v2",
        "title": "EQ-Bench v2",
        "score": 69.354,
        "low": 65.4,
        "high": 73.3,
        "rank": "rank 24–61 of 88",
        "origin": "imported",
        "computed_on": date(2026, 11, 27),
        "address": "https://board.example/models/m/?ranking=eq-bench-v2",
    }
    return Cited(**{**defaults, **fields})


def three_tied(model: LanguageModel) -> None:
    bank = make_bank(10, slug="scenes", title="Own scenes")
    scored(bank, [5.0, 6.0] * 5, model=model, standard_error=2.0, scorer_version="own/1")
    scored(bank, [2.0, 8.0] * 5)
    scored(bank, [6.0, 4.0] * 5)
    refresh_standings()


@pytest.mark.parametrize(
    ("low", "high", "approximate", "words"),
    [
        (24, 61, False, "rank 24–61 of 88"),
        (24, 61, True, "rank ≈24–61 of 88"),
        (3, 3, False, "rank 3 of 88"),
        (None, None, False, "no rank"),
        (None, None, True, "no rank"),
    ],
)
def test_ranks_are_put_in_words(low: int | None, high: int | None, approximate: bool, words: str) -> None:
    assert rank_words(low, high, 88, approximate=approximate) == words


def test_the_badge_says_score_and_ranks_as_the_page_does(client: Client) -> None:
    three_tied(make_model("maker/m", slug="m", display_name="Model M"))
    root = svg(client, "/models/m/badge.svg")
    assert texts(root) == ["Own scenes: 55.00", "rank 1–3 of 3"]
    assert root.findtext(f"{SVG}title") == "Model M on EQ Leaderboard, Own scenes: 55.00, rank 1–3 of 3"
    html = page(client, "/models/m/")
    assert '<span class="figure-number">55.00</span>' in html
    assert '<span class="figure-number">1–3</span>rank 1 of 3 by score' in html


def test_a_published_score_has_approximate_ranks_beside_runs_too(client: Client) -> None:
    for at in range(3):
        publish(make_model(f"paper-{at}", slug=f"paper-{at}"), "eq-bench-v2", 80.0 - 2 * at)
    refresh_standings()
    assert texts(svg(client, "/models/paper-1/badge.svg")) == ["EQ-Bench v2: 78.00", "rank ≈1–3 of 3"]
    finished(make_bank(slug="eq-bench-v2", title="EQ-Bench v2"), 50.0)
    refresh_standings()
    assert texts(svg(client, "/models/paper-1/badge.svg")) == ["EQ-Bench v2: 78.00", "rank ≈1–3 of 4"]


def test_a_score_below_zero_and_a_model_without_one_have_badges(client: Client) -> None:
    finished(make_bank(title="Own scenes"), -6.284, model=make_model("low", slug="low"))
    make_model("none", slug="none")
    refresh_standings()
    assert texts(svg(client, "/models/low/badge.svg"))[0] == "Own scenes: −6.28"
    assert texts(svg(client, "/models/none/badge.svg")) == ["EQ Leaderboard", "no score"]


def test_the_ranking_of_a_badge_is_chosen_and_an_unknown_one_falls_back(client: Client) -> None:
    first, second = make_bank(title="First"), make_bank(title="Second")
    model = make_model("m", slug="m")
    finished(first, 61.0, model=model)
    finished(first, 62.0)
    finished(second, 72.0, model=model)
    refresh_standings()
    chosen = {key: texts(svg(client, f"/models/m/badge.svg?ranking={key}"))[0] for key in (second.slug, "nowhere")}
    assert chosen == {second.slug: "Second: 72.00", "nowhere": "First: 61.00"}


def test_a_badge_may_be_kept_for_ten_minutes_and_asked_for_again(client: Client) -> None:
    finished(make_bank(), 61.0, model=make_model("m", slug="m"))
    refresh_standings()
    response = client.get("/models/m/badge.svg")
    assert set(response["Cache-Control"].split(", ")) == {"public", "max-age=600"}
    assert "Cookie" not in response.get("Vary", "")
    same = {"if-none-match": response["ETag"]}
    assert client.get("/models/m/badge.svg", headers=same).status_code == 304
    Standing.objects.update(score=62.0)
    assert client.get("/models/m/badge.svg", headers=same).status_code == 200


def test_a_badge_asks_four_times_whatever_stands_in_the_ranking(client: Client) -> None:
    three_tied(make_model("m", slug="m"))
    with CaptureQueriesContext(connection) as captured:
        svg(client, "/models/m/badge.svg")
    assert len(captured) == 4


def test_a_badge_is_as_wide_as_its_texts_and_cuts_a_long_ranking() -> None:
    short, long = badge("m", "EQ", 1.0, "no rank"), badge("m", "W" * 300, 1.0, "no rank")
    assert short.width == short.left_width + short.right_width < long.width < 700
    assert long.left == f"{'W' * 39}…: 1.00"


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_stays_a_name_in_the_badge(client: Client, name: str) -> None:
    finished(make_bank(title=name), 61.0, model=make_model("m", slug="m", display_name=name))
    refresh_standings()
    root = svg(client, "/models/m/badge.svg")
    assert (root.findtext(f"{SVG}title") or "").startswith(f"{spelled(name)} on EQ Leaderboard, ")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "rect", "path", "g", "text"}


def test_markdown_and_html_lead_to_the_page_and_show_the_badge(client: Client) -> None:
    three_tied(make_model("m", slug="m", display_name="Model M"))
    html = page(client, "/models/m/")
    badge_at, page_at = (f"http://testserver/models/m/{end}?ranking=scenes" for end in ("badge.svg", ""))
    alt = "Own scenes score of Model M on EQ Leaderboard"
    assert copied(html, "markdown") == f"[![{alt}]({badge_at})]({page_at})"
    assert copied(html, "html") == f'<a href="{page_at}"><img src="{badge_at}" alt="{alt}"></a>'
    assert [client.get(path.removeprefix("http://testserver")).status_code for path in (badge_at, page_at)] == [200] * 2


@pytest.mark.parametrize("name", NAMES)
def test_markdown_keeps_a_name_from_becoming_markup(name: str) -> None:
    text = badge_markdown(name, "https://b.example/b.svg", "https://b.example/")
    alt = text.removeprefix("[![").removesuffix("](https://b.example/b.svg)](https://b.example/)")
    assert re.search(r"(?<!\\)(?:\\\\)*[\[\]<>`*_]", alt) is None
    assert re.sub(r"\\([\\`*_\[\]<>&~|])", r"\1", alt) == spelled(name)


def test_the_bibtex_entry_agrees_with_the_page(client: Client) -> None:
    three_tied(make_model("m", slug="m", display_name="Model M"))
    html = page(client, "/models/m/")
    fields = bib_fields(copied(html, "bibtex"))
    standing = Standing.objects.get(model__slug="m")
    assert standing.run
    assert fields == {
        "key": "eqleaderboard-m-scenes",
        "title": "{Own scenes result of Model M}",
        "author": "{EQ Leaderboard}",
        "year": str(standing.computed_at.year),
        "date": standing.computed_at.date().isoformat(),
        "url": "http://testserver/models/m/?ranking=scenes",
        "note": r"55.00 points (95 \% interval 50.48 to 59.52), rank 1--3 of 3, measured; "
        f"run {standing.run_id}; scorer {standing.run.scorer_version}; item bank SHA-256 {standing.run.bank.sha256}"
        f"; ranking as of that day: http://testserver/rankings/scenes/?at={standing.computed_at.date()}",
    }
    assert "95 % interval 50.48 to 59.52" in html


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_bibtex_is_escaped(name: str) -> None:
    title = bib_fields(bibtex(name, "m", cited()))["title"]
    assert re.search(r"(?<!\\)[&%#_]", title) is None
    back = re.sub(r"\\([{}$&%#_])", r"\1", title).replace(r"\textasciitilde{}", "~")
    back = back.replace(r"\textasciicircum{}", "^").replace(r"\textless{}", "<").replace(r"\textgreater{}", ">")
    assert back.replace(r"\textbackslash{}", "\\") == f"{{EQ-Bench v2 result of {spelled(name)}}}"


def test_a_note_without_interval_and_with_approximate_ranks() -> None:
    fields = bib_fields(bibtex("m", "m", cited(score=-6.28, low=None, high=None, rank="rank ≈2–4 of 9")))
    assert fields["note"] == r"$-$6.28 points, rank $\approx$2--4 of 9, imported"


def test_a_note_says_where_an_interval_is_approximate_as_the_page_does(client: Client) -> None:
    for at in range(3):
        publish(make_model(f"paper-{at}", slug=f"paper-{at}"), "eq-bench-v2", 80.0 - 2 * at)
    note = bib_fields(copied(board(client, "/models/paper-1/"), "bibtex"))["note"]
    note, _, order = note.partition("; ranking as of that day: ")
    assert order.startswith("http://testserver/rankings/eq-bench-v2/?at=")
    assert note == r"78.00 points (approximate 95 \% interval 74.56 to 81.44), rank $\approx$1--3 of 3, published"


def test_a_note_names_the_runs_the_other_settings_and_the_scorer() -> None:
    made = {"run_ids": (3, 5), "other_settings": "max tokens 1,024", "scorer_version": "own_v/1", "bank_sha256": "ab12"}
    assert bib_fields(bibtex("m", "m", cited(**made)))["note"].partition("imported")[2] == (
        r"; mean of runs 3, 5; other settings: max tokens 1,024; scorer own\_v/1; item bank SHA-256 ab12"
    )
    many = bib_fields(bibtex("m", "m", cited(run_ids=tuple(range(1, 13)))))["note"]
    assert many.endswith("; mean of runs 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 earlier ones")


PAPER = "Ann Other, EQ: One, Two & Three, 2023, arXiv 2312.06281"


def test_a_second_entry_cites_the_paper_of_the_bank(client: Client) -> None:
    finished(make_bank(slug="scenes", citation=PAPER), 61.0, model=make_model("m", slug="m"))
    result, paper = copied(board(client, "/models/m/"), "bibtex").split("\n\n")
    assert bib_fields(result)["key"] == "eqleaderboard-m-scenes"
    assert bib_fields(paper) == {
        "key": "scenes-bank", "author": "Ann Other", "title": r"{EQ: One, Two \& Three}", "year": "2023",
        "eprint": "2312.06281", "archiveprefix": "arXiv",
    }  # fmt: skip


def test_what_is_no_paper_is_cited_as_it_stands_and_nothing_where_nothing_is_named() -> None:
    assert bib_fields(paper_entry(cited(bank="own", paper="Made by us_all"))) == {
        "key": "own-bank", "title": "{EQ-Bench v2}", "note": r"Made by us\_all",
    }  # fmt: skip
    assert paper_entry(cited()) == ""


def test_the_model_card_agrees_with_the_page(client: Client) -> None:
    model = make_model("m", slug="m", display_name="Model M")
    three_tied(model)
    publish(model, "eq-bench-v1", 49.17)
    html = board(client, "/models/m/")
    [entry] = yaml.safe_load(copied(html, "model-index"))["model-index"]
    assert entry["name"] == "Model M"
    assert [(each["dataset"]["type"], each["metrics"][0]["value"]) for each in entry["results"]] == [
        ("scenes", 55.0),
        ("eq-bench-v1", 49.17),
    ]
    assert entry["results"][0] == {
        "task": {"type": "text-generation"},
        "dataset": {"type": "scenes", "name": "Own scenes"},
        "metrics": [{"type": "scenes", "name": "Own scenes score, measured", "value": 55.0}],
        "source": {"name": "EQ Leaderboard", "url": "http://testserver/models/m/?ranking=scenes"},
    }
    assert '<td class="n">49.17</td>' in html


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_yaml_comes_back_whole(name: str) -> None:
    text = model_index(name, [cited(title=name)])
    [entry] = yaml.safe_load(text)["model-index"]
    assert entry["name"] == entry["results"][0]["dataset"]["name"] == name
    assert yaml.safe_load(quoted(name)) == name


def test_a_model_without_a_score_has_nothing_to_cite(client: Client) -> None:
    make_model("bare", slug="bare")
    assert "Cite and embed" not in page(client, "/models/bare/")
    assert model_index("bare", []) == ""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_to_be_copied_comes_through_the_page_whole(client: Client, name: str) -> None:
    finished(make_bank(title="Own scenes"), 61.0, model=make_model("m", slug="m", display_name=name))
    html = board(client, "/models/m/")
    assert yaml.safe_load(copied(html, "model-index"))["model-index"][0]["name"] == name
    assert html.count("<textarea") == html.count("</textarea>") == 4
