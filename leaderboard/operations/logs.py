"""Log lines, as JSON or plain, and the rule that keeps keys out of what is written or sent. No Django."""

import json
import logging
import re
from datetime import UTC, datetime

from evaluation.runs.current_run import current_run
from evaluation.signs import spelled, spelled_lines

REMOVED = "[removed]"
# A belt over the braces: nothing of ours logs a key, but a library may put a header or an address into its message.
_SECRETS = (
    re.compile(r"(?i)(\b(?:Bearer|Basic)\s+)(?!\[removed\])[^\s'\",}\]]+"),
    re.compile(
        r"(?i)(\b(?:authorization|api[-_]?key|x-api-key|password|secret|token)['\"]?\s*[:=]\s*['\"]?)(?!\[removed\]|Bearer\b|Basic\b)[^\s'\",}\]]+"
    ),
    re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://)[^/\s@'\"]+(?=@)"),  # user and password of an address
    re.compile(r"()\bsk-[A-Za-z0-9_-]{8,}"),
    # A rater's platform id comes in the link that he or she follows.
    re.compile(r"(?i)(/rate/[^\s?'\",<>]*\?)(?!\[removed\])[^\s'\",<>]+"),
    # The address of a submission's page is what opens it.
    re.compile(r"(?i)(/submissions/)(?!\[removed\])[^/\s?#'\",<>]+"),
)


def scrubbed(text: str) -> str:
    """The text without what looks like a key, a password, a bearer token or the token of a submission's page."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\1{REMOVED}", text)
    return text


def clean(text: str) -> str:
    """The text in one line, without secrets and without signs that a terminal obeys: strangers choose parts of it."""
    return scrubbed(spelled(text))


class PlainFormatter(logging.Formatter):
    """The usual line, under the same rule. Only a traceback takes more than one."""

    def format(self, record: logging.LogRecord) -> str:
        one = logging.makeLogRecord({**record.__dict__, "msg": clean(record.getMessage()), "args": None})
        return scrubbed(spelled_lines(super().format(one)))


class JsonFormatter(logging.Formatter):
    """`{"at", "level", "logger", "message"}`, with "run_id" where the line belongs to a run, "error" for a traceback,
    and what `extra={"facts": {...}}` adds. Tracebacks hold no values of variables.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, str | int] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": scrubbed(spelled_lines(record.getMessage())),
        }
        run_id = getattr(record, "run_id", None) or current_run()
        if run_id is not None:
            line["run_id"] = run_id
        if record.exc_info:
            line["error"] = scrubbed(spelled_lines(self.formatException(record.exc_info)))
        for name, value in getattr(record, "facts", {}).items():
            line[name] = scrubbed(spelled_lines(value)) if isinstance(value, str) else value
        return json.dumps(line, ensure_ascii=False)
