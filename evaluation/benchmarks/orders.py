"""The order in which questions or options were shown, as it is stored beside a reply. Pure."""

from collections.abc import Sequence

from evaluation.benchmarks.base import Ask, JsonValue
from evaluation.benchmarks.chance import order


def drawn_order(ask: Ask, n: int) -> dict[str, JsonValue]:
    """The order of n things that the attempt's seed gives, as it is stored: with the attempt that it belongs to."""
    return {"attempt": ask.attempt, "order": list(order(ask.seed, n))}


def order_of(shown: JsonValue, n: int) -> tuple[int, ...] | None:
    """For each place in which something was shown, its position in the bank from 0. None where no order was shown.

    An order that somebody else wrote may count positions from 1.

    Raises:
        ValueError: what was shown is no permutation of n positions.
    """
    found = shown.get("order") if isinstance(shown, dict) else shown
    if found is None:
        return None
    positions = list(map(_position, found)) if isinstance(found, Sequence) and not isinstance(found, str) else []
    first = min(positions, default=-1)
    if first not in (0, 1) or sorted(positions) != list(range(first, first + n)):
        raise ValueError(f"the order shown has to hold each position from 0 to {n - 1} once")
    return tuple(position - first for position in positions)


def _position(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
