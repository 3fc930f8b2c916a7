"""A database or disk that fails, as words for people: what is not our code's fault needs no traceback.

The servers' own words are matched, in English; those of another language are quoted.
"""

import errno

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, ProgrammingError

FULL, NO_ANSWER = "the disk is full", "the database does not answer"
OTHER = "the database gives an error"
# What the error's text holds -> what it is, first match first.
_KNOWN = (
    (("disk is full", "no space left", "disk full", "quota exceeded"), FULL),
    (("is locked", "lock timeout", "deadlock"), "another process has kept the database locked for too long"),
    (("readonly", "read-only"), "the database may be read and not written"),
    (
        ("permission denied", "must be owner", "not permitted", "pg_hba.conf"),
        "the database's user lacks a right, or may not come from this machine",
    ),
    (("too many c", "connection slots"), "the database has too many connections already"),
    (("accepting connections", "recovery mode"), NO_ANSWER),
    (("already exists", "duplicate column"), "another migrate is at work on its tables, or was killed in its midst"),
    (
        ("no such table", "no such column", "relation ", "column "),
        "its tables are not those of this release; migrate comes first",
    ),
    (('database "', 'role "'), "there is no such database or user"),
    (("authentication failed", "no password supplied"), "the database refuses the user or the password"),
    (("unable to open",), "the database's file cannot be opened"),
    # SQLite says it too where nothing at all is left for the files that it keeps beside its own.
    (("i/o error",), "the disk is full or damaged, or the database's file is"),
    (("malformed", "not a database"), "the database's file is damaged, or its disk is"),
    (("refused", "timeout", "timed out", "closed", "terminat", "shutting down", "starting up", "resolve"), NO_ANSWER),
    (("on socket",), NO_ANSWER),
)
_OF_THE_DISK = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: "the disk may be read and not written"}


def reason(error: BaseException) -> str:
    """In a few words; "" for an error that says nothing of database or disk. One that is not known is quoted."""
    why = public_reason(error)
    return first_line(error) or NO_ANSWER if why == OTHER else why


def public_reason(error: BaseException) -> str:
    """As `reason`, without a word of the error itself, which may hold an address or a name."""
    if isinstance(error, OSError):
        return _OF_THE_DISK.get(error.errno or 0, "")
    if not isinstance(error, DatabaseError | InterfaceError) or isinstance(error, IntegrityError | DataError):
        return ""
    text = str(error).lower()
    known = next((words for signs, words in _KNOWN if any(sign in text for sign in signs)), "")
    # Of a statement that the server does not understand the code is to blame, unless its table is missing.
    return known or ("" if isinstance(error, ProgrammingError) else OTHER)


def sentence(error: BaseException) -> str:
    """For whoever has started a command; "" as above."""
    if isinstance(error, ObjectDoesNotExist):
        return f"What this command works on is not there, or was deleted meanwhile: {first_line(error)}"
    why = reason(error)
    if not why:
        return ""
    return f"Not finished: {why}. The error says: {first_line(error)}"


def first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
