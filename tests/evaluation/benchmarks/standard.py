"""The standard item of the cases, and short words for reading it."""

from hypothesis import HealthCheck, settings

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Benchmark, Item, Options, Reading, Reply

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For property tests: on a busy machine examples may take long without any fault."""

V2 = BENCHMARKS["eq-bench-v2"]
GERMAN = BENCHMARKS["eq-bench-v2-de"]
ITEM = Item("1", "a prompt", ("Angry", "Hopeful", "Relieved", "Ashamed"), (3.0, 6.0, 0.0, 8.0))
GERMAN_ITEM = Item("1", "eine Frage", ("Wütend", "Gleichgültig", "Verärgert", "Beschämt"), (3.0, 6.0, 0.0, 8.0))
OK = "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"
GERMAN_OK = "Wütend: 3\nGleichgültig: 6\nVerärgert: 0\nBeschämt: 8"
DRAFT = "Angry: 9\nHopeful: 1\nRelieved: 9\nAshamed: 2"
DRAFT_POINTS = -9.44


def four(shape: str, *, values: tuple[object, ...] = (3, 6, 0, 8), joint: str = "\n", item: Item = ITEM) -> str:
    """The item's four names and values in one shape, for example `- **{name}:** {value}`."""
    pairs = zip(item.labels, values, strict=True)
    return joint.join(shape.format(name=name, value=value) for name, value in pairs)


def read(reply: str | Reply, *, revision: bool = False, item: Item = ITEM, by: Benchmark = V2) -> Reading:
    reply = Reply(reply) if isinstance(reply, str) else reply
    return by.read(item, reply, Options(switched=frozenset({"revision"} if revision else ())))


def first(reply: str | Reply, *, item: Item = ITEM, by: Benchmark = V2) -> Answer:
    """The only answer of a reply to the prompt without revision."""
    (answer,) = read(reply, item=item, by=by).answers
    return answer


def points(reply: str | Reply, *, item: Item = ITEM, by: Benchmark = V2) -> float | None:
    """The standard points of a reply, rounded as the cases give them."""
    score = by.score(item, first(reply, item=item, by=by))
    return None if score is None else round(score, 2)


def strict_points(reply: str | Reply, *, item: Item = ITEM, by: Benchmark = V2) -> float | None:
    answer = first(reply, item=item, by=by)
    return points(reply, item=item, by=by) if answer.reading == "official" else None
