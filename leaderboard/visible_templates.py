"""Django's templates, with the signs that cannot be seen spelled out in whatever they give: pages, mails, images."""

from typing import Any

from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString, mark_safe

from leaderboard.visible import visible


class VisibleTemplate(Template):
    """A template whose result is gone over once more."""

    def render(self, context: Any = None, request: Any = None) -> SafeString:
        return mark_safe(visible(super().render(context, request)))  # noqa: S308 - it was escaped where that is due


class VisibleTemplates(DjangoTemplates):
    """The engine of settings.TEMPLATES."""

    def from_string(self, template_code: str) -> VisibleTemplate:
        return VisibleTemplate(self.engine.from_string(template_code), self)

    def get_template(self, template_name: str) -> VisibleTemplate:
        return VisibleTemplate(super().get_template(template_name).template, self)
