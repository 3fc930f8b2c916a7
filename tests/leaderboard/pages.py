"""Rows for a board, and reading a page as a visitor does: the cells of its tables as text."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

from evaluation.models import ItemBank, LanguageModel, ReferenceScore, Run, Status
from leaderboard.standings import refresh_standings
from tests.factories import make_model, make_run


def finished(
    bank: ItemBank, score: float, *, name: str = "", facts: dict[str, Any] | None = None, **fields: Any
) -> Run:
    """A public, finished run of a model of that name; `facts` are the model's columns."""
    model = fields.pop("model", None) or make_model(name, **(facts or {}))
    return make_run(bank=bank, model=model, status=Status.FINISHED, score=score, **fields)


def publish(model: LanguageModel, benchmark: str, value: float, **fields: Any) -> ReferenceScore:
    defaults = {"preferred": True, "source": "a page"}
    return ReferenceScore.objects.create(model=model, benchmark=benchmark, value=value, **{**defaults, **fields})


def flat(html: str) -> str:
    """A page in one line: where a template breaks its lines is no difference."""
    parts = re.split(r"(<(pre|textarea)\b.*?</\2>)", html, flags=re.DOTALL)
    kept = [part if at % 3 else re.sub(r"[ \n]+", " ", part) for at, part in enumerate(parts) if at % 3 != 2]
    return "".join(kept).strip()


def content_of(response: Any) -> str:
    """A page in one line, and any other file as it is."""
    text: str = response.content.decode()
    return flat(text) if response["Content-Type"].startswith("text/html") else text


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return content_of(response)


def board(client: Client, path: str = "/") -> str:
    """The page after the standings are computed."""
    refresh_standings()
    return page(client, path)


@dataclass
class TableParser(HTMLParser):
    """Collects rows of cell texts; text inside svg is left out."""

    rows: list[list[str]] = field(default_factory=list)
    in_cell: bool = False
    in_drawing: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self.in_cell = True
        elif tag == "svg":
            self.in_drawing = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.in_cell = False
        elif tag == "svg":
            self.in_drawing = False

    def handle_data(self, data: str) -> None:
        if self.in_cell and not self.in_drawing:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())


def table(html: str) -> list[list[str]]:
    """The rows of the first table, its head and group rows among them."""
    parser = TableParser()
    parser.feed(html.partition("<table")[2].partition("</table>")[0])
    return parser.rows


def models(html: str) -> list[list[str]]:
    """The rows of models in the board: those whose model cell names an origin."""
    origins = ("measured ", "imported ", "published ", "baseline ", "demo ")
    return [row for row in table(html) if any(cell.startswith(origins) for cell in row)]
