"""The WSGI entry that the web server loads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
application = get_wsgi_application()

# Pages queue work: without the application Celery would look for a broker of its own.
import leaderboard.celery  # noqa: E402

# All that pages import is read while the server starts: the first visitor does not wait for it.
import leaderboard.urls  # noqa: E402, F401
