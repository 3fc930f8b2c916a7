"""What rules get that feel nothing for the situation: rows to read an alignment by. Pure."""

from collections.abc import Mapping, Sequence

from evaluation.benchmarks.bank_files import number_of
from evaluation.benchmarks.base import FIRST_PART, Bank, BankError, Baseline, ItemScore
from evaluation.benchmarks.emotionbench.bank import DEFAULT, OVERALL, rows_of_people
from evaluation.benchmarks.emotionbench.scoring import AFFECTS, Pair


def baselines(bank: Bank) -> Sequence[Baseline]:
    """Five rows, each one mood without a situation and one after every situation. Raises BankError without norms."""
    people, evoked = _mood(bank, "default_mean"), _mood(bank, "evoked_mean")
    moods: Sequence[tuple[str, Pair, Pair]] = (
        ("People's mean mood after every situation", people, evoked),
        ("Always answers 3", (30.0, 30.0), (30.0, 30.0)),
        ("People's mood without a situation, no reaction", people, people),
        ("Always answers 1", (10.0, 10.0), (10.0, 10.0)),
        ("From best to worst mood after every situation", (50.0, 10.0), (10.0, 50.0)),
    )
    return [
        Baseline(
            name,
            {"default": list(before), "evoked": list(after)},
            tuple(
                ItemScore(item.id, 1, FIRST_PART, "none", before if item.id == DEFAULT else after)
                for item in bank.items
            ),
        )
        for name, before, after in moods
    ]


def _mood(bank: Bank, key: str) -> Pair:
    row = rows_of_people(bank)[OVERALL]
    entries = [row.get(affect) for affect in AFFECTS]
    found = [entry.get(key) for entry in entries if isinstance(entry, Mapping)]
    if len(found) != len(AFFECTS):
        raise BankError("the bank has no figures of people; load it again")
    return number_of(found[0], OVERALL), number_of(found[1], OVERALL)
