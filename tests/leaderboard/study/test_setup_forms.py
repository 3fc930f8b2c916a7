"""The forms of the set-up page at their edges: bounds, and what others change while a form is open."""

import pytest

from leaderboard.study.building import Refused
from leaderboard.study.models import Study
from leaderboard.study.setup_parts import PARTS
from leaderboard.study.states import StudyState
from tests.leaderboard.staff import root
from tests.leaderboard.study.making import make_study
from tests.leaderboard.study.test_operator_pages import CONSENT, PEOPLE, post

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study() -> Study:
    return make_study(batches=2, items=2, state="draft")


def test_a_consent_text_does_not_keep_raters_for_longer_than_dates_go(study: Study) -> None:
    path = f"/studies/{study.slug}/setup/consent/"
    html = post(root(), path, **{**CONSENT, "consent-kept_months": "30000"})
    assert "Choose 600 months or fewer: that is 50 years." in html
    assert study.consent_forms.count() == 1
    post(root(), path, **{**CONSENT, "consent-kept_months": "600"})
    assert study.consent_forms.count() == 2


def test_a_consent_text_keeps_raters_known_for_a_month_at_least(study: Study) -> None:
    """They are, whatever the text promises."""
    html = post(root(), f"/studies/{study.slug}/setup/consent/", **{**CONSENT, "consent-kept_months": "0"})
    assert "Choose 1 month or more" in html
    assert study.consent_forms.count() == 1


ENTRY = {
    "entry-entry_mode": "invited", "entry-id_parameter": "ID", "entry-completion_code": "",
    "entry-completion_url": "",
}  # fmt: skip


@pytest.mark.parametrize("name", ["PROLIFIC PID", "?PROLIFIC_PID", "PROLIFIC_PID=", "a&b", "a#b", "{{%PROLIFIC_PID%}}"])
def test_a_name_that_no_link_can_carry_is_refused(study: Study, name: str) -> None:
    """Raters who follow the link would be asked for a code that they do not have."""
    path = f"/studies/{study.slug}/setup/entry/"
    assert "Use letters, digits" in post(root(), path, **{**ENTRY, "entry-id_parameter": name})
    study.refresh_from_db()
    assert study.id_parameter == "PROLIFIC_PID"


@pytest.mark.parametrize("minutes", ["0", "65536"])
def test_a_study_that_takes_no_minutes_or_more_than_a_day_has_is_refused(study: Study, minutes: str) -> None:
    """A column of small numbers on PostgreSQL could not hold the latter."""
    html = post(root(), f"/studies/{study.slug}/setup/consent/", **{**CONSENT, "consent-minutes": minutes})
    assert "Write 1 to 600 minutes." in html
    assert study.consent_forms.count() == 1


@pytest.mark.parametrize(("part", "data"), [("people", PEOPLE), ("entry", ENTRY)])
def test_a_form_puts_nothing_back_that_changed_meanwhile(study: Study, part: str, data: dict[str, str]) -> None:
    form = PARTS[part].form(study, data)
    assert form.is_valid()
    Study.objects.filter(pk=study.pk).update(n_entered=7, n_declined=3, state=StudyState.OPEN)
    assert PARTS[part].act(study, form) == "Saved."
    now = Study.objects.get(pk=study.pk)
    assert (now.n_entered, now.n_declined, now.state) == (7, 3, StudyState.OPEN)
    assert {name: str(getattr(now, name.partition("-")[2])) for name in data} == data


def test_a_rule_that_can_exclude_nobody_is_refused(study: Study) -> None:
    plan = {"plan-exclusion_rule": ["attention", "reversed"], "plan-questionnaire": "I feel."}
    path = f"/studies/{study.slug}/setup/plan/"
    assert "only known in a questionnaire of 16 questions" in post(root(), path, **plan)
    post(root(), path, **{**plan, "plan-questionnaire": "\n".join(f"Question {at}." for at in range(16))})
    study.refresh_from_db()
    assert study.exclusion_rule == ["attention", "reversed"]


@pytest.mark.parametrize("name", ["ethics_reference", "help_text", "help_link"])
def test_a_study_that_opens_meanwhile_keeps_its_ethics_reference_and_help(study: Study, name: str) -> None:
    form = PARTS["people"].form(study, {**PEOPLE, f"people-{name}": ""})
    assert form.is_valid()
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN)
    with pytest.raises(Refused, match="keeps an ethics reference and a help address"):
        PARTS["people"].act(study, form)
