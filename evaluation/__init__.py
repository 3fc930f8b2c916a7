"""The engine: asks models, scores replies, keeps results. Imports nothing from leaderboard.

`from evaluation import evaluate` is for scripts and notebooks. Django loads this package as an app, so what that name
needs is imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.api import CannotEvaluate, Evaluation, evaluate

__version__ = "0.1.0"
__all__ = ["CannotEvaluate", "Evaluation", "evaluate"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("evaluation.standalone").set_up()
    return getattr(import_module("evaluation.api"), name)
