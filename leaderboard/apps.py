"""The site as Django's app: what is checked when it starts."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from django.apps import AppConfig, apps
from django.core.checks import CheckMessage, Error, Warning, register

IN_THE_ADMIN = {"evaluation": "Models, runs and items", "auth": "Accounts", "axes": "Log-ins"}


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "The board"

    def ready(self) -> None:
        register(check_kinds, "kinds")
        for label, words in IN_THE_ADMIN.items():
            apps.get_app_config(label).verbose_name = words


def check_kinds(**options: Any) -> Iterable[CheckMessage]:
    """A measure has to say what it is; a benchmark without a kind of its own has the generic one."""
    kinds = import_module("leaderboard.kinds")  # only here: workers run no checks
    for problem in kinds.measures_without_note():
        yield Error(problem, hint="Give it a note: one sentence for the legend, the files and the API.", id="kinds.E1")
    for benchmark in kinds.benchmarks_without_kind():
        yield Warning(
            f"{benchmark.name} has no kind in leaderboard/kinds, so its pages have the generic words.",
            hint=f"Add leaderboard/kinds/{benchmark.family}.py and name it in KINDS.",
            id="kinds.W1",
        )
