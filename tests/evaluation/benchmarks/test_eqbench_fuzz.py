"""Replies built from the grammar of forms, with known ratings: they are read right or not at all, never wrong."""

import json
import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from evaluation.benchmarks.base import Reply
from tests.evaluation.benchmarks.standard import ITEM, first

EXAMPLES = 400
# EQ_FUZZ_PARTS=20 tries twenty thousand replies, which takes a quarter of an hour.
PARTS = int(os.environ.get("EQ_FUZZ_PARTS", "2"))
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
Ratings = dict[str, int]


def names(label: str) -> st.SearchStrategy[str]:
    """A name in some dress."""
    shapes = (
        "{}",
        "**{}**",
        "__{}__",
        "`{}`",
        "*{}*",
        '"{}"',
        "“{}”",
        "{} (0-10)",
        "{} [0–10]",
        "{} 😠",
        "{}¹",
        "{}[2]",
        "<b>{}</b>",
    )
    cases: tuple[Callable[[str], str], ...] = (str, str.lower, str.upper)
    return st.builds(lambda shape, case: shape.format(case(label)), st.sampled_from(shapes), st.sampled_from(cases))


def numbers(value: int, other: int) -> st.SearchStrategy[str]:
    """A rating in some dress, with the other number where it is plain that it is not the rating."""
    shapes = (
        *(
            "{v}",
            "**{v}**",
            "{v}/10",
            "{v} / 10",
            "{v} out of 10",
            "({v})",
            "[{v}]",
            "{v}.",
            "{v}.0",
            "≈{v}",
            "~{v}",
            "+{v}",
        ),
        *(
            "{{{v}}}",
            "${v}$",
            r"\boxed{{{v}}}",
            "{w} ({v})",
            "~~{o}~~ {v}",
            "<del>{o}</del> {v}",
            "{o} → {v}",
            "{o} -> {v}",
        ),
        *("{v} (because of that)", "{v} - he lost it", "{v}[1]", "Score {v}", "score: {v}", "a rating of {v}"),
    )
    return st.sampled_from(shapes).map(lambda shape: shape.format(v=value, o=other, w=WORDS[value]))


def competing(value: int, other: int) -> st.SearchStrategy[str]:
    """A rating with another number that may be it as well; it is none or the first that was written."""
    shapes = (
        "{v}, {o}",
        "{v} ({o})",
        "{v} {o}",
        "{v}-{o}",
        "{v} or {o}",
        "{v}; revised: {o}",
        "{v}, no, {o}",
        "{v}, confidence {o}",
    )
    return st.sampled_from(shapes).map(lambda shape: shape.format(v=value, o=other))


@st.composite
def line_replies(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    separator = draw(st.sampled_from((": ", ":", " = ", " - ", " – ", " → ", " => ", "：", " | ", ": \n")))
    bullet = draw(st.sampled_from(("", "- ", "* ", "• ", "1. ", "> ", "| ")))
    joint = draw(st.sampled_from(("\n", "\n\n", "; \n", "  \n")))
    order = draw(st.permutations(ITEM.labels))
    lines = [f"{bullet}{draw(names(n))}{separator}{draw(numbers(ratings[n], others[n]))}" for n in order]
    return joint.join(lines)


@st.composite
def competing_replies(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    separator = draw(st.sampled_from((" = ", " - ", " → ", "=")))
    return "\n".join(f"{draw(names(n))}{separator}{draw(competing(ratings[n], others[n]))}" for n in ITEM.labels)


@st.composite
def tables(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    """A table, as Markdown, box drawing or CSV, whose header tells the rating from other columns."""
    beside = draw(
        st.sampled_from(
            (
                ("Confidence", "Score"),
                ("First", "Revised"),
                ("Score", "Certainty"),
                ("Rating", "Reason"),
                ("Weight", "Value"),
            )
        )
    )
    is_rating = [title in {"Score", "Revised", "Rating", "Value"} for title in beside]
    titles = draw(st.permutations(["Emotion", *beside]))
    bar = draw(st.sampled_from((" | ", " │ ", ",", ";", "\t")))
    cells = {}
    for n in ITEM.labels:
        values = [
            ratings[n] if rating else ("of it" if title == "Reason" else others[n])
            for title, rating in zip(beside, is_rating, strict=True)
        ]
        cells[n] = dict(zip(beside, values, strict=True)) | {"Emotion": n}
    rows = [
        bar.join(titles),
        *(bar.join(str(cells[n][title]) for title in titles) for n in draw(st.permutations(ITEM.labels))),
    ]
    if len(bar) == 3:
        rows = [f"{bar.strip()} {row} {bar.strip()}" for row in rows]
        rows.insert(1, bar.strip() + "|".join(["---"] * 3) + bar.strip())
    return "\n".join(rows)


@st.composite
def objects(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    """JSON with the rating beside other things, in any order, as objects or as a list."""
    key = draw(st.sampled_from(("score", "rating", "value", "intensity", "revised_score")))
    entries: dict[str, dict[str, object]] = {}
    noise = draw(
        st.sampled_from(
            (
                ("reason", "She said 9 of 10."),
                ("why", '"Angry": 9, "Hopeful": 1'),
                ("confidence", None),
                ("first", None),
            )
        )
    )
    for n in ITEM.labels:
        if noise[0] == "first":
            key = "revised"
        made = {key: ratings[n], noise[0]: others[n] if noise[1] is None else noise[1]}
        entries[n] = dict(draw(st.permutations(list(made.items()))))
    form = draw(st.sampled_from(("by name", "list", "inside", "plain", "with a text behind")))
    if form == "plain":
        whole: object = ratings
    elif form == "with a text behind":
        whole = {**ratings, "why": ", ".join(f'"{n}": {others[n]}' for n in ITEM.labels)}
    elif form == "by name":
        whole = entries
    else:
        listed = [
            dict(draw(st.permutations([*entries[n].items(), ("emotion", n)])))
            for n in draw(st.permutations(ITEM.labels))
        ]
        whole = {"thoughts": "Angry: 9", "ratings": listed} if form == "inside" else listed
    text = json.dumps(whole, indent=draw(st.sampled_from((None, 2))), ensure_ascii=False)
    return draw(st.sampled_from(("{}", "```json\n{}\n```", "Here you are:\n{}\nI hope that helps, 10/10."))).replace(
        "{}", text
    )


@st.composite
def trees(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    """XML and YAML with the rating beside other things."""
    shapes = (
        *("<{n}>{v}</{n}>", '<emotion name="{n}">{v}</emotion>', "<emotion>{n}</emotion><score>{v}</score>"),
        *("<i><name>{n}</name><confidence>{o}</confidence><score>{v}</score></i>", "{n}:\n  score: {v}\n  why: of {o}"),
        *(
            "{n}:\n  reason: of {o}\n  score: {v}",
            "- emotion: {n}\n  score: {v}",
            "{n}:\n  confidence: {o}\n  score: {v}",
        ),
        *(
            "### {n}\n**Score:** {v}\n",
            "**{n}**\n{v}\n",
            "{n}:\n  first: {o}\n  revised: {v}",
            "- score: {v}\n  emotion: {n}",
        ),
        *("- emotion: {n}\n  confidence: {o}\n  score: {v}", "{n}\n\nShe lost {o} of them.\n\nScore: {v}/10\n"),
    )
    shape = draw(st.sampled_from(shapes))
    return "\n".join(shape.format(n=n, v=ratings[n], o=others[n]) for n in draw(st.permutations(ITEM.labels)))


@st.composite
def bare(draw: st.DrawFn, ratings: Ratings, others: Ratings) -> str:
    joint = draw(st.sampled_from(("\n", " ", ", ", "\n\n", ";")))
    return joint.join(str(ratings[n]) for n in ITEM.labels)


MARKS = (
    *(
        ("<think>", "</think>"),
        ("[THINK]", "[/THINK]"),
        ("<|channel|>analysis<|message|>", "<|end|>"),
        ("◁think▷", "◁/think▷"),
    ),
    *(("<seed:think>", "</seed:think>"), ("<|START_THINKING|>", "<|END_THINKING|>"), ("<reasoning>", "</reasoning>")),
    *(("analysisWe rate. ", "assistantfinal"), ('<think time="3">', "</think>"), ("<|channel>thought\n", "<channel|>")),
    *(("so: ", "</think>"), ('{"reasoning": "', '"}'), ("", "")),
)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Ratings, str, bool]:
    """Known ratings, a reply that gives them, and whether it is one with two numbers for each name."""
    ratings = {name: draw(st.integers(0, 10)) for name in ITEM.labels}
    others = {name: (ratings[name] + draw(st.integers(1, 10))) % 11 for name in ITEM.labels}
    forms = (line_replies, tables, objects, trees, bare, competing_replies)
    form = draw(st.sampled_from(forms))
    opening, closing = draw(st.sampled_from(MARKS))
    draft = "\n".join(f"{name}: {value}" for name, value in others.items()) if closing else ""
    return ratings, f"{opening}{draft}{closing}{draw(form(ratings, others))}", form is competing_replies


def check(example: tuple[Ratings, str, bool], finish_reason: str = "") -> bool:
    """Whether the reply was read; fails where it was read wrong."""
    ratings, text, is_competing = example
    answer = first(Reply(text, finish_reason=finish_reason))
    if answer.values is None:
        assert answer.reason
        return False
    assert answer.values == tuple(float(ratings[name]) for name in ITEM.labels), text
    assert not is_competing, text
    return True


def run_examples(number: int, most: int) -> list[bool]:
    """Whether each reply that could be read was; fails at one that was read wrong."""
    read = []

    @seed(number)
    @settings(max_examples=most, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(replies(), st.sampled_from(["", "stop", "length"]))
    def work(example: tuple[Ratings, str, bool], finish_reason: str) -> None:
        was_read = check(example, finish_reason)
        if not example[2] and any(example[0].values()):
            read.append(was_read)

    work()
    return read


def test_no_reply_of_the_grammar_is_read_wrong_and_most_are_read() -> None:
    read = run_examples(14, EXAMPLES)
    assert sum(read) >= 0.85 * len(read)


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(PARTS))
def test_no_reply_of_a_thousand_is_read_wrong(number: int) -> None:
    run_examples(number, 1_000)
