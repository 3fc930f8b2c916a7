"""The Django app of the studies that people rate in."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "leaderboard.study"
    label = "study"
