"""What rules get that feel nothing for the situation: rows to read an alignment by. Pure."""

from collections.abc import Sequence

from evaluation.benchmarks.base import FIRST_PART, Bank, Baseline, ItemScore
from evaluation.benchmarks.emotionbench.bank import DEFAULT, OVERALL, mood_of_people
from evaluation.benchmarks.emotionbench.scoring import Pair


def baselines(bank: Bank) -> Sequence[Baseline]:
    """Five rows, each one mood without a situation and one after every situation. Raises BankError without norms."""
    people, evoked = mood_of_people(bank, OVERALL, "default_mean"), mood_of_people(bank, OVERALL, "evoked_mean")
    moods: Sequence[tuple[str, Pair, Pair]] = (
        ("People's mean mood over all situations", people, evoked),
        ("Always answers 3", (30.0, 30.0), (30.0, 30.0)),
        ("People's mood before any situation, unchanged", people, people),
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
