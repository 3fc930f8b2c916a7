"""The faults by name, written `NAME` or `NAME:NUMBER`. They combine; the first that refuses or spoils decides.

Faults that hit one prompt in N choose it by hash, so that the same prompt is hit each time it is asked.
"""

from collections.abc import Callable, Mapping

from evaluation.demo.bends import (
    all_reasoning,
    answer_as_reasoning,
    bare,
    bend_by,
    empty_choice,
    empty_error,
    error_mark,
    filtered,
    key_in_reply,
    no_choices,
    no_usage,
    nul_and_surrogate,
    null_content,
    other_model,
    other_stop_word,
    parts,
    reasoning_field,
    refusal_apart,
    short_prompt,
    tool_call,
    unfinished,
)
from evaluation.demo.delivery import bomb
from evaluation.demo.faults import Call, Delivery, Fault, Refusal, always, first_asks, one_in
from evaluation.demo.refusals import (
    context_full,
    context_limit,
    date_ahead,
    denied_once,
    denied_prompts,
    epoch_ahead,
    error,
    error_in_200,
    max_completion_tokens,
    no_temperature,
    rate_limit,
    redirect,
    refuse_with,
    too_many,
    unauthorised,
    unknown_in_a_list,
    wrong_key,
)

_DAY_SECONDS = 86_400
_LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT"
_QUOTA = '{"detail": "Insufficient quota: 0 of 1000000 tokens are left."}'
_BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
_TOO_LONG = "This model's maximum context length is 512 tokens. Please reduce the length of the messages."


def parse_fault(text: str) -> Fault:
    """The fault of a `NAME` or `NAME:NUMBER`.

    Raises:
        ValueError: with the names there are, for one that there is not or a number that is none.
    """
    name, _, number = text.partition(":")
    if name not in FAULTS:
        raise ValueError(f"There is no fault {name!r}. There are: {', '.join(sorted(FAULTS))}.")
    build, usual = FAULTS[name]
    if number and not (number.isascii() and number.isdigit() and int(number[:9]) >= 1):
        raise ValueError(f"The number of the fault {name!r} must be a whole number above zero.")
    return build(int(number[:9]) if number else usual)


def _deliver(delivery: Delivery, when: Callable[[Call], bool] = always) -> Fault:
    return Fault(deliver=lambda call: delivery if when(call) else "json")


def _compressed(number: int) -> Fault:
    bomb()  # packed now, since it takes longer than a request may
    return _deliver("compressed", one_in("compressed", number))


# Name: how to build it from a number, and the number that is meant where none is given.
FAULTS: Mapping[str, tuple[Callable[[int], Fault], int]] = {
    "rate-limit": (rate_limit, 20),
    "first-429": (lambda n: refuse_with(too_many({"Retry-After": "1"}), first_asks(n)), 1),
    "always-429": (lambda _: refuse_with(too_many()), 1),
    "429-after": (lambda n: refuse_with(too_many(), lambda call: call.order >= n), 20),
    "retry-after": (lambda n: refuse_with(too_many({"Retry-After": str(n)})), _DAY_SECONDS),
    "retry-after-ms": (lambda n: refuse_with(too_many({"retry-after-ms": str(n)}), first_asks(1)), 250),
    "retry-after-date": (date_ahead, 3),
    "retry-after-past": (lambda n: refuse_with(too_many({"Retry-After": _LONG_AGO}), first_asks(n)), 1),
    "retry-after-junk": (lambda n: refuse_with(too_many({"Retry-After": "soon"}), first_asks(n)), 1),
    "retry-after-epoch": (lambda n: epoch_ahead(n, 1), 3),
    "retry-after-epoch-ms": (lambda n: epoch_ahead(n, 1000), 3),
    "busy": (lambda n: refuse_with(error(503, "The engine is busy.", code="server_error"), first_asks(n)), 1),
    "quota": (lambda n: refuse_with(Refusal(403, _QUOTA), lambda call: call.order >= n - 1), 1),
    "web-page-502": (lambda n: refuse_with(Refusal(502, _BAD_GATEWAY, "text/html"), one_in("502", n)), 40),
    "always-500": (lambda n: refuse_with(Refusal(500, "Internal Server Error", "text/plain"), one_in("500", n)), 40),
    "context": (lambda n: refuse_with(error(400, _TOO_LONG, code="context_length_exceeded"), one_in("context", n)), 40),
    "context-limit": (context_limit, 100),
    "context-full": (context_full, 100),
    "unauthorised": (unauthorised, 1),
    "denied-once": (denied_once, 5),
    "denied-prompts": (denied_prompts, 4),
    "wrong-key": (wrong_key, 1),
    "unknown-model": (lambda _: refuse_with(error(404, "The model does not exist.", code="model_not_found")), 1),
    "unknown-in-a-list": (unknown_in_a_list, 1),
    "redirect": (redirect, 1),
    "html": (lambda _: refuse_with(Refusal(200, "<!doctype html><html><body>Welcome</body></html>", "text/html")), 1),
    "bare-string": (lambda _: refuse_with(Refusal(200, '"hello"')), 1),
    "empty-body": (lambda n: refuse_with(Refusal(200, ""), first_asks(n)), 1),
    "max-completion-tokens": (max_completion_tokens, 1),
    "no-temperature": (no_temperature, 1),
    "error-in-200": (error_in_200, 1),
    "error-mark": (lambda n: bend_by(error_mark, first_asks(n)), 1),
    "unfinished": (lambda n: bend_by(unfinished, first_asks(n)), 1),
    "filtered": (lambda n: bend_by(filtered, one_in("filtered", n)), 1),
    "end-turn": (lambda _: bend_by(other_stop_word), 1),
    "empty-error": (lambda _: bend_by(empty_error), 1),
    "refusal": (lambda n: bend_by(refusal_apart, one_in("refusal", n)), 1),
    "null": (lambda n: bend_by(null_content, one_in("null", n)), 40),
    "all-reasoning": (lambda n: bend_by(all_reasoning, one_in("all-reasoning", n)), 1),
    "answer-as-reasoning": (lambda _: bend_by(answer_as_reasoning), 1),
    "reasoning-field": (lambda _: bend_by(reasoning_field), 1),
    "empty-choices": (lambda n: bend_by(no_choices, one_in("empty-choices", n)), 40),
    "empty-choice": (lambda n: bend_by(empty_choice, one_in("empty-choices", n)), 40),
    "tool-call": (lambda n: bend_by(tool_call, one_in("tool-call", n)), 40),
    "parts": (lambda _: bend_by(parts), 1),
    "no-usage": (lambda _: bend_by(no_usage), 1),
    "bare": (lambda _: bend_by(bare), 1),
    "other-model": (lambda _: bend_by(other_model), 1),
    "nul": (lambda _: bend_by(nul_and_surrogate), 1),
    "broken-bytes": (lambda _: _deliver("broken-bytes"), 1),
    "token-echo": (lambda _: bend_by(key_in_reply), 1),
    "short-prompt": (short_prompt, 50),
    "event-stream": (lambda _: _deliver("event-stream"), 1),
    "drip": (lambda n: _deliver("drip", one_in("drip", n)), 1),
    "cut": (lambda n: _deliver("cut", one_in("cut", n)), 40),
    "first-cut": (lambda n: _deliver("cut", first_asks(n)), 1),
    "compressed": (_compressed, 1),
    "hang": (lambda n: _deliver("hang", one_in("hang", n)), 1),
    "dead-after": (lambda n: _deliver("drop", lambda call: call.order >= n), 1),
}
