"""EQ-Bench on the site: how strongly four feelings are felt at the end of a dialogue, from 0 to 10 each."""

from datetime import date

from evaluation.benchmarks.eqbench_summary import NEEDED_SHARE
from leaderboard.kinds.base import GENERAL_SECTIONS, ItemParts, Kind, ScorerChange

_READING = (
    "Reasoning is removed in the formats of all vendors, not only two. JSON, XML and tables are parsed by their "
    "structure. If two numbers compete for a name, neither is taken. Unusual but clear forms are "
    "parsed and flagged. Bold names on another scale are treated like plain ones. “Cut off” is now a "
    "flag beside the reason."
)
_DOUBTS = (
    "More ways to mark reasoning are known: those of terminals and of folded sections. A rating is not counted if a "
    "later number beside or below it may replace it. A drawn bar, a table in LaTeX and a note behind a number in JSON "
    "are parsed."
)
_DRAFTS = (
    "A draft is not counted where new ratings follow it and the reply is cut, nor are ratings in an element or a JSON "
    "string of any name that others follow: these are reasoning. Each table and section is parsed by its own header. "
    "Ordinals, positions and changes are not taken for ratings, and a scale named above plain ratings is flagged."
)
_PEOPLE = (
    "Where a reply rates several people, each under a heading, the tolerant parser takes none of them, and an official "
    "answer is flagged. A draft in an open element of any name is not counted where the reply was cut. Reasoning in a "
    "quotation, under a heading and in more languages is removed. A number of times, minutes or confidence, a change "
    "and a bound are no ratings, nor is a number that words behind it contradict. “X rating 3” is parsed in any dress."
)
CHANGES = (
    *(
        ScorerChange(f"{name}/5", date(2026, 11, 30), _PEOPLE)
        for name in ("eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de")
    ),
    *(
        ScorerChange(f"{name}/4", date(2026, 11, 30), _DRAFTS)
        for name in ("eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de")
    ),
    *(
        ScorerChange(f"{name}/3", date(2026, 11, 30), _DOUBTS)
        for name in ("eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de")
    ),
    *(
        ScorerChange(f"{name}/2", date(2026, 11, 28), _READING)
        for name in ("eq-bench-v2", "eq-bench-v2-code", "eq-bench-v1", "eq-bench-v2-de")
    ),
    ScorerChange(
        "eq-bench-v2/1",
        date(2026, 11, 27),
        "First version. The curve of the project's README. The official parser first, then the tolerant one.",
    ),
    ScorerChange(
        "eq-bench-v2-code/1",
        date(2026, 11, 27),
        "First version. As eq-bench-v2, with the curve as the pipeline's code has it, for comparison with "
        "harnesses that inherit it.",
    ),
    ScorerChange(
        "eq-bench-v1/1",
        date(2026, 11, 27),
        "First version. Ratings rescaled to sum to 10; the prompt always asks for a revision, so the last values win.",
    ),
    ScorerChange(
        "eq-bench-v2-de/1",
        date(2026, 11, 27),
        "First version. The German prompt and reader; the curve of eq-bench-v2.",
    ),
)

EQ_BENCH = Kind(
    family="eq-bench",
    title="EQ-Bench",
    zooms=True,
    items="short dialogues",
    lede="{title} has {items}. A score of 100 means perfect agreement with the reference ratings.",
    ledes={
        "eq-bench-v1": "Models read {items} and rate the relative strength of four emotions of one character. A "
        "score of 100 means perfect agreement with the reference ratings.",
        "eq-bench-v2": "Models read {items} and rate four emotions of one character from 0 to 10. A score of 100 "
        "means perfect agreement with the reference ratings.",
    },
    references=("mmlu", "arena_elo", "magi_hard"),
    sections=GENERAL_SECTIONS | {"items", "emotions", "sensitivity", "design", "structure", "scoring"},
    item_parts=ItemParts(
        low=0.0,
        high=10.0,
        digits=0,
        label="emotion",
        unnamed="Feeling",
        words="Each feeling is rated from 0 to 10.",
        score="score",
        best="10 is best",
        full="A mean of 10 is full marks.",
        text="dialogue",
        closed="",
        has_prompt_frame=True,
    ),
    needed_share=NEEDED_SHARE,
    needs=f"a score needs {100 * NEEDED_SHARE:.4g} %",
    changes=CHANGES,
    full_scale=frozenset({"eq-bench-v2", "eq-bench-v2-de"}),
)
