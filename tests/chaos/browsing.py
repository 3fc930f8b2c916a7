"""A visitor of the real web process, without a browser: cookies, the token of a form, and the form."""

import re
import time
import urllib.error
import urllib.request
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.parse import urlencode

from django.contrib.auth.models import User

from tests.leaderboard.sending import filled, proof_in
from tests.processes import wait_for


class Visitor:
    """Of the site on this port of the loopback interface."""

    def __init__(self, port: int) -> None:
        self.site = f"http://127.0.0.1:{port}"
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open
        wait_for(self.is_up, what="the web server")

    def is_up(self) -> bool:
        try:
            return bool(self._open(f"{self.site}/submit/", timeout=10).status == 200)
        except OSError:
            return False

    def get(self, path: str) -> str:
        with self._open(f"{self.site}{path}", timeout=60) as response:
            return str(response.read().decode())

    def post(self, path: str, fields: dict[str, object]) -> str:
        """The page that the form leads to, redirects followed. Raises AssertionError for a refusal."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get("/submit/"))
        return self._send(path, {**fields, "csrfmiddlewaretoken": token[1] if token else ""})

    def save_form(self, path: str, **changes: str) -> str:
        """The form of that page as it stands, with these changes, sent by its first button."""
        fields = Fields()
        fields.feed(self.get(path))
        return self._send(path, {**fields.values, **changes})

    def log_in(self) -> None:
        """As an administrator who is made for it."""
        User.objects.create_superuser("chaos", password="own words")
        self.save_form("/admin/login/", username="chaos", password="own words")

    def _send(self, path: str, fields: dict[str, object]) -> str:
        data = urlencode(fields, doseq=True).encode()
        request = urllib.request.Request(f"{self.site}{path}", data, {"Referer": self.site})  # noqa: S310
        try:
            with self._open(request, timeout=90) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{path}: {refused.code}: {title_of(refused.read().decode())}") from None

    def submit(self, base_url: str) -> tuple[float, str]:
        """Seconds until the sent form was answered, and the page it led to; a dry run comes before it."""
        form = filled(base_url)
        proof = proof_in(self.post("/submit/dry-run/", form))
        assert proof, "the dry run did not pass"
        began = time.monotonic()
        page = self.post("/submit/", {**form, "proof": proof})
        return time.monotonic() - began, page


class Fields(HTMLParser):
    """What a browser would send of the text fields and choices of a page, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, object] = {}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "input" and name and given.get("type") not in {"submit", "checkbox", "radio", "file"}:
            self.values[name] = value
        elif tag == "input" and name and "checked" in given:
            self.values[name] = value or "on"
        elif tag in {"select", "textarea"}:
            self._inside = name
            self.values[name] = ""
        elif tag == "option" and "selected" in given:
            self.values[self._inside] = value

    def handle_endtag(self, tag: str) -> None:
        if tag in {"select", "textarea"}:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and self.lasttag == "textarea":
            self.values[self._inside] = data


def title_of(page: str) -> str:
    return " ".join(page.partition("<title>")[2].partition("</title>")[0].split()) or page[:200]
