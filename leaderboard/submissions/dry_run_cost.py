"""What the whole run will cost, told from a few replies. Pure: no query, no request."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.benchmarks.base import Measure
from evaluation.endpoints.messages import OWN_TEMPERATURE
from leaderboard.kinds.base import Kind
from leaderboard.rounding import count, counted, number
from leaderboard.submissions.dry_run import Heard, latencies

CHARACTERS_A_TOKEN = 4  # where the endpoint counts none


@dataclass(frozen=True, slots=True)
class Cost:
    """The whole run, told from three replies. `condition` says what the number of requests rests on."""

    requests: str
    condition: str
    tokens: str
    tokens_read: str
    tokens_written: str
    duration: str
    at_once: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What the whole run will ask: so many requests if each reply is read, and an item that is not up to `attempts`
    times. `texts` tells whether the items' words may be shown, `asked` names the bank whose items the dry run asks,
    `kind` and `measure` say what they and their scores are called."""

    requests: int
    concurrency: int
    texts: bool
    asked: str
    attempts: int
    kind: Kind
    measure: Measure


def cost_of(heard: Sequence[Heard], scope: Scope) -> Cost:
    """The cost of the whole, as if its items were like those that were heard, of which there is at least one."""
    requests = round(scope.requests * requests_an_item(heard, scope.attempts))
    read = round(requests * sum(map(_prompt_tokens, heard)) / len(heard))
    written = round(requests * sum(map(_reply_tokens, heard)) / len(heard))
    low, high = (requests * seconds / scope.concurrency for seconds in latencies(heard))
    return Cost(
        requests=_number_of(requests, heard),
        condition=_condition(heard, scope),
        tokens=f"about {count(rounded(read + written))}",
        tokens_read=count(rounded(read)),
        tokens_written=count(rounded(written)),
        duration=span_of_time(low, high),
        at_once=counted(scope.concurrency, "request"),
    )


def requests_an_item(heard: Sequence[Heard], attempts: int) -> float:
    """How often an item is asked: once where its reply is read, else up to so many times, each a little hotter."""
    return sum(attempts if _is_asked_again(one) else 1 for one in heard) / len(heard)


def _is_asked_again(one: Heard) -> bool:
    return not one.reading.complete and OWN_TEMPERATURE not in one.completion.remarks


def _number_of(requests: int, heard: Sequence[Heard]) -> str:
    """Where no reply was read each item is asked as often as it may be, unless a hotter try is read."""
    again = sum(map(_is_asked_again, heard))
    start = "" if not again else "up to " if again == len(heard) else "about "
    return f"{start}{count(requests)}"


def _condition(heard: Sequence[Heard], scope: Scope) -> str:
    again = sum(map(_is_asked_again, heard))
    if not again:
        return "requests, if all replies can be read"
    share = f"{again} of these {len(heard)}" if len(heard) > 1 else "this one"
    return f"requests: an item whose reply cannot be read, as {share}, is asked up to {scope.attempts} times"


def _prompt_tokens(one: Heard) -> float:
    characters = sum(len(message.content) for message in one.request.messages)
    return one.completion.prompt_tokens or characters / CHARACTERS_A_TOKEN


def _reply_tokens(one: Heard) -> float:
    characters = len(one.completion.text) + len(one.completion.reasoning)
    return one.completion.completion_tokens or characters / CHARACTERS_A_TOKEN


def rounded(value: int) -> int:
    """To two significant figures: three replies tell no more. 76,431 -> 76,000."""
    digits = max(0, len(str(abs(value))) - 2)
    return round(value, -digits)


def span_of_time(low: float, high: float) -> str:
    """Two times in seconds as one band: "8–15 min", "20–40 s", "under a second"."""
    if high < 1:
        return "under a second"
    if high < 90:
        return band(number(low, 0), number(high, 0), "s")
    if high < 5400:
        return band(number(low / 60, 0), number(high / 60, 0), "min")
    return band(number(low / 3600, 1), number(high / 3600, 1), "h")


def band(low: str, high: str, unit: str) -> str:
    """Two figures and their unit: "5–12 s", or "5 s" where they are the same."""
    return f"{low} {unit}" if low == high else f"{low}–{high} {unit}"
