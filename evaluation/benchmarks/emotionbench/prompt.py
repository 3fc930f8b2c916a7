"""What EmotionBench asks: the questionnaire with its words in a new order for every request. Pure."""

from collections.abc import Sequence

from evaluation.benchmarks.base import BankError, Item, Message


def messages(item: Item, order: Sequence[int]) -> tuple[Message, ...]:
    """The system text and the questionnaire. One line a word, numbered from 1 in the order shown."""
    system = item.extra.get("system")
    if not isinstance(system, str):
        raise BankError(f"item {item.id} has no system text")
    lines = [f"{place}. {item.labels[label]}" for place, label in enumerate(order, 1)]
    return Message("system", system), Message("user", "\n".join([item.prompt, *lines]))
