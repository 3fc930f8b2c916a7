"""How others name a result: BibTeX, a model-index for a Hugging Face model card, a badge in Markdown and in HTML. Pure.

All texts come from strangers, so each form escapes them by its own rules.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.html import format_html

from leaderboard.plaintext import spelled
from leaderboard.rounding import MINUS, counted, number

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "≈": r"$\approx$", "–": "--", MINUS: r"$-$",
}  # fmt: skip
MOST_RUNS = 10  # named in a note
PAPER = re.compile(r"(?P<author>[^,]+), (?P<title>.+), (?P<year>\d{4}), arXiv (?P<eprint>\d{4}\.\d{4,5})")
MARKDOWN = re.compile(r"([\\`*_\[\]<>&~|])")


@dataclass(frozen=True, slots=True)
class Cited:
    """One result as it stands on the board: scores and interval in points, `rank` in words, absolute addresses.

    `as_of` is the address of the ranking as it was on `computed_on`; "" where that order is not public.
    The interval of a published figure is `approximate`. `run_ids` are the runs that count, `paper` is how the item bank
    wants to be cited; empty is what is not known.
    """

    ranking: str
    title: str
    score: float
    low: float | None
    high: float | None
    rank: str
    origin: str
    computed_on: date
    address: str
    approximate: bool = False
    run_ids: tuple[int, ...] = ()
    other_settings: str = ""
    scorer_version: str = ""
    bank: str = ""
    bank_sha256: str = ""
    paper: str = ""
    digits: int = 2
    unit: str = "points"
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Citations:
    """Texts to copy. `badge` is the picture's address; `model_index` is "" where no result stands."""

    badge: str
    markdown: str
    html: str
    bibtex: str
    model_index: str


def citations(model: str, slug: str, result: Cited, badge: str, results: Sequence[Cited]) -> Citations:
    """All ways to name one result of a model, and the card entry of all its results."""
    alt = f"{result.title} score of {model} on EQ Leaderboard"
    return Citations(
        badge=badge,
        markdown=badge_markdown(alt, badge, result.address),
        html=badge_html(alt, badge, result.address),
        bibtex="\n\n".join(filter(None, (bibtex(model, slug, result), paper_entry(result)))),
        model_index=model_index(model, results),
    )


def bibtex(model: str, slug: str, result: Cited) -> str:
    """An entry of the kind "misc" for one result of a model. The note holds score, interval, rank, origin and what made
    the score."""
    fields = {
        "title": f"{{{latex(result.title)} result of {latex(model)}}}",
        "author": "{EQ Leaderboard}",
        "year": str(result.computed_on.year),
        "date": result.computed_on.isoformat(),
        "url": result.address,
        "note": latex(note(result)),
    }
    return entry(f"eqleaderboard-{slug}-{result.ranking}", fields)


@dataclass(frozen=True, slots=True)
class CitedRanking:
    """A ranking as of a day: `as_of` is the absolute address of the order of that day."""

    key: str
    title: str
    at: date
    as_of: str
    bank_sha256: str = ""
    paper: str = ""


def ranking_bibtex(cited: CitedRanking) -> str:
    """Two entries of the kind "misc": the ranking on that day, and the paper of the item bank where it names one."""
    items = f"; item bank SHA-256 {cited.bank_sha256}" if cited.bank_sha256 else ""
    fields = {
        "title": f"{{{latex(cited.title)} ranking}}",
        "author": "{EQ Leaderboard}",
        "year": str(cited.at.year),
        "date": cited.at.isoformat(),
        "url": cited.as_of,
        "note": latex(f"As of {cited.at.isoformat()}{items}"),
    }
    own = entry(f"eqleaderboard-{cited.key}-{cited.at.isoformat()}", fields)
    return "\n\n".join(filter(None, (own, bank_entry(cited.key, cited.title, cited.paper))))


@dataclass(frozen=True, slots=True)
class CitedRun:
    """One run: score in its `unit` or None, absolute addresses, `as_of` the order of the ranking as it joined, "" for a
    run that joined none."""

    number: int
    model: str
    title: str
    score: float | None
    ended_on: date
    address: str
    as_of: str
    scorer_version: str
    bank_sha256: str
    digits: int = 2
    unit: str = "points"


def run_bibtex(run: CitedRun) -> str:
    score = "no score" if run.score is None else f"{number(run.score, run.digits)} {run.unit}".strip()
    scorer = f"; scorer {run.scorer_version}" if run.scorer_version else ""
    joined = f"; ranking when it joined: {run.as_of}" if run.as_of else ""
    fields = {
        "title": f"{{Run {run.number} of {latex(run.model)} on {latex(run.title)}}}",
        "author": "{EQ Leaderboard}",
        "year": str(run.ended_on.year),
        "date": run.ended_on.isoformat(),
        "url": run.address,
        "note": latex(f"{score}{scorer}; item bank SHA-256 {run.bank_sha256}{joined}"),
    }
    return entry(f"eqleaderboard-run-{run.number}", fields)


def paper_entry(result: Cited) -> str:
    """An entry for the paper of the item bank; "" where it names none."""
    return bank_entry(result.bank, result.title, result.paper)


def bank_entry(bank: str, title: str, paper: str) -> str:
    if not paper:
        return ""
    known = PAPER.fullmatch(paper)
    if known is None:
        return entry(f"{bank}-bank", {"title": f"{{{latex(title)}}}", "note": latex(paper)})
    fields = {name: latex(text) for name, text in known.groupdict().items()}
    return entry(f"{bank}-bank", {**fields, "title": f"{{{fields['title']}}}", "archiveprefix": "arXiv"})


def entry(key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{key},\n{lines}}}"


def note(result: Cited) -> str:
    """ "69.35 points (95 % interval 65.40 to 73.30), rank 24–61 of 88, imported; run 7; scorer ...; items ..."."""
    known = result.low is not None and result.high is not None
    kind = "approximate " if result.approximate else ""
    score, low, high = (number(value, result.digits) for value in (result.score, result.low, result.high))
    interval = f" ({kind}95 % interval {low} to {high})" if known else ""
    return f"{score} {result.unit}{interval}, {result.rank}, {result.origin}{''.join(made_by(result))}"


def made_by(result: Cited) -> Iterator[str]:
    """Which runs, settings, scorer and items made the score, as far as that is known."""
    if result.run_ids:
        *more, last = result.run_ids[-MOST_RUNS:]
        earlier = len(result.run_ids) - MOST_RUNS
        rest = f" and {counted(earlier, 'earlier one')}" if earlier > 0 else ""
        yield f"; {'mean of runs' if more else 'run'} {', '.join(map(str, (*more, last)))}{rest}"
    if result.other_settings:
        yield f"; other settings: {result.other_settings}"
    if result.scorer_version:
        yield f"; scorer {result.scorer_version}"
    if result.bank_sha256:
        yield f"; item bank SHA-256 {result.bank_sha256}"
    if result.as_of:
        yield f"; ranking as of that day: {result.as_of}"


def latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in spelled(text))


def model_index(model: str, results: Sequence[Cited]) -> str:
    """The metadata of a model card: one result a ranking. "" without results.

    Source: huggingface.co/docs/hub/model-cards, "Evaluation Results": model-index with task, dataset, metrics, source.
    """
    if not results:
        return ""
    return f"model-index:\n- name: {quoted(model)}\n  results:\n" + "".join(index_entry(result) for result in results)


def index_entry(result: Cited) -> str:
    return (
        "  - task:\n"
        "      type: text-generation\n"
        "    dataset:\n"
        f"      type: {quoted(result.ranking)}\n"
        f"      name: {quoted(result.title)}\n"
        "    metrics:\n"
        f"    - type: {quoted(result.ranking)}\n"
        f"      name: {quoted(f'{result.title} score, {result.origin}')}\n"
        f"      value: {result.score:.{result.digits}f}\n"
        "    source:\n"
        "      name: EQ Leaderboard\n"
        f"      url: {quoted(result.address)}\n"
    )


def quoted(text: str) -> str:
    """The text in double quotes as YAML reads it; signs that cannot be printed become escapes, nothing is lost."""
    return "".join(sign if sign.isprintable() else escaped(sign) for sign in json.dumps(text, ensure_ascii=False))


def escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def badge_markdown(alt: str, badge: str, page: str) -> str:
    """A linked picture; what would be markup in `alt` is escaped, so that a name stays a name."""
    safe = MARKDOWN.sub(r"\\\1", spelled(alt))
    return f"[![{safe}]({badge})]({page})"


def badge_html(alt: str, badge: str, page: str) -> str:
    """The same in HTML."""
    return format_html('<a href="{}"><img src="{}" alt="{}"></a>', page, badge, spelled(alt))
