"""The judgements of one judge as CSV: a line a reply, without its text."""

from collections.abc import Iterator

from evaluation.models import Judge
from leaderboard.cells import Cell, csv_text
from leaderboard.study.judges.reading import banks_of, judged_by

COLUMNS = ("judge", "prompt_version", "bank", "item_id", "responder", "run", "rating", "people")
WORDS = {1: "Bad", 2: "Okay", 3: "Good"}


def as_csv(judge: Judge) -> str:
    """`rating` is the judge's median of three, `people` that of people of a closed group; empty where there is none."""
    return csv_text(COLUMNS, _rows(judge))


def _rows(judge: Judge) -> Iterator[list[Cell]]:
    for bank in banks_of(judge):
        items = list(bank.items.order_by("number").values_list("item_id", flat=True))
        for each in judged_by(judge, bank):
            for item_id in items if each.counts else ():
                yield [
                    judge.name, judge.prompt_version, bank.slug, item_id, each.label, each.run.pk,
                    WORDS.get(each.ratings.get(item_id, 0)), WORDS.get(each.people.get(item_id, 0)),
                ]  # fmt: skip
