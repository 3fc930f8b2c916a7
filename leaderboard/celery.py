"""The Celery application. A worker starts with `celery -A leaderboard.celery worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
app = Celery("leaderboard", task_cls="leaderboard.operations.board_task:BoardTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()
app.steps["worker"].add("leaderboard.operations.watchdog:Watchdog")
app.steps["worker"].add("leaderboard.operations.reaping:Reaper")
