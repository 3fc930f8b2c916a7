"""What can go wrong at an endpoint: one row a fault, with what to do, whose it is, and the sentence that people read.

The sentences are fixed: no text of a library, no key and no raw bytes of a body ever reach them. Behind them the
server's own words are quoted: its parsed error message, the plain text or the page title of a failure, cut and with the
key taken out.
"""

from dataclasses import dataclass
from enum import StrEnum

from evaluation.shortening import shortened, shortened_around_numbers


class Kind(StrEnum):
    """What to do: ask again, give up the item, end the run, or tell the submitter that the set-up is wrong."""

    RETRY = "retry"
    ITEM = "item"
    RUN = "run"
    CONFIG = "config"


class Cause(StrEnum):
    """Whose fault it is; the values are those of `FaultKind` in the models."""

    ENDPOINT = "endpoint"
    MODEL = "model"
    PARSE = "parse"
    PLATFORM = "platform"


class EndpointError(Exception):
    """One request that gave no reply. `code` is a key of `FAULTS`, `message` a sentence for the submitter.

    `status` is the HTTP status of a failure, or inside a success the one that the error names; `meant_status` the one
    that its words stand for. `words` are the server's own, as quoted in the message. `retry_after_seconds` is what the
    server asked for, 0 to 86,400, or None. `spent` counts the tokens, read and written, of a reply that was not kept.
    Raised without a cause or context, so that no header of the request hangs on it.
    """

    def __init__(
        self,
        kind: Kind,
        cause: Cause,
        code: str,
        message: str,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        meant_status: int | None = None,
        words: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.cause = cause
        self.code = code
        self.message = message
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.meant_status = meant_status or status
        self.words = words
        self.spent = (0, 0)

    @property
    def is_of_the_run(self) -> bool:
        """Whether it is about the key or the model's name, even where it is tried again since replies came before."""
        return FAULTS[self.code].kind is Kind.RUN

    def in_brief(self, length: int) -> str:
        """Whose fault it is, what it is, and the server's words, in so many characters: the reason of one item."""
        whole = f"{self.cause} fault: {self.message}"
        if not self.words or len(whole) <= length:
            return shortened(whole, length)
        start = f"{self.cause} fault: {_brief(self.code)}: “"
        cut = shortened_around_numbers if self.code == "context-length" else shortened
        return f"{start}{cut(self.words, length - len(start) - 1)}”"


@dataclass(frozen=True, slots=True)
class Fault:
    """`quoting` is how the server's words are put behind the sentence."""

    kind: Kind
    cause: Cause
    sentence: str
    quoting: str = "It said: “{}”"


def _retry(sentence: str) -> Fault:
    return Fault(Kind.RETRY, Cause.ENDPOINT, sentence)


def _config(sentence: str) -> Fault:
    return Fault(Kind.CONFIG, Cause.ENDPOINT, sentence)


def _run(sentence: str) -> Fault:
    return Fault(Kind.RUN, Cause.ENDPOINT, sentence)


FAULTS: dict[str, Fault] = {
    "unreachable": _retry("The endpoint could not be reached."),
    "disconnected": _retry("The endpoint closed the connection without an answer."),
    "timeout": _retry("The endpoint did not finish its answer in the time allowed."),
    "too-slow": _retry("The endpoint twice did not finish this answer in the time allowed."),
    "bad-http": _retry("The endpoint's answer is not valid HTTP."),
    "cut-short": _retry("The endpoint's answer was cut short."),
    "empty-body": _retry("The endpoint sent an empty answer."),
    "unreadable-json": _retry("The endpoint's answer is JSON that cannot be read."),
    "empty-choices": _retry("The endpoint's answer holds no message."),
    "rate-limited": _retry("The endpoint limits the rate of requests."),
    "quota-used-up": _retry("The provider says that the quota of this key is used up."),
    "server-error": _retry("The endpoint reported an error of its own."),
    "upstream-error": _retry("The endpoint passed on an error in place of an answer."),
    "unfinished": Fault(
        Kind.RETRY,
        Cause.ENDPOINT,
        "The endpoint says that it did not finish this reply.",
        "It gave as finish_reason: “{}”",
    ),
    "filtered-reply": Fault(
        Kind.RETRY,
        Cause.ENDPOINT,
        "A content filter of the provider stopped this reply before its end.",
        "It gave as finish_reason: “{}”",
    ),
    "too-large": Fault(Kind.ITEM, Cause.ENDPOINT, "The endpoint's answer was larger than the limit."),
    "refused": Fault(Kind.ITEM, Cause.ENDPOINT, "The endpoint refused this request."),
    "context-length": Fault(
        Kind.ITEM, Cause.MODEL, "The prompt and the room for the answer do not fit into the model's context."
    ),
    "content-filter": Fault(Kind.ITEM, Cause.MODEL, "The provider's content filter refused this prompt."),
    "unauthorised": _run("The endpoint refused the key, or does not allow this key to use the model."),
    "blocked": _run("The endpoint, or a firewall in front of it, forbids this request."),
    "payment-required": _run("The provider asks for payment before it answers."),
    "unknown-model": _run("The endpoint does not know this model name."),
    "not-a-chat-model": _run("The endpoint says that this model does not answer chat requests."),
    "redirected": Fault(
        Kind.CONFIG,
        Cause.ENDPOINT,
        "The endpoint answered with a redirect, which is not followed. Enter the final address.",
        "It leads to: “{}”",
    ),
    # One sentence for every reason: who asks by trial and error must not learn what stands inside our network.
    "address-refused": _config(
        "This address cannot be called. The host must be known on the internet and stand at public addresses only, "
        "the port must be a usual one, and https:// is needed where a key is given."
    ),
    "not-a-chat-api": _config("There is no chat completions API at this address."),
    "bad-certificate": _config("The endpoint's HTTPS certificate could not be verified."),
    "unknown-encoding": _config("The endpoint compresses its answers in a way that was not asked for."),
}


# Where a sentence leaves no room for the server's words, which hold the number that matters.
_BRIEF = {"context-length": "prompt and answer do not fit into the model's context"}


def fault(
    code: str,
    *,
    status: int | None = None,
    meant_status: int | None = None,
    retry_after_seconds: float | None = None,
    excerpt: str = "",
    kind: Kind | None = None,
) -> EndpointError:
    """The error of that row. `excerpt` is the server's own words, cut and scrubbed by the caller."""
    row = FAULTS[code]
    message = f"{row.sentence} {row.quoting.format(excerpt)}" if excerpt else row.sentence
    return EndpointError(
        kind=kind or row.kind,
        cause=row.cause,
        code=code,
        message=message,
        status=status,
        retry_after_seconds=retry_after_seconds,
        meant_status=meant_status,
        words=excerpt,
    )


def code_told(text: str) -> str:
    """The key of `FAULTS` that a stored message or the reason of an item begins with; "" where it is of none of them.

    No column holds the code: a run and an item keep the sentence that people read.
    """
    words = text.partition(" fault: ")[2] or text
    return next((code for code, row in FAULTS.items() if words.startswith((row.sentence, f"{_brief(code)}: “"))), "")


def _brief(code: str) -> str:
    return _BRIEF.get(code, code.replace("-", " "))
