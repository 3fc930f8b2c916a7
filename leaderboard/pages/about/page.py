"""How long this board keeps what it is told, as its settings have it. No query in here."""

from dataclasses import dataclass

from django.conf import settings

from leaderboard.forms import LONGEST_KEPT_DAYS
from leaderboard.rounding import counted
from leaderboard.submissions.limits import WINDOW_SECONDS

FOR_EVER = "indefinitely"


@dataclass(frozen=True, slots=True)
class Kept:
    """Spans of time in words: "14 days", or "indefinitely". `reports_errors`: errors are told to a service."""

    keys: str
    chosen_keys: str
    contacts: str
    replies: str
    logins: str
    sessions: str
    turns: str
    reports_errors: bool


def kept_for() -> Kept:
    return Kept(
        keys=counted(settings.ENDPOINT_KEY_DAYS, "day"),
        chosen_keys=counted(LONGEST_KEPT_DAYS, "day"),
        contacts=days(settings.CONTACT_DAYS),
        replies=days(settings.REPLY_DAYS),
        logins=days(settings.LOGIN_LOG_DAYS),
        sessions=counted(settings.SESSION_COOKIE_AGE // 3600, "hour"),
        turns=counted(WINDOW_SECONDS // 60, "minute"),
        reports_errors=bool(settings.SENTRY_DSN),
    )


def days(number: int) -> str:
    return counted(number, "day") if number > 0 else FOR_EVER
