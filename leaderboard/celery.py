"""The Celery application. A worker starts with `celery -A leaderboard.celery worker`."""

import os

from celery import Celery
from celery.signals import worker_init

from leaderboard.garbage import look_rarely

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Django's checks import all pages and the admin: 0.5 s of CPU and 50 MB a worker, which needs neither. `manage.py check
# --deploy` makes them, before a release is started.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")
app = Celery("leaderboard", task_cls="leaderboard.operations.board_task:BoardTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()
worker_init.connect(look_rarely)  # before it forks: so that its children share what is loaded
app.steps["worker"].add("leaderboard.operations.watchdog:Watchdog")
app.steps["worker"].add("leaderboard.operations.reaping:Reaper")
