"""A crawl of a rater's pages: the same bytes whoever wrote the replies, up to the debriefing.

Nothing that a rater can ask for names a responder, in text, mark-up, addresses or headers.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches

from leaderboard.study.checklist import checklist
from leaderboard.study.models import Group, Participation, Response, Study
from leaderboard.study.states import GroupState
from tests.leaderboard.study.making import make_responder, make_study, open_groups
from tests.leaderboard.study.taking_part import Rater

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TOKENS = re.compile(r'(name="(?:csrfmiddlewaretoken|shown)" value=")[^"]*')
COOKIES = re.compile(r"(csrftoken=|rater=)[^;]*")
SECONDS = re.compile(r'data-wait="\d+"|go on in \d+ seconds?')
LINKS = re.compile(r'(?:href|action|src)="(/rate/[^"]*)"')
SCREENS = 11
Exchange = dict[str, str]


@pytest.fixture(autouse=True)
def _no_turns() -> Iterator[None]:
    caches["limits"].clear()
    yield
    caches["limits"].clear()


@pytest.fixture
def study() -> Study:
    study = make_study(slug="short-replies", batches=1, responders=("human", "gpt-4-secret"))
    make_responder(study, "mixtral-secret")
    open_groups(study, target=1)
    return study


class Crawl:
    """One participation in one group; each answer is kept whole, by what was asked."""

    def __init__(self, study: Study, group: Group) -> None:
        Group.objects.exclude(pk=group.pk).update(state=GroupState.DRAFT)
        Group.objects.filter(pk=group.pk).update(state=GroupState.OPEN)
        self.rater, self.raw = Rater(study, f"rater-of-group-{group.pk}"), ""
        self.texts = list(Response.objects.filter(responder=group.responder).values_list("text", flat=True))
        self.seen: Exchange = {}
        self._walk()

    def _walk(self) -> None:
        rater = self.rater
        self._ask("link", rater.enter)
        self._ask("GET consent/")
        self._ask("POST consent/", lambda: rater.post("consent/", version="1"))
        self._ask("POST consent/ agreed", rater.consent)
        # The same order of items and place of the attention item for all: these may differ.
        Participation.objects.filter(ended_at=None).update(seed=1, attention_at=5, attention_wants=2)
        for path in ("GET task/", "GET go-on/", "GET 1/", "GET review/", "GET done/", "GET withdraw/"):
            self._ask(path)
        self._ask("POST task/ early", lambda: rater.post("task/"))
        rater.wait()
        self._ask("POST task/", lambda: rater.post("task/"))
        for number in range(1, SCREENS + 1):
            self._ask(f"GET {number}/")
            self._ask(f"POST {number}/ empty", lambda at=number: rater.post(f"{at}/"))
            self._ask(f"POST {number}/ quiet", lambda at=number: rater.post(f"{at}/", v=2, quiet="1"))
            self._ask(f"POST {number}/", lambda at=number: rater.post(f"{at}/", v=2))
        for path in ("GET review/", "GET stop/", "GET 3/", "GET task/", "GET over/", "GET before/", "GET nowhere/"):
            self._ask(path)
        for link in sorted({link for text in self.seen.values() for link in LINKS.findall(text)}):
            self._ask(f"link {link}", lambda at=link: rater.client.get(at.replace("&amp;", "&")))

    def _ask(self, name: str, ask: Any = None) -> None:
        response = ask() if ask else self.rater.get(name.removeprefix("GET "))
        headers = "\n".join(f"{key}: {value}" for key, value in sorted(response.headers.items()))
        cookies = "\n".join(cookie.OutputString() for cookie in response.cookies.values())
        whole = f"{response.status_code}\n{headers}\n{cookies}\n\n{response.content.decode()}"
        self.raw += whole
        for text in self.texts:
            whole = whole.replace(text, "[reply]")
        whole = COOKIES.sub(r"\1[token]", TOKENS.sub(r"\1[token]", whole))
        # Lengths of replies differ, cookies end at a moment, and the tutorial counts seconds.
        whole = SECONDS.sub("[seconds]", whole)
        self.seen[name] = re.sub(r"(?m)^Content-Length: \d+$|expires=[^;\n]*", "", whole)


def test_all_groups_get_the_same_bytes_and_no_name(study: Study) -> None:
    crawls = [Crawl(study, group) for group in study.groups.all()]
    first = crawls[0].seen
    assert len(first) > 60
    for crawl in crawls[1:]:
        assert crawl.seen.keys() == first.keys()
        for name, whole in crawl.seen.items():
            assert whole == first[name], name
    for crawl in crawls:
        # Random tokens hold any three letters now and then.
        low = COOKIES.sub(r"\1[token]", TOKENS.sub(r"\1[token]", crawl.raw)).lower()
        for word in ("gpt", "mixtral", "human", "secret", "responder", "model", "leaderboard", "eq-", "navigation"):
            assert word not in low.replace("short-replies", ""), word
        assert all(low.count(text.lower()) for text in crawl.texts)


def test_the_debriefing_names_the_source(study: Study) -> None:
    """The crawl above would be worth nothing if names never came to these pages."""
    names = set()
    for group in study.groups.all():
        crawl = Crawl(study, group)
        crawl.rater.post("review/")
        said = crawl.rater.get("done/").content.decode()
        names |= {word for word in ("GPT-4-SECRET", "MIXTRAL-SECRET", "written by people") if word in said}
    assert names == {"GPT-4-SECRET", "MIXTRAL-SECRET", "written by people"}


@pytest.mark.parametrize(
    ("slug", "is_refused"),
    [("replies-of-gpt-4-secret", True), ("human-replies", True), ("humane-replies", False), ("short-replies", False)],
)
def test_no_study_opens_whose_address_names_a_responder(study: Study, slug: str, is_refused: bool) -> None:
    study.slug = slug
    assert ("build the study again with a title without" in checklist(study, 1).why_not.lower()) is is_refused


def test_the_api_and_public_pages_say_nothing_of_an_open_study(study: Study) -> None:
    client = Rater(study, "x").client
    for path in ("/api/", "/api/v1/rankings", "/api/v1/models", "/sitemap.xml", "/studies/", "/robots.txt"):
        response = client.get(path)
        assert "secret" not in response.content.decode()
        assert "/rate/" not in response.content.decode()
