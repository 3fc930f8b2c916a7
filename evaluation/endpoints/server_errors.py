"""What a server says went wrong, and which of our faults that is."""

import re
from dataclasses import dataclass, field

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.error_shapes import LONGEST_WORDS, Said, error_in, said_in

SEARCHED_CHARACTERS = LONGEST_WORDS

# Words that say more than the status they come with, in `code` or, inside a success, in `type`.
_STATUS_OF_WORD = {
    "authentication_error": 401,
    "content_filter": 400,
    "context_length_exceeded": 400,
    "deploymentnotfound": 404,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "resource_exhausted": 429,
    "server_error": 500,
}
# Any failure may carry these: the status that was sent is then the finer of the two.
_GENERAL_WORDS = frozenset({"invalid_request_error", "overloaded_error", "server_error"})
_CODE_OF_STATUS = {
    401: "unauthorised",
    402: "payment-required",
    408: "timeout",
    409: "server-error",
    424: "server-error",
    425: "server-error",
    429: "rate-limited",
    498: "server-error",
    499: "server-error",
}
_FORBIDDEN = 403
_NO_SUCH_ADDRESS = (404, 405, 410)
# Where the words tell a filter or a prompt that is too long.
_OF_A_FILTER = (0, 400, 403, 422, 451)
# Where the words tell a key that is refused: Google and xAI answer so with 400.
_OF_A_KEY = (0, 400)
_OF_A_GATE = (0, 400, 403, 451)
_OF_THE_CONTEXT = (0, 400, 413, 422, 500)
_CONTEXT = re.compile(
    r"context.?(?:length|window|size)|maximum context|too many tokens|prompt is too long|max_model_len"
    r"|available context|\d tokens? (?:remain|are left|left)|max_new_tokens`? must be <="
    r"|input is too long|must have less than \d{1,7} tokens|request body too large for"
    r"|max_tokens must be at least 1, got -"
)
_UNKNOWN_MODEL_CODES = frozenset({
    "deploymentnotfound", "invalid_model", "model_decommissioned", "model_not_available", "model_not_exist",
    "model_not_found", "model_not_supported", "modelnotfound", "unknown_model",
})  # fmt: skip
_MISSING = (
    r"(?:doesn'?t exist|does not exist|not exist|(?:was |is |could )?not (?:be )?found|is unknown|isn't known"
    r"|is not (?:a )?(?:valid|supported|known|recogni[sz]ed|served|registered)"
    r"|has been (?:decommissioned|deprecated|removed|retired)|is no longer (?:available|supported|served))"
)
_NO_SUCH_MODEL = re.compile(
    r"(?:no such|unknown|invalid|unavailable|unrecogni[sz]ed|unsupported) model\b"
    r"(?! (?:parameter|option|setting|input|output))"
    r"|no (?:available )?(?:channels?|endpoints?|providers?)(?: (?:are |is )?(?:found|available))? for (?:the )?model"
    r"|no endpoints found for|model identifier is invalid|unable to access (?:the )?(?:non-serverless )?model"
    r"|with on-demand throughput isn.t supported|无可用渠道|模型不存在"
)
_FILTERED = re.compile(r"content.?filter|content management policy|moderation|flagged|inappropriate content")
_QUOTA = re.compile(
    r"insufficient[_ ](?:\w{1,20}[_ ])?(?:quota|balance|credits?|funds)"
    r"|exceeded[_ ](?:(?:your|the|its)[_ ])?(?:(?:current|monthly|daily|weekly)[_ ])?(?:quota|usage limit)"
    r"|exceeded your spending limit|(?:credit|budget) (?:limit )?(?:has been |was |is )?exceeded|exceeded_?budget"
    r"|over budget|used all (?:of )?(?:the |your )?available credits|overdue (?:balance|payment|bill)|accountoverdue"
    r"|reach(?:ed|ing) (?:your|the|its) (?:\w{1,12} ){0,2}(?:usage|spend|spending) limits?|key limit exceeded"
    r"|used up (?:your|the|all)|free tier[^.]{0,40} exhausted|allocationquota|doesn.t have any credits"
    r"|quota (?:has been |is |was )?(?:exceeded|exhausted|used up|reached)"
    r"|balance is (?:too low|insufficient|exhausted|not enough)|(?:out of|ran out of|no more) credits?"
    r"|not[_ ]enough[_ ](?:credits?|balance|funds)"
    r"|billing[_ ](?:hard[_ ])?(?:limit|not[_ ]active)"
    r"|(?:usage|spend|spending) limit (?:has been |was |is )?(?:reached|exceeded)"
    r"|arrearage|余额不足|额度不足|额度已用尽|欠费"
)
_KEY_REFUSED = re.compile(
    r"api[_ -]?key (?:is )?(?:not valid|invalid|expired)|(?:incorrect|invalid|missing|expired|wrong) api[_ -]?key"
    r"|(?:missing or )?invalid authorization|no auth credentials|login fail"
)
# It is about where a request comes from, whatever its key.
_BLOCKED = re.compile(
    r"country, region,? or territory|location is not supported|not (?:available|supported) in your (?:country|region)"
    r"|virtual network|firewall|check your network|\bip address (?:is )?(?:not|blocked|denied)"
)
_NO_CHAT = re.compile(
    r"not a chat model|not support (?:the )?chat(?: ?completions?)?(?: api| endpoint)?\b(?![ _-]?\w)"
    r"|only supported in v1/(?:responses|completions)\b"
)
_NO_TLS = re.compile(r"plain http request was sent to https|http request to an https server")
_SERVER_BROKE = re.compile(r"has crashed|out of memory|failed to load model|insufficient system resources")
_TOO_OFTEN = re.compile(r"rate.?limit|too many requests")
_PER_MINUTE = re.compile(r"per.?(?:minute|second)|/min|\b[rt]pm\b|(?:retry|try again) in \d")


@dataclass(frozen=True, slots=True)
class ServerError:
    """What a server says went wrong. `status` is the HTTP status, or what the error's own code stands for; 0 where an
    error inside a success names none.

    `message` is the parsed message, empty where there was none; `searchable` the lower-case text to look for reasons
    in, which may be a raw body and is never shown. Neither is in the repr, since a server may echo the key. `is_json`
    says whether it was JSON, as a chat API sends it; a gate before one sends a page, a text or nothing.
    """

    status: int
    code: str = ""
    param: str = ""
    message: str = field(default="", repr=False)
    searchable: str = field(default="", repr=False)
    is_json: bool = True


def server_error(payload: JsonValue, status: int) -> ServerError | None:
    """The error that a JSON value holds, or None. `status` is the HTTP status, 0 for one of success.

    Inside a success a body must call itself an error; beside a failure whatever it says is about that.
    """
    said = said_in(payload) if status else error_in(payload)
    return None if said is None else _from_said(said, status)


def fault_code(error: ServerError, api_model: str) -> str:
    """The key of `FAULTS` for an error; `api_model` is the name that was asked for."""
    special = _special_code(error, api_model)
    if special or error.status in _CODE_OF_STATUS:
        return special or _CODE_OF_STATUS[error.status]
    if error.status == _FORBIDDEN:
        return "unauthorised" if error.is_json else "blocked"
    if error.status in _NO_SUCH_ADDRESS:
        return "unknown-model" if _names_model(error, api_model) else "not-a-chat-api"
    if error.status >= 500:
        return "server-error"
    if error.status:
        return "redirected" if error.status < 400 else "refused"
    return "upstream-error"


def _special_code(error: ServerError, api_model: str) -> str:
    """What the words say against the status, or ""; the first that is told counts."""
    words, status = error.message.lower(), error.status
    told = (
        # LM Studio answers so, with status 200, on a path that it does not serve.
        ("not-a-chat-api", "unexpected endpoint" in error.searchable or _NO_TLS.search(error.searchable)),
        ("quota-used-up", _is_quota(error)),
        ("not-a-chat-model", status != 429 and _NO_CHAT.search(words)),
        ("unknown-model", _is_unknown_model(error, api_model)),
        ("unauthorised", status in _OF_A_KEY and _KEY_REFUSED.search(error.searchable)),
        ("blocked", status in _OF_A_GATE and _BLOCKED.search(words) and not _FILTERED.search(words)),
        ("server-error", status == 400 and _SERVER_BROKE.search(words)),
    )
    return next((code for code, is_told in told if is_told), "") or _about_the_prompt(error)


def _is_quota(error: ServerError) -> bool:
    """Whether more than a pause is needed: some servers speak of a quota where they mean requests a minute."""
    named = error.code == "insufficient_quota"
    return named or (_QUOTA.search(error.searchable) is not None and not _PER_MINUTE.search(error.searchable))


def _is_unknown_model(error: ServerError, api_model: str) -> bool:
    """Whether it says so in so many words, with the name or "model" right before them. A limit of the rate is none."""
    if error.code in _UNKNOWN_MODEL_CODES or error.status == 429:
        return error.code in _UNKNOWN_MODEL_CODES
    message = error.message.lower()
    quoted = r"[`'\"“(]?[^\s`'\"”)]{1,200}[`'\"”)]?"
    name = rf"[`'\"“]?(?<!\w){re.escape(api_model.lower())}[`'\"”]?"
    subject = rf"(?:\bmodels?(?: name| id)?[ :=/]{{0,3}}(?:{quoted} )?|{name} )"
    return bool(_NO_SUCH_MODEL.search(message) or re.search(rf"{subject}{_MISSING}", message))


def _about_the_prompt(error: ServerError) -> str:
    filtered = error.code == "content_filter" or _FILTERED.search(error.message.lower())
    if filtered and error.status in _OF_A_FILTER:
        return "content-filter"
    too_long = error.code == "context_length_exceeded" or _CONTEXT.search(error.searchable)
    return "context-length" if too_long and error.status in _OF_THE_CONTEXT else ""


def _names_model(error: ServerError, api_model: str) -> bool:
    message = error.message.lower()
    name = re.escape(api_model.lower())
    known = error.code in _UNKNOWN_MODEL_CODES
    return known or "model" in message or re.search(rf"(?<!\w){name}(?!\w)", message) is not None


def _from_said(said: Said, status: int) -> ServerError:
    code = said.code.lower()
    meant = _meant_status(code, said.type.lower(), status)
    return ServerError(
        status=meant or (429 if _TOO_OFTEN.search(said.message.lower()) else 0),
        code=code,
        param=said.param,
        message=said.message or next((word for word in (said.code, said.type) if word[:1].isalpha()), ""),
        searchable=f"{code} {said.type} {said.message}".lower(),
    )


def _meant_status(code: str, kind: str, status: int) -> int:
    """What the error's code stands for, else the HTTP status, else what its type stands for."""
    if re.fullmatch(r"[45]\d\d", code, re.ASCII):
        return status if status >= 500 and code.startswith("5") else int(code)
    if status and code in _GENERAL_WORDS:
        return status
    return _STATUS_OF_WORD.get(code) or status or _STATUS_OF_WORD.get(kind, 0)
