"""A rater without a browser: Django's client, one step a method."""

import re
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from leaderboard.study.models import Participation, Study


class Rater:
    """`study.id_parameter` is the platform's; `client` keeps the cookies."""

    def __init__(self, study: Study, name: str, **client: Any) -> None:
        self.study, self.name, self.client = study, name, Client(**client)
        self.base = f"/rate/{study.slug}/"

    def get(self, path: str = "", **query: str) -> HttpResponse:
        return self.client.get(self.base + path, query)  # type: ignore[return-value]

    def post(self, path: str = "", **fields: Any) -> HttpResponse:
        return self.client.post(self.base + path, fields)  # type: ignore[return-value]

    def enter(self) -> HttpResponse:
        return self.get("", **{self.study.id_parameter: self.name})

    def consent(self) -> HttpResponse:
        return self.post("consent/", agree="on", version="1")

    def wait(self) -> None:
        """Lets the tutorial's time pass."""
        mine = Participation.objects.filter(study=self.study, tutorial_at__isnull=False)
        mine.filter(started_at=None).update(tutorial_at=timezone.now() - timedelta(seconds=16))

    def begin(self) -> HttpResponse:
        """Up to the first reply."""
        self.enter()
        self.consent()
        self.get("task/")
        self.wait()
        return self.post("task/")

    def rate(self, number: int, value: int = 3, **fields: Any) -> HttpResponse:
        page = self.get(f"{number}/").content.decode()
        found = re.search(r'name="shown" value="([^"]*)"', page)
        return self.post(f"{number}/", v=value, shown=found[1] if found else "", **fields)

    def rate_all(self, value: int = 3) -> None:
        for number in range(1, self.study.items_per_rater + 2):
            self.rate(number, value)

    def finish(self, value: int = 3) -> Participation:
        """A whole participation."""
        self.begin()
        self.rate_all(value)
        self.post("review/")
        return Participation.objects.latest("ended_at")
