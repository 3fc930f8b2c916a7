"""The prompts of the empathy study: somebody tells of a situation and says something. Pure.

A file is a CSV table with the columns `item_id, emotion, valence, situation, utterance`, further columns being ignored,
or the same as JSON: {"prompts": [{"item_id": …, "emotion": …, …}]}.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from evaluation.benchmarks.bank_files import json_file, list_of, object_of, text_of
from evaluation.benchmarks.base import Bank, BankError, Item

COLUMNS = ("item_id", "emotion", "valence", "situation", "utterance")
VALENCES = ("positive", "negative")
RATING, LENGTH = "rating", "words"
LABELS = (RATING, LENGTH)
"""What an answer holds: a judge's rating from 1 to 3, None where nobody rated, and the reply's length in words."""

LONGEST_NAME = 40  # of an item and of an emotion: the width of their columns


def load(files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
    """The bank in the one file given.

    Raises:
        BankError: a prompt is faulty or stands in the file twice; the text names its number.
    """
    (name,) = files
    items = [_item(row, number) for number, row in enumerate(_rows(files, name), 1)]
    if n_items is not None and len(items) != n_items:
        raise BankError(f"{n_items} prompts are expected, the file holds {len(items)}")
    _check_names(items)
    return Bank(tuple(items))


def _rows(files: Mapping[str, bytes], name: str) -> Iterable[Mapping[str, object]]:
    content = files[name].removeprefix(b"\xef\xbb\xbf")
    if content.lstrip().startswith(b"{"):
        prompts = list_of(json_file({name: content}, name).get("prompts"), f"{name}: prompts")
        return [object_of(entry, f"prompt {number}") for number, entry in enumerate(prompts, 1)]
    return _table(content)


def _table(content: bytes) -> Sequence[Mapping[str, object]]:
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), strict=True)
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise BankError(f"the file is no CSV table: {error}") from error
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise BankError(f"columns are missing: {', '.join(missing)}")
    if not rows:
        raise BankError("the file holds no prompts")
    return rows


def _item(row: Mapping[str, object], number: int) -> Item:
    item_id, emotion, valence, situation, utterance = (
        text_of(row.get(column), f"prompt {number}: {column}").strip() for column in COLUMNS
    )
    if valence not in VALENCES:
        raise BankError(f"prompt {number}: valence has to be {' or '.join(VALENCES)}")
    for column, name in (("item_id", item_id), ("emotion", emotion)):
        if len(name) > LONGEST_NAME:
            raise BankError(f"prompt {number}: {column} has more than {LONGEST_NAME} signs")
    return Item(
        id=item_id,
        prompt=f"Situation: {situation}\nMessage: {utterance}",
        labels=LABELS,
        extra={"emotion": emotion, "valence": valence, "situation": situation, "utterance": utterance},
        group=emotion,
    )


def _check_names(items: Sequence[Item]) -> None:
    known: set[str] = set()
    valences: dict[str, object] = {}
    for number, item in enumerate(items, 1):
        if item.id in known:
            raise BankError(f"prompt {number}: its item_id stands in the file twice")
        known.add(item.id)
        if valences.setdefault(item.group, item.extra["valence"]) != item.extra["valence"]:
            raise BankError(f"prompt {number}: its emotion is positive in one prompt and negative in another")
