"""What the administration leaves behind is kept for a time: logins, ended sessions, uploads that nobody confirmed."""

from datetime import timedelta

from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from leaderboard.models import UploadedResults

UPLOADS_KEPT = timedelta(days=1)


def purge_administration(days: int) -> int:
    """Deletes what is over. Returns how many lines of logins went; 0 days or less keep these for ever.

    An attempt that may still lock a name stays, whatever the days.
    """
    SessionStore.clear_expired()
    drop_old_uploads()
    if days <= 0:
        return 0
    kept = timedelta(days=days)
    logins = AccessLog.objects.filter(attempt_time__lt=timezone.now() - kept)
    attempts = AccessAttempt.objects.filter(attempt_time__lt=timezone.now() - max(kept, settings.AXES_COOLOFF_TIME))
    return sum(int(rows.delete()[0]) for rows in (logins, attempts))


def drop_old_uploads() -> None:
    """Uploads whose preview nobody confirmed within a day."""
    UploadedResults.objects.filter(uploaded_at__lt=timezone.now() - UPLOADS_KEPT).delete()
