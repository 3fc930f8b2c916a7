"""What can go wrong at an endpoint: one row a fault, with what to do, whose it is, and the sentence that people read.

The sentences are fixed: no text of a library, no key and no raw bytes of a body ever reach them. Only the parsed error
message of a server may be quoted, cut and with the key taken out.
"""

from dataclasses import dataclass
from enum import StrEnum


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

    `status` is the HTTP status where there was one; `retry_after_seconds` is what the server asked for, 0 to 86,400,
    or None. Raised without a cause or context, so that no header of the request hangs on it.
    """

    def __init__(
        self,
        kind: Kind,
        cause: Cause,
        code: str,
        message: str,
        status: int | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.cause = cause
        self.code = code
        self.message = message
        self.status = status
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class Fault:
    kind: Kind
    cause: Cause
    sentence: str


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
    "too-slow": _retry(
        "The endpoint twice did not finish this answer in time. Raise the time limit or lower the tokens."
    ),
    "bad-http": _retry("The endpoint's answer is not valid HTTP."),
    "cut-short": _retry("The endpoint's answer was cut short."),
    "empty-body": _retry("The endpoint sent an empty answer."),
    "unreadable-json": _retry("The endpoint's answer is JSON that cannot be read."),
    "empty-choices": _retry("The endpoint's answer holds no message."),
    "rate-limited": _retry("The endpoint limits the rate of requests."),
    "quota-used-up": _retry("The provider says that the quota of this key is used up."),
    "server-error": _retry("The endpoint reported an error of its own."),
    "upstream-error": _retry("The endpoint passed on an error in place of an answer."),
    "too-large": Fault(Kind.ITEM, Cause.ENDPOINT, "The endpoint's answer was larger than the limit."),
    "refused": Fault(Kind.ITEM, Cause.ENDPOINT, "The endpoint refused this request."),
    "context-length": Fault(
        Kind.ITEM, Cause.MODEL, "The prompt and the room for the answer do not fit into the model's context."
    ),
    "content-filter": Fault(Kind.ITEM, Cause.MODEL, "The provider's content filter refused this prompt."),
    "unauthorised": _run("The endpoint refused the key, or does not allow this key to use the model."),
    "payment-required": _run("The provider asks for payment before it answers."),
    "unknown-model": _run("The endpoint does not know this model name."),
    "redirected": _config("The endpoint answered with a redirect, which is not followed. Enter the final address."),
    # One sentence for every reason: who asks by trial and error must not learn what stands inside our network.
    "address-refused": _config(
        "This address cannot be called. The host must be known on the internet and stand at public addresses only, "
        "the port must be a usual one, and https:// is needed where a key is given."
    ),
    "not-a-chat-api": _config("There is no chat completions API at this address."),
    "bad-certificate": _config("The endpoint's HTTPS certificate could not be verified."),
    "unknown-encoding": _config("The endpoint compresses its answers in a way that was not asked for."),
}


def fault(
    code: str,
    *,
    status: int | None = None,
    retry_after_seconds: float | None = None,
    excerpt: str = "",
    kind: Kind | None = None,
) -> EndpointError:
    """The error of that row. `excerpt` is the server's own parsed message, cut and scrubbed by the caller."""
    row = FAULTS[code]
    message = f"{row.sentence} It said: “{excerpt}”" if excerpt else row.sentence
    return EndpointError(
        kind=kind or row.kind,
        cause=row.cause,
        code=code,
        message=message,
        status=status,
        retry_after_seconds=retry_after_seconds,
    )
