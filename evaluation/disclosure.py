"""What may be told of a run: the only readers of replies, reasons, flags, failure messages and what endpoints said.

Those texts hold words of the items, or words that a model or an endpoint chose after it had read them. Whoever shows
one takes it from here: `tests/leaderboard/test_disclosure.py` fails for a page, a file or a list that reads a column
of TEXT_COLUMNS by itself. Of a closed bank only our own fixed words come out, never a cut or a search for known words:
a model spells an emotion word as it likes.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Left, Length

from evaluation.benchmarks.base import FIRST_PART, JsonValue
from evaluation.benchmarks.emotionbench.reading import REASONS as QUESTIONNAIRE_REASONS
from evaluation.benchmarks.empathy.gathering import FLAGS as REPLY_FLAGS
from evaluation.benchmarks.empathy.verdicts import REASONS as JUDGEMENT_REASONS
from evaluation.benchmarks.eqbench_numbers import FLAGS
from evaluation.benchmarks.seceu.reading import FLAGS as SECEU_FLAGS
from evaluation.benchmarks.seceu.reading import REASONS as SECEU_REASONS
from evaluation.endpoints.errors import FAULTS, code_told
from evaluation.models import Access, ItemBank, ItemResult, Reply, Run
from evaluation.runs.manifest import with_corrections
from evaluation.runs.parts import NEVER_CAME, PartFields, stored_parts

TEXT_COLUMNS = frozenset({"reason", "flags", "other_parts", "failure_message", "observed", "manifest", "reply"})
"""Columns of `Run` and `ItemResult` that may hold words of a bank; `reply` leads to the table of raw replies."""

SEE_PRIVATE = "evaluation.view_item"
"""The right of staff who may see an item bank's texts in the admin, and with them all that is kept of private banks."""

NOT_READ, NAME_MISSING = "not read", "a name missing"
PLAIN_REASONS = frozenset(
    {
        "", "no scores found", "placeholder", "all zero", "out of range", "looks like another scale", "cut off",
        "cut off in thinking", "no answer after thinking", "prompt repeated", "repeats itself", "names changed",
        "a number refused", "refused", "tool call", "endpoint fault", *JUDGEMENT_REASONS, NOT_READ,
        NAME_MISSING, *SECEU_REASONS, *QUESTIONNAIRE_REASONS,
    }
)  # fmt: skip
QUOTES = (" It said: “", " Most often: ", "“")
"""What stands before words of others in a failure message. Before it there are only sentences of our own."""
PLAIN_FLAGS = frozenset({*FLAGS, *SECEU_FLAGS, *REPLY_FLAGS})
ENDPOINT_WORDS = frozenset({"model", "fingerprint", "server"})


def parts_of(row: ItemResult, bank: ItemBank) -> dict[str, PartFields]:
    """Name of a part -> what was read from it, the first pass first, in words that may be shown of the bank."""
    return {name: _shown(part, bank) for name, part in stored_parts(row).items()}


def counted_part(row: ItemResult, bank: ItemBank) -> PartFields:
    """What was read from the part that counts; not read where it never came."""
    name = row.part or FIRST_PART
    never: PartFields = {**NEVER_CAME, "reason": f"no {part_words(name)}"}
    return parts_of(row, bank).get(name, never)


def part_words(name: str) -> str:
    return "revision" if name == "revised" else name.replace("_", " ")


def _shown(part: PartFields, bank: ItemBank) -> PartFields:
    if bank.shows_texts:
        return part
    return {**part, "reason": plain_reason(part["reason"]), "flags": plain_flags(part["flags"])}


def plain_reason(reason: str) -> str:
    """The kind of reason, without a word of the item or of the reply."""
    head = reason.partition(" (saw ")[0]
    if head in PLAIN_REASONS:
        return head
    if code := code_told(reason):
        return f"{FAULTS[code].cause} fault: {FAULTS[code].sentence}"
    return NAME_MISSING if head.endswith(" missing") else NOT_READ


def plain_flags(flags: str) -> str:
    """Comma-separated, those that our readers set."""
    return ",".join(flag for flag in flags.split(",") if flag in PLAIN_FLAGS)


def own_words(message: str) -> str:
    """A failure message up to where it quotes a server or a reply."""
    if code := code_told(message):
        return FAULTS[code].sentence
    for quote in QUOTES:
        message = message.partition(quote)[0]
    return message


def with_replies(rows: QuerySet[ItemResult], bank: ItemBank, longest: int) -> QuerySet[ItemResult]:
    """Results with `reply_text` and `reply_reasoning`, cut to so many characters, `reply_length`, `reply_finish` and
    `reply_erased`; without any of them where the bank's texts are closed."""
    if not bank.shows_texts:
        return rows
    return rows.annotate(
        reply_text=Left("reply__text", longest),
        reply_reasoning=Left("reply__reasoning", longest),
        reply_length=Length("reply__text"),
        reply_finish=F("reply__finish_reason"),
        reply_erased=F("run__replies_erased_at"),
    )


def replies_of(run: Run) -> QuerySet[Reply]:
    """The stored replies of a run; none where the texts of its bank are closed."""
    return Reply.objects.filter(result__run=run) if run.bank.shows_texts else Reply.objects.none()


def failure_of(run: Run) -> str:
    """Why a run failed or waits, in words that may be shown of its bank; "" where nothing is stored."""
    return run.failure_message if run.bank.shows_texts else own_words(run.failure_message)


def observed_in(run: Run) -> dict[str, Any]:
    """What the endpoint said of itself, and what was negotiated with it; of a closed bank not the endpoint's words."""
    return _without_words(run.observed, run.bank)


def _without_words(observed: Mapping[str, Any], bank: ItemBank) -> dict[str, Any]:
    return {name: value for name, value in observed.items() if bank.shows_texts or name not in ENDPOINT_WORDS}


def manifest_of(run: Run) -> dict[str, JsonValue]:
    """The sealed manifest with its corrections, or what was asked for so far, marked as not sealed."""
    if run.manifest is None:
        return {**run.settings, "sealed": False}
    endpoint = run.manifest.get("endpoint")
    if not endpoint or run.bank.shows_texts:
        return with_corrections(run.manifest, run)
    shown = {**endpoint, "observed": _without_words(endpoint.get("observed", {}), run.bank)}
    return with_corrections({**run.manifest, "endpoint": shown}, run)


def month_of(moment: datetime) -> datetime:
    """The beginning of its month: as much as is told of when anything was done on a private bank."""
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def sees_private(user: Any) -> bool:
    """Whether somebody may see runs on private banks and their items: staff with the right to view items."""
    return bool(user.is_active and user.is_staff and user.has_perm(SEE_PRIVATE))


def may_see(user: Any, bank: ItemBank) -> bool:
    """Whether somebody may see anything of the bank, or of runs on it, item by item or run by run."""
    return bank.access != Access.PRIVATE or sees_private(user)
