"""What all commands share: a terminal obeys control signs, so none that a stranger chose reaches one."""

from typing import Any, TextIO, cast

from django.core.management import base

from evaluation.signs import spelled_lines

__all__ = ["BaseCommand"]


class VisibleOutput(base.OutputWrapper):
    """A stream to which signs that cannot be seen go as their code points; styles of Django's own are put on after."""

    def write(self, msg: str = "", style_func: Any = None, ending: str | None = None) -> None:  # type: ignore[override]
        super().write(spelled_lines(msg), style_func, ending)


class BaseCommand(base.BaseCommand):
    """A command whose output, errors and notes hold no sign that a terminal would obey."""

    def __setattr__(self, name: str, value: object) -> None:
        """The two streams are wrapped whoever sets them, at the start or for one call."""
        if name in {"stdout", "stderr"} and isinstance(value, base.OutputWrapper):
            value = VisibleOutput(cast("TextIO", value._out), value.ending)
        super().__setattr__(name, value)

    @property
    def terminal(self) -> TextIO:
        """The stream of errors itself, for what draws a line again and again by such signs."""
        return cast("TextIO", self.stderr._out)
