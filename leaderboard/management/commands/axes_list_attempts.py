"""The command of django-axes, whose lines hold names that strangers typed: none of their signs reaches a terminal."""

from axes.management.commands.axes_list_attempts import Command as AxesCommand

from evaluation.management.base import BaseCommand


class Command(BaseCommand, AxesCommand):  # type: ignore[misc]
    """As it is, but for the signs."""
