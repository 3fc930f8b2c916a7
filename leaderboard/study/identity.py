"""Who a rater is: a hash of the platform's id or of an invitation code. The plain text is never stored or logged."""

import hmac
import secrets
import unicodedata

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from leaderboard.study.models import Invitation, Study
from leaderboard.study.states import EntryMode

LONGEST = 100  # characters of an id
COOKIE = "rater"
COOKIE_SECONDS = 12 * 3600
# Without signs that are easily taken for another one.
CODE_SIGNS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
INVITATION_LENGTH = 12  # 59 bits

UNFILLED = "{{%"  # how the place for the id begins in the link that a platform is given


def rater_hash(study: Study, text: str) -> str:
    """64 hex digits, the same for the same id in the same study; "" for what can be no id.

    Blanks, dashes and case do not count, so that a code may be typed as it is read. Another study gives another hash:
    nobody can be followed from one to the next. The place in the link that a platform should have filled is no id: all
    raters of such a link would be one.
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())
    if not plain or len(text) > LONGEST or UNFILLED in text:
        return ""
    key = f"study-rater:{settings.STUDY_ID_KEY or settings.SECRET_KEY}".encode()
    return hmac.digest(key, f"{study.pk}:{plain}".encode(), "sha256").hex()


def may_take_part(study: Study, rater: str) -> bool:
    """Whether the study takes whoever has this hash; who was invited, where it goes by invitation."""
    if study.entry_mode == EntryMode.PLATFORM:
        return True
    return Invitation.objects.filter(study=study, rater_hash=rater).exists()


def new_code(length: int = 8) -> str:
    """A random code in two halves, easy to read aloud."""
    signs = "".join(secrets.choice(CODE_SIGNS) for _ in range(length))
    return f"{signs[: length // 2]}-{signs[length // 2 :]}"


def new_invitations(study: Study, n: int) -> list[str]:
    """Codes for `n` people. This is the only time that they can be read: the study keeps their hashes alone."""
    codes = [new_code(INVITATION_LENGTH) for _ in range(n)]
    Invitation.objects.bulk_create(Invitation(study=study, rater_hash=rater_hash(study, code)) for code in codes)
    return codes


def remember(response: HttpResponse, study: Study, rater: str) -> None:
    """Gives the browser its hash, signed, for this study's pages and until it is closed. The server keeps nothing."""
    response.set_signed_cookie(
        COOKIE, rater, salt=_salt(study), path=_path(study), httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


def forget(response: HttpResponse, study: Study) -> None:
    response.delete_cookie(COOKIE, path=_path(study), samesite="Lax")


def remembered(request: HttpRequest, study: Study) -> str:
    """The hash that `remember` gave, or "" where there is none, a changed one, or one older than twelve hours."""
    try:
        return str(request.get_signed_cookie(COOKIE, salt=_salt(study), max_age=COOKIE_SECONDS))
    except (KeyError, signing.BadSignature):
        return ""


def _salt(study: Study) -> str:
    return f"study-rater-{study.pk}"


def _path(study: Study) -> str:
    return f"/rate/{study.slug}/"
