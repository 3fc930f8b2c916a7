"""The operators' pages, from a file of prompts to a closed group: what is asked, refused, shown and hidden."""

import csv
import io
import re
from zipfile import ZipFile

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.study import tasks
from leaderboard.study.models import Group, Participation, PromptSet, Responder, Response, Study
from leaderboard.study.result_models import StudyResult
from leaderboard.study.states import GroupState, ParticipationState, StudyState
from leaderboard.study.waves_of_raters import REFRESH
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import looker, nobody_of_note, root
from tests.leaderboard.study.making import make_participation, make_study, open_groups, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PROMPTS = [
    "item_id,emotion,situation,utterance",
    *(f"p{at},{'sad' if at % 2 else 'joyful'},It was day {at}.,I say {at}." for at in range(1, 9)),
]
CONSENT = {
    "consent-organisation": "Example University", "consent-contact": "study@example.org",
    "consent-purpose": "We study how people judge short replies.", "consent-pay": "You are paid £1.80.",
    "consent-minutes": "10", "consent-kept_months": "12",
}  # fmt: skip
PEOPLE = {
    "people-ethics_reference": "2026-114, Example University", "people-help_text": "Someone to talk to: 0800 000",
    "people-help_link": "tel:0800000", "people-baseline_note": "",
}  # fmt: skip


def upload(name: str, *lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(lines).encode(), content_type="text/csv")


def replies(word: str) -> SimpleUploadedFile:
    return upload("replies.csv", "item_id,reply", *(f"p{at},{word} {at}" for at in range(1, 9)))


def post(client: Client, path: str, **form: object) -> str:
    response = client.post(path, form, follow=True)
    assert response.status_code == 200, response.status_code
    return content_of(response)


@pytest.fixture
def study() -> Study:
    """A draft over eight prompts, four a rater, with the parts that `prepared` fills in missing."""
    client = root()
    form = {"title": "Own", "licence": "own texts", "terms": "on", "file": upload("p.csv", *PROMPTS)}
    html = post(client, "/studies/new/", **form)
    assert "Own is stored with 8 prompts" in html
    made = PromptSet.objects.get()
    post(
        client, "/studies/new/", title="Our study", prompts=f"set-{made.pk}", items_per_rater="4", ratings_per_reply="1"
    )
    return Study.objects.get()


def prepared(study: Study, client: Client) -> None:
    """All that the checklist asks for."""
    path = f"/studies/{study.slug}/setup/"
    human = {
        "replies-label": "Human",
        "replies-kind": "human",
        "replies-is_baseline": "on",
        "replies-file": replies("Oh"),
    }
    model = {"replies-label": "Model A", "replies-kind": "model", "replies-file": replies("I hear you")}
    for form in (human, model):
        post(client, f"{path}replies/", **form)
    post(client, f"{path}people/", **PEOPLE)
    post(client, f"{path}consent/", **CONSENT)
    for responder in Responder.objects.all():
        post(client, f"{path}group/", **{"group-responder": responder.pk, "group-target": "2"})


def test_a_study_is_built_in_batches_that_mix_the_emotions(study: Study) -> None:
    assert (study.slug, study.state) == ("our-study", StudyState.DRAFT)
    places = sorted(study.items.values_list("batch", "position"))
    assert places == [(batch, position) for batch in (1, 2) for position in (1, 2, 3, 4)]
    assert len(set(study.items.filter(batch=1).values_list("prompt__emotion", flat=True))) == 2


def test_prompts_that_do_not_divide_into_batches_are_refused_with_a_way_out(study: Study) -> None:
    html = post(
        root(),
        "/studies/new/",
        title="x",
        prompts=f"set-{study.prompt_set_id}",
        items_per_rater="5",
        ratings_per_reply="1",
    )
    assert "8 prompts cannot be divided into batches of 5. Choose 4 or 8 items per rater." in html
    assert Study.objects.count() == 1


def test_prompts_need_their_terms_confirmed(client: Client) -> None:
    html = post(root(), "/studies/new/", title="Own", licence="CC BY-NC 4.0", file=upload("p.csv", *PROMPTS))
    assert "This field is required" in html
    assert not PromptSet.objects.exists()


def test_the_open_button_is_disabled_and_says_why_until_all_is_there(study: Study) -> None:
    client, path = root(), f"/studies/{study.slug}/setup/"
    html = content_of(client.get(path))
    button = re.search(r'<button class="button primary"[^>]*>', html)
    assert button
    assert 'disabled aria-describedby="why-not"' in button[0]
    why = re.search(r'<p id="why-not">(.*?)</p>', html)
    assert why
    assert why[1].startswith("Register people’s replies as the baseline, ")
    for need in (
        "fill in the ethics reference",
        "write the consent text",
        "name a help address",
        "add a group of people",
    ):
        assert need in why[1]
    html = post(client, f"/studies/{study.slug}/open/", wave="1")
    assert "There is nothing" in html or "no group of wave 1" in html
    prepared(study, client)
    html = content_of(client.get(path))
    assert "This study can open wave 1" in html
    assert 'id="why-not"' not in html
    assert '<button class="button primary" type="submit">Open wave 1</button>' in html


def test_a_study_without_an_ethics_reference_does_not_open(study: Study) -> None:
    client = root()
    prepared(study, client)
    Study.objects.update(ethics_reference="")
    html = post(client, f"/studies/{study.slug}/open/", wave="1")
    assert "The study cannot open yet. Fill in the ethics reference." in html
    assert not Group.objects.exclude(state=GroupState.DRAFT).exists()


def test_a_held_text_keeps_the_study_shut_until_somebody_lets_it_through(study: Study) -> None:
    client = root()
    prepared(study, client)
    Response.objects.filter(pk=Response.objects.order_by("pk")[0].pk).update(held_for="an e-mail address")
    path = f"/studies/{study.slug}/setup/"
    html = content_of(client.get(path))
    assert "Decide on 1 held text." in html
    held = re.search(r'action="(/studies/our-study/clear/reply/\d+/)"', html)
    assert held
    post(client, held[1])
    assert "This study can open wave 1" in content_of(client.get(path))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Write to me at ann@example.org.", "an e-mail address"),
        ("My number is +44 20 7946 0958.", "a telephone or account number"),
        ("See https://example.org/x", "a web address"),
        ("I want to kill myself.", "crisis content"),
    ],
)
def test_texts_with_personal_data_or_a_crisis_are_held(study: Study, words: str, reason: str) -> None:
    file = upload("r.csv", "item_id,reply", *(f"p{at},{words if at == 3 else 'Fine.'}" for at in range(1, 9)))
    form = {"replies-label": "M", "replies-kind": "model", "replies-file": file}
    post(root(), f"/studies/{study.slug}/setup/replies/", **form)
    assert [reason in held for held in Response.objects.exclude(held_for="").values_list("held_for", flat=True)] == [
        True
    ]


def test_everyday_numbers_and_words_are_not_held(study: Study) -> None:
    sentences = ("It took 12 years and 300 miles.", "On 2026-11-28 at 14:30 I cried.", "I died laughing.", "")
    file = upload("r.csv", "item_id,reply", *(f"p{at},{sentences[at % 4]}" for at in range(1, 9)))
    post(
        root(),
        f"/studies/{study.slug}/setup/replies/",
        **{"replies-label": "M", "replies-kind": "model", "replies-file": file},
    )
    assert not Response.objects.exclude(held_for="").exists()
    assert Response.objects.filter(text="").count() == 2, "an empty reply is kept"


def test_a_file_with_a_fault_says_where_and_registers_nothing(study: Study) -> None:
    form = {
        "replies-label": "M",
        "replies-kind": "model",
        "replies-file": upload("r.csv", "item_id,reply", "p1,x", "zz,y"),
    }
    html = post(root(), f"/studies/{study.slug}/setup/replies/", **form)
    assert "r.csv, line 3, item_id: " in html
    assert not Responder.objects.exists()


def test_opening_pausing_and_closing_with_rights_logged(study: Study, called: list[tuple[str, int | None]]) -> None:
    client = root()
    prepared(study, client)
    path = f"/studies/{study.slug}"
    html = post(client, f"{path}/open/", wave="1")
    assert "Wave 1 is open" in html
    assert set(Group.objects.values_list("state", flat=True)) == {GroupState.OPEN}
    post(client, f"{path}/pause/", wave="1")
    assert set(Group.objects.values_list("state", flat=True)) == {GroupState.DRAFT}
    post(client, f"{path}/open/", wave="1")
    for group in Group.objects.all():
        for batch in (1, 2):
            rate_all(
                make_participation(group, batch=batch, state=ParticipationState.DONE, ended_at="2026-03-01T12:09Z")
            )
        html = post(client, f"{path}/close/{group.pk}/")
        assert "Tick the box first" in html
        html = post(client, f"{path}/close/{group.pk}/", sure="on")
        assert "is closed" in html
    study.refresh_from_db()
    assert study.state == StudyState.CLOSED
    assert called == [(REFRESH, study.pk)] * 2
    tasks.refresh_study_results(study.pk)
    assert StudyResult.objects.count() == 1
    assert "Too few people have rated" in content_of(Client().get(f"{path}/"))
    said = "\n".join(LogEntry.objects.values_list("change_message", flat=True))
    for act in ("Built the study", "Opened wave 1", "Paused wave 1", "Closed the group of Human, wave 1"):
        assert act in said


def test_a_group_does_not_close_while_somebody_is_at_work(study: Study) -> None:
    client = root()
    prepared(study, client)
    post(client, f"/studies/{study.slug}/open/", wave="1")
    group = Group.objects.all()[0]
    make_participation(group)
    html = post(client, f"/studies/{study.slug}/close/{group.pk}/", sure="on")
    assert "1 person is at work in this group. Pause the wave" in html
    group.refresh_from_db()
    assert group.state == GroupState.OPEN


def test_progress_hides_the_shares_of_open_groups() -> None:
    study = make_study()
    first, second = open_groups(study, target=2)
    for group, value in ((first, 3), (second, 1)):
        done = make_participation(
            group, batch=1, state=ParticipationState.DONE, flags=["attention"], ended_at="2026-03-01T12:09:24Z"
        )
        rate_all(done, value)
        make_participation(group, batch=2)
    html = content_of(root().get(f"/studies/{study.slug}/progress/"))
    assert "2 of 4 raters have finished" in html
    assert html.count("hidden until closed") == 2
    assert "100.00" not in html
    assert "9.4 min" in html
    assert re.search(r"Attention item failed</th><td class=\"n\">1</td><td class=\"n\">1</td>", html)
    Group.objects.filter(pk=first.pk).update(state=GroupState.CLOSED)
    html = content_of(root().get(f"/studies/{study.slug}/progress/"))
    assert (html.count("hidden until closed"), html.count("100.00 %")) == (1, 1)


def test_an_open_group_has_no_page_of_results_for_anybody() -> None:
    study = make_study()
    for group in open_groups(study):
        rate_all(make_participation(group, state=ParticipationState.DONE))
    tasks.refresh_study_results()
    for end in ("/", ".csv", ".json"):
        assert Client().get(f"/studies/{study.slug}{end}").status_code == 404
        assert root().get(f"/studies/{study.slug}{end}").status_code == 404
    assert study.title not in content_of(Client().get("/studies/"))
    assert study.title in content_of(root().get("/studies/"))


def test_the_upload_shows_first_and_imports_then(study: Study, called: list[tuple[str, int | None]]) -> None:
    client, path = root(), f"/studies/{study.slug}/import/"
    post(
        client,
        f"/studies/{study.slug}/setup/replies/",
        **{"replies-label": "Human", "replies-kind": "human", "replies-is_baseline": "on"},
    )
    lines = ("scope,responder,n,good", "all,human,100,50")
    html = post(client, path, file=upload("c.csv", *lines), coding="words", wave="1", dry="")
    assert "What would happen" in html
    assert not study.counts.exists()
    html = post(client, path, file=upload("c.csv", *lines), coding="words", wave="1", **{"import": ""})
    assert study.counts.count() == 1
    assert called == [(REFRESH, study.pk)]
    html = post(
        client, path, file=upload("d.csv", "scope,responder,n,good", "all,nobody,100,50"), coding="words", wave="1"
    )
    assert "d.csv, line 2, responder: " in html


def _ratings_of(response: object) -> str:
    content: bytes = response.content  # type: ignore[attr-defined]
    with ZipFile(io.BytesIO(content)) as archive:
        return archive.read("ratings.csv").decode()


def test_an_export_has_fresh_codes_and_can_be_imported_again() -> None:
    study = make_study(items=2)
    first, second = open_groups(study)
    for batch in (1, 2):
        rate_all(make_participation(first, batch=batch, state=ParticipationState.DONE, flags=["fast"]))
        rate_all(make_participation(second, batch=batch, state=ParticipationState.DONE))
    Group.objects.filter(pk=first.pk).update(state=GroupState.CLOSED)
    found = [_ratings_of(root().get(f"/studies/{study.slug}/export/")) for _ in range(2)]
    rows = [list(csv.DictReader(io.StringIO(each))) for each in found]
    assert [len(each) for each in rows] == [4, 4], "the open group is not in it"
    codes = [{row["rater"] for row in each} for each in rows]
    assert [len(each) for each in codes] == [2, 2]
    assert not codes[0] & codes[1]
    hashes = set(Participation.objects.values_list("rater_hash", flat=True))
    assert not hashes & (codes[0] | codes[1])
    other = make_study(items=2)
    client = root()
    file = SimpleUploadedFile("e.csv", found[0].encode())
    html = post(client, f"/studies/{other.slug}/import/", file=file, coding="words", wave="1", **{"import": ""})
    assert "Nothing was imported" not in html
    assert other.participations.count() == 2


def test_invitation_codes_are_shown_once_and_kept_as_hashes(study: Study) -> None:
    client = root()
    entry = {
        "entry-entry_mode": "invited",
        "entry-id_parameter": "ID",
        "entry-completion_code": "",
        "entry-completion_url": "",
    }
    post(client, f"/studies/{study.slug}/setup/entry/", **entry)
    assert "make invitation codes" in content_of(client.get(f"/studies/{study.slug}/setup/"))
    response = client.post(f"/studies/{study.slug}/invite/", {"number": "3"})
    assert "no-store" in response["Cache-Control"]
    codes = re.search(r"<pre>(.*?)</pre>", content_of(response), re.DOTALL)
    assert codes
    assert len(codes[1].split()) == 3
    assert study.invitations.count() == 3


def test_the_plan_is_fixed_once_a_group_has_been_open(study: Study) -> None:
    client = root()
    plan = {"plan-exclusion_rule": ["attention", "fast"], "plan-questionnaire": "I feel.\n\nI help."}
    post(client, f"/studies/{study.slug}/setup/plan/", **plan)
    study.refresh_from_db()
    assert (study.exclusion_rule, study.questionnaire) == (["attention", "fast"], ["I feel.", "I help."])
    html = post(client, f"/studies/{study.slug}/setup/plan/", **{"plan-exclusion_rule": ["attention"]})
    assert "Choose two flags or more" in html
    prepared(study, client)
    post(client, f"/studies/{study.slug}/open/", wave="1")
    html = post(client, f"/studies/{study.slug}/setup/plan/", **{"plan-questionnaire": "Another."})
    assert "the plan is fixed" in html
    study.refresh_from_db()
    assert study.questionnaire == ["I feel.", "I help."]


def test_a_changed_consent_text_is_a_version_of_its_own(study: Study) -> None:
    client, path = root(), f"/studies/{study.slug}/setup/consent/"
    for form, versions in ((CONSENT, 1), (CONSENT, 1), ({**CONSENT, "consent-minutes": "12"}, 2)):
        post(client, path, **form)
        assert study.consent_forms.count() == versions


def test_visitors_and_staff_without_rights_see_no_page_of_operators(study: Study) -> None:
    paths = ["/studies/new/", *(f"/studies/{study.slug}/{end}/" for end in ("setup", "progress", "import", "export"))]
    for path in paths:
        assert Client().get(path)["Location"].startswith("/admin/login/")
        assert nobody_of_note().get(path).status_code == 403
    assert looker().get(paths[1]).status_code == 200
    assert "disabled" in content_of(looker().get(paths[1]))
    assert looker().get(paths[3]).status_code == 403


def test_a_responder_with_a_group_stays_and_one_without_can_be_taken_out(study: Study) -> None:
    client = root()
    prepared(study, client)
    human, model = Responder.objects.order_by("pk")
    html = post(client, f"/studies/{study.slug}/remove/responder/{human.pk}/")
    assert "has a group or counts already" in html
    post(client, f"/studies/{study.slug}/remove/group/{model.groups.get().pk}/")
    post(client, f"/studies/{study.slug}/remove/responder/{model.pk}/")
    assert list(Responder.objects.all()) == [human]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int | None]]:
    """The tasks that were called for."""
    found: list[tuple[str, int | None]] = []
    for module in ("leaderboard.study.waves_of_raters", "leaderboard.study.operator_views"):
        monkeypatch.setattr(f"{module}.call", lambda task, pk: found.append((task, pk)))
    return found


ACTS = (
    "setup/people/", "open/", "pause/", "invite/", "close/{group}/", "remove/group/{group}/",
    "remove/responder/{responder}/", "clear/reply/{reply}/", "import/",
)  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
def test_an_act_takes_a_right_a_post_and_the_token(act: str) -> None:
    study = make_study(state="draft")
    (group, _) = open_groups(study)
    names = {"group": group.pk, "responder": group.responder_id, "reply": Response.objects.all()[0].pk}
    path = f"/studies/{study.slug}/{act.format(**names)}"
    before = state_of(study)
    for client, status in ((Client(), 302), (nobody_of_note(), 403), (looker(), 403)):
        assert client.post(path, {"sure": "on", "wave": "1"}).status_code == status
    assert root(enforce_csrf_checks=True).post(path, {"sure": "on", "wave": "1"}).status_code == 403
    assert root().get(path).status_code == (200 if act == "import/" else 405)
    assert state_of(study) == before
    assert not LogEntry.objects.exists(), "what is refused is no act"


def state_of(study: Study) -> list[object]:
    tables = (Study.objects.filter(pk=study.pk), study.groups.all(), study.responders.all(), Response.objects.all())
    return [list(rows.values_list()) for rows in tables]


def test_results_are_promised_once_the_baseline_has_ratings() -> None:
    study = make_study(batches=2, items=2)
    human, model = open_groups(study)
    for group in (human, model):
        rate_all(make_participation(group, state=ParticipationState.DONE))
    client, word = root(), "Results are there within a minute."
    first = post(client, f"/studies/{study.slug}/close/{model.pk}/", sure="on")
    assert "Results come once people’s replies have ratings of a closed group, or counts, too." in first
    assert word not in first
    tasks.refresh_study_results(study.pk)
    assert StudyResult.objects.count() == 0
    assert word in post(client, f"/studies/{study.slug}/close/{human.pk}/", sure="on")
    tasks.refresh_study_results(study.pk)
    assert StudyResult.objects.count() == 1
