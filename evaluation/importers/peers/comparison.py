"""A peer's scores against ours, reply by reply: where both read it, the code rule must give the same. Pure.

Both peers score by the rule of the official pipeline's code, so that rule is what their figures are held against,
whichever rule the run itself is scored by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.benchmarks.base import Answer, Benchmark, Item, ItemScore, JsonValue, Summary
from evaluation.benchmarks.eqbench_summary import FIRST, POINTS
from evaluation.importers.peers.files import PeerSample

Kind = Literal["equal", "cut to 0", "read differently", "read here alone", "read by the peer alone", "read by neither"]
KINDS: tuple[Kind, ...] = (
    "equal",
    "cut to 0",
    "read differently",
    "read here alone",
    "read by the peer alone",
    "read by neither",
)
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """One reply by both. Scores in points of the whole, None where a side read nothing; `counted` is what the peer took
    into its mean, `why` the reason or the flags of our reading."""

    item_id: str
    repeat: int
    kind: Kind
    ours: float | None
    theirs: float | None
    counted: float | None
    reading: str
    why: str

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "item": self.item_id,
            "repeat": self.repeat,
            "kind": self.kind,
            "code_rule_score": self.ours,
            "peer_score": self.theirs,
            "peer_counted": self.counted,
            "reading": self.reading,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class PeerComparison:
    """All replies of a run by both. `summary` is the run's by the code rule."""

    items: tuple[ItemComparison, ...]
    summary: Summary

    @property
    def counts(self) -> dict[str, JsonValue]:
        """Replies of each kind."""
        return {kind: sum(item.kind == kind for item in self.items) for kind in KINDS}

    def ids(self, kind: Kind) -> list[str]:
        """The items of a kind in the run's order, each once."""
        return list(dict.fromkeys(item.item_id for item in self.items if item.kind == kind))


def compared(sample: PeerSample, item: Item, answer: Answer, rule: Benchmark) -> ItemComparison:
    """One reply as the peer scored it and as `rule` scores the answer that we read from it."""
    points = rule.score(item, answer)
    ours = None if points is None else POINTS * points
    return ItemComparison(
        item_id=item.id,
        repeat=sample.repeat,
        kind=_kind(ours, sample.score),
        ours=ours,
        theirs=sample.score,
        counted=sample.counted,
        reading=answer.reading,
        why=answer.reason or ", ".join(answer.flags),
    )


def _kind(ours: float | None, theirs: float | None) -> Kind:
    if ours is None or theirs is None:
        return _one_sided(ours, theirs)
    if abs(ours - theirs) <= TOLERANCE:
        return "equal"
    return "cut to 0" if theirs == 0 and ours < 0 else "read differently"


def _one_sided(ours: float | None, theirs: float | None) -> Kind:
    if ours is not None:
        return "read here alone"
    return "read by neither" if theirs is None else "read by the peer alone"


def comparison_of(items: Sequence[ItemComparison], rule: Benchmark, *, n_items: int, repeats: int) -> PeerComparison:
    """The replies with their summary by `rule`."""
    scores = [_score(item) for item in items]
    return PeerComparison(tuple(items), rule.summarise(scores, n_items=n_items, repeats=repeats))


def _score(item: ItemComparison) -> ItemScore:
    points = None if item.ours is None else item.ours / POINTS
    return ItemScore(item.item_id, item.repeat, FIRST, item.reading, (points,))
