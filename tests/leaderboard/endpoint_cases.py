"""The public cases of odd endpoints (E01 to E25, P17, and newer ones): each an endpoint with its faults, what its dry
run says, how its run ends and what the submitter reads.

A row of `CASES` is tried twice: by the button of the form in `test_cases_of_dry_run.py`, and through the form and a
worker in `test_cases_of_endpoints.py`. Unless its faults say otherwise an endpoint answers perfectly, so that a run
that finishes must have scored full marks on every item.
"""

import json
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from aiohttp import web
from django.utils import timezone

from evaluation.demo.questions import references_from
from evaluation.demo.server import make_app
from evaluation.endpoints.retrying import Patience
from evaluation.models import FaultKind, ItemState, Run, Status
from leaderboard.rounding import moment
from tests.factories import make_bank, scene_labels, scene_prompt, scene_reference
from tests.leaderboard.sending import CANARY

N_ITEMS, N_FEW = 12, 4
FEW = {"banks": ["few"]}  # for endpoints that slow a run down: the shorter bank
LONG_SYSTEM_PROMPT = "Say plainly how strongly each feeling is there. " * 25  # with a scene over 400 tokens
# The one rest of the breaker that the worker of these cases is given. None is over before the last case was looked at.
LADDER_SECONDS = 3600
MIDST_SECONDS = 1.9  # HTTP dates are in whole seconds, so three seconds ahead may be little more than two
SOON_SECONDS = 10.0  # far less than the longest wait that a run keeps its slot for, far more than a loaded machine adds


@dataclass(frozen=True)
class Carried:
    """What is known of a case once its run has ended or waits. `log` is what the endpoint was asked, in order."""

    run: Run
    log: list[dict[str, Any]]
    status_page: str
    run_page: str
    items_page: str
    items_csv: str

    def pauses(self) -> list[float]:
        """Seconds between the first and the second request of each prompt that was asked twice, shortest first."""
        times = defaultdict(list)
        for row in self.log:
            times[row["prompt_sha256"]].append(row["time"])
        return sorted(asked[1] - asked[0] for asked in times.values() if len(asked) > 1)

    def asked(self, times: int) -> bool:
        """Whether every prompt was asked so often."""
        prompts = Counter(row["prompt_sha256"] for row in self.log)
        return len(prompts) == self.run.n_items and set(prompts.values()) == {times}

    def refused(self) -> int:
        return sum(row["status"] >= 400 for row in self.log)


Check = Callable[[Carried], bool]


def no_more(_: Carried) -> bool:
    return True


@dataclass(frozen=True)
class Case:
    """`told` stands on the submitter's page and `dry` in the report of the dry run; `dry_faults` are those of its
    endpoint where they must hit each prompt; `passes` whether the dry run does."""

    id: str
    faults: tuple[str, ...] = ()
    status: Status = Status.FINISHED
    told: tuple[str, ...] = ()
    holds: Check = no_more
    persona: str = "perfect"
    path: str = ""
    form: dict[str, Any] = field(default_factory=dict)
    passes: bool = True
    dry: tuple[str, ...] = ("All three replies were read",)
    dry_faults: tuple[str, ...] | None = None

    def endpoint(self, *, for_dry_run: bool = False) -> web.Application:
        faults = self.dry_faults if for_dry_run and self.dry_faults is not None else self.faults
        return make_app(persona=self.persona, faults=faults, references=SCENES)


SCENES = references_from(
    (scene_prompt(n), dict(zip(scene_labels(n), map(float, scene_reference(n)), strict=True)))
    for n in range(1, N_ITEMS + 1)
)


def offered_banks() -> None:
    """The banks that the form of a case may name."""
    make_bank(N_ITEMS, slug="scenes", title="Own scenes")
    make_bank(N_FEW, slug="few", title="Few scenes")


def log_of(address: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{address}/log", timeout=30) as response:  # noqa: S310
        rows: list[dict[str, Any]] = json.load(response)["requests"]
    return rows


def both(*checks: Check) -> Check:
    return lambda carried: all(check(carried) for check in checks)


def remark(name: str) -> Check:
    """The run remarks it, and its page shows it."""
    return lambda carried: name in carried.run.observed["remarks"] and name in carried.run_page


def negotiated(name: str, value: object) -> Check:
    """Settled, remembered for the run, and shown among its settings."""
    row = f'negotiated.{name}</th><td class="mono">{value}</td>'
    return lambda carried: row in carried.run_page


def unread(reason: str, reasoning: str = "") -> Check:
    """Every item was left without a score, for that reason, and none was filed as a fault of the endpoint. Where
    `reasoning` is given, each reply has a text with that in it beside the answer."""

    def holds(carried: Carried) -> bool:
        rows = carried.run.results.filter(state=ItemState.UNREAD, score=None, reason=reason)
        if reasoning:
            rows = rows.filter(reply__reasoning__contains=reasoning, reply__text="")
        run = carried.run
        return (run.failure_kind, run.score, rows.count()) == (FaultKind.PARSE, None, run.n_items)

    return holds


def met_faults(carried: Carried) -> bool:
    return bool(carried.run.fault_counts.get("endpoint"))


def asked(times: int) -> Check:
    return lambda carried: carried.asked(times)


def refused_once(carried: Carried) -> bool:
    """What the server does not take was sent once, and never again in this run."""
    return carried.refused() == 1 and carried.log[0]["status"] == 400 and len(carried.log) == N_ITEMS + 1


def waited(at_least: float) -> Check:
    """Before the second request of a prompt, and not long; the shortest pause counts, as others may queue behind."""
    return lambda carried: at_least <= carried.pauses()[0] < SOON_SECONDS


def some_without_a_reply(carried: Carried) -> bool:
    """Items that never got a reply were tried as often as allowed, have no score and name the fault; the others are
    scored."""
    faults = carried.run.results.filter(state=ItemState.FAULT, score=None, reason__startswith="endpoint fault")
    prompts = Counter(row["prompt_sha256"] for row in carried.log)
    tried = sum(times == Patience().tries for times in prompts.values())
    return 0 < faults.count() == N_ITEMS - carried.run.n_scored == tried


def waits_no_longer_than_the_ladder(carried: Carried) -> bool:
    """The slot is free, and the page names the next try, which is no day away."""
    due = carried.run.not_before
    left = due - timezone.now() if due else timedelta(0)
    named = f"the next try is at {moment(due)}" in carried.status_page
    longest = timedelta(seconds=LADDER_SECONDS)
    return timedelta(0) < left <= longest and carried.run.lease_token is None and named


def rests_with_all_kept(carried: Carried) -> bool:
    """The breaker is open, and what was answered before is there."""
    return carried.run.waits == 1 and carried.run.results.filter(score=10.0).count() == 6


def limit_always_sent(carried: Carried) -> bool:
    return {row["max_tokens"] for row in carried.log} == {60}


def only_the_given_address(carried: Carried) -> bool:
    """Every request that the run made arrived at the endpoint of the form, under the model's name there."""
    return carried.run.requests == len(carried.log) == N_ITEMS and {row["model"] for row in carried.log} == {"gpt-4o"}


def own_temperature(carried: Carried) -> bool:
    return {row["temperature"] for row in carried.log[1:]} == {None}


def bytes_marked(carried: Carried) -> bool:
    """The sign in place of the broken byte stands on the page of the items, and the file opens."""
    return "A comm\ufffdnt of mine." in carried.items_page and carried.items_csv.count("\n") > N_ITEMS


def cleaned(carried: Carried) -> bool:
    texts = list(carried.run.results.values_list("reply__text", flat=True))
    return len(texts) == N_ITEMS and not any("\0" in text or "\ud800" in text for text in texts)


def never_a_json_error(carried: Carried) -> bool:
    return "JSON error" not in carried.status_page and "JSON that" not in carried.status_page


ONE_AT_A_TIME = {"concurrency": "1"}
MORE_TOKENS = ("No reply could be read", "Raise the max tokens per reply", 'href="#id_max_tokens"')
NOT_A_CHAT_API = ("This address isn't a chat API", 'href="#id_base_url"')
FAILED, WAITING = Status.FAILED, Status.WAITING

CASES = (
    Case(
        "E01", ("null:1",), FAILED, ("no answer after thinking",), unread("no answer after thinking", "first guess"),
        persona="thinking-apart", passes=False, dry=(*MORE_TOKENS, "no answer after thinking"),
    ),
    Case(
        "E01 length", ("all-reasoning",), FAILED, ("cut off in thinking", "run it again with a higher one"),
        unread("cut off in thinking", ": "), passes=False, dry=MORE_TOKENS,
    ),
    Case(
        "E02", ("reasoning-field",), FAILED, ("no answer after thinking",), unread("no answer after thinking", ": "),
        passes=False, dry=(*MORE_TOKENS, "no answer after thinking"),
    ),
    Case(
        "E03", ("answer-as-reasoning",), FAILED, ("no answer after thinking", "stored separately, not scored"),
        unread("no answer after thinking", ": "), passes=False,
        dry=("Only reasoning text came, which is never scored", "change the server's reasoning parser"),
    ),
    Case(
        "E04", ("tool-call:1",), FAILED, ("tool call",), unread("tool call"),
        passes=False, dry=("No reply could be read", "tool call", "Switch tool calling off"),
    ),
    Case(
        "E05", ("context-limit:100",), holds=both(negotiated("max_tokens", 100), refused_once),
        form={**ONE_AT_A_TIME, "max_tokens": "400"}, dry=("limit was lowered to 100 tokens",),
    ),
    Case(
        "E05 full", ("context-full:100",), FAILED, ("do not fit into the model's context",),
        lambda carried: carried.asked(1) or carried.refused() == len(carried.log) <= 2 * N_ITEMS,
        form={"max_tokens": "400"}, passes=False,
        dry=("do not fit into the model's context", "Lower the max tokens per reply", 'href="#id_max_tokens"'),
    ),
    Case(
        "E06", ("short-prompt:50",), holds=remark("prompt cut suspected"),
        form={"system_prompt": LONG_SYSTEM_PROMPT}, dry=("The prompt seems to be cut",),
    ),
    Case("E07", holds=limit_always_sent, dry=("All three replies were read", "60 tokens are accepted")),
    Case("E08", ("error-in-200:2",), holds=both(met_faults, asked(3)), form=FEW),
    Case(
        "E09", ("retry-after",), WAITING, ("Nothing is needed from you",), waits_no_longer_than_the_ladder,
        passes=False, dry=("limits the rate", "Ask fewer at once"),
    ),
    Case("E10", ("retry-after-ms",), holds=both(met_faults, asked(2), waited(0.25))),
    Case("E11 ahead", ("retry-after-date:3",), holds=both(met_faults, asked(2), waited(MIDST_SECONDS)), form=FEW),
    Case("E11 past", ("retry-after-past",), holds=both(met_faults, asked(2), waited(0))),
    Case("E11 junk", ("retry-after-junk",), holds=both(met_faults, asked(2), waited(0))),
    Case(
        "E12", ("429-after:6",), WAITING, ("the next try is at", "All answers so far are kept"), rests_with_all_kept,
        passes=False, dry=("limits the rate", "Ask fewer at once"), dry_faults=("always-429",),
    ),
    Case("E13", ("parts",)),
    Case("E14", holds=asked(1)),
    Case(
        "E15", ("event-stream",), holds=both(remark("event stream"), never_a_json_error),
        dry=("All three replies were read", "The endpoint streams"),
    ),
    Case("E16", ("html",), FAILED, ("no chat completions API",), passes=False, dry=NOT_A_CHAT_API),
    Case("E16 string", ("bare-string",), FAILED, ("no chat completions API",), passes=False, dry=NOT_A_CHAT_API),
    Case("E17 without", holds=asked(1)),
    Case("E17 with", path="/v1", holds=asked(1)),
    Case("E17 slash", path="/v1/", holds=asked(1)),
    Case("E18", form={"api_model": "gpt-4o", "key": CANARY}, holds=only_the_given_address),
    Case(
        "E19", ("max-completion-tokens",), form=ONE_AT_A_TIME,
        holds=both(negotiated("token_field", "max_completion_tokens"), refused_once, limit_always_sent),
        dry=("All three replies were read", "the limit is sent as max_completion_tokens"),
    ),
    Case(
        "E20", ("no-temperature",), form=ONE_AT_A_TIME,
        holds=both(remark("provider's own temperature"), refused_once, own_temperature),
        dry=("All three replies were read", "provider's own temperature"),
    ),
    Case(
        "E20 ladder", ("no-temperature",), FAILED, ("no scores found",),
        both(unread("no scores found"), refused_once), form=ONE_AT_A_TIME, persona="refusing",
        passes=False, dry=("provider's own temperature",),
    ),
    Case("E21", ("first-cut",), holds=both(met_faults, asked(2))),
    Case("E21 always", ("cut:1",), WAITING, ("cut short", "the next try is at"), passes=False, dry=("was cut short",)),
    Case(
        "E22", ("broken-bytes",), holds=both(remark("invalid UTF-8"), bytes_marked),
        dry=("All three replies were read", "invalid UTF-8"),
    ),
    Case("E22 empty", ("empty-body",), holds=both(met_faults, asked(2))),
    Case(
        "E23", ("nul",), holds=both(remark("NUL removed"), remark("lone surrogate removed"), cleaned),
        dry=("All three replies were read", "NUL removed"),
    ),
    Case("E24", ("bare", "no-usage")),
    Case(
        "E25", ("empty-choices:6",), FAILED, ("holds no message",), some_without_a_reply,
        passes=False, dry=("holds no message",), dry_faults=("empty-choices:1",),
    ),
    Case(
        "E25 empty choice", ("empty-choice:6",), FAILED, ("holds no message",), some_without_a_reply,
        passes=False, dry=("holds no message",), dry_faults=("empty-choice:1",),
    ),
    Case(
        "P17", (), FAILED, ("No score: 0 of 12 replies could be read", "The first replies that could not be read"),
        unread("no scores found"), persona="refusing",
        passes=False, dry=("No reply could be read", "See the replies below"),
    ),
    Case("N01 aborted", ("unfinished:1",), holds=both(met_faults, asked(2)), form=FEW),
    Case("N01 aborted in a stream", ("unfinished:1", "event-stream"), holds=both(met_faults, asked(2)), form=FEW),
    Case("N01 another word for stop", ("end-turn",), holds=asked(1)),
    Case(
        "N01 filtered", ("filtered:1",), WAITING,
        ("content filter of the provider stopped this reply", "finish_reason: “content_filter”", "without this filter"),
        passes=False, dry=("content filter of the provider stopped this reply", 'href="#id_api_model"'),
    ),
    Case("N02 empty error", ("empty-error",), holds=asked(1)),
    Case(
        "N03 list", ("unknown-in-a-list",), FAILED,
        ("does not know this model name", "models/x is not found for API version", "under /v1/models"),
        passes=False, dry=("does not know this model name", "models/x is not found", 'href="#id_api_model"'),
    ),
    Case(
        "N04 refusal", ("refusal:1",), FAILED, ("refused", "help with that."), unread("refused"),
        passes=False, dry=("The model refused to answer", "help with that.", 'href="#id_system_prompt"'),
    ),
    Case(
        "N05 epoch", ("retry-after-epoch:3",), holds=both(met_faults, asked(2), waited(MIDST_SECONDS)), form=FEW,
    ),
    Case(
        "N05 epoch in ms", ("retry-after-epoch-ms:3",), holds=both(met_faults, asked(2), waited(MIDST_SECONDS)),
        form=FEW,
    ),
    Case("N06 one refusal of the key", ("denied-once:6",), holds=met_faults, form=ONE_AT_A_TIME),
    Case(
        "N07 quota", ("quota:7",), WAITING, ("quota of this key is used up", "0 of 1000000 tokens are left", "Top up"),
        form=ONE_AT_A_TIME,
    ),
    Case("N08 busy", ("busy:1",), holds=both(met_faults, asked(2)), form=FEW),
    Case(
        "N09 web page", ("web-page-502:1",), WAITING, ("502 Bad Gateway", "Look into the server's own log"),
        passes=False, dry=("502 Bad Gateway", "status 502"),
    ),
)  # fmt: skip
