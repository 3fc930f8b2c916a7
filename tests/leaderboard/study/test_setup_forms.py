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


@pytest.mark.parametrize(("part", "data"), [("people", PEOPLE), ("entry", ENTRY)])
def test_a_form_puts_nothing_back_that_changed_meanwhile(study: Study, part: str, data: dict[str, str]) -> None:
    form = PARTS[part].form(study, data)
    assert form.is_valid()
    Study.objects.filter(pk=study.pk).update(n_entered=7, n_declined=3, state=StudyState.OPEN)
    assert PARTS[part].act(study, form) == "Saved."
    now = Study.objects.get(pk=study.pk)
    assert (now.n_entered, now.n_declined, now.state) == (7, 3, StudyState.OPEN)
    assert {name: str(getattr(now, name.partition("-")[2])) for name in data} == data


def test_a_study_that_opens_meanwhile_keeps_its_ethics_reference(study: Study) -> None:
    form = PARTS["people"].form(study, {**PEOPLE, "people-ethics_reference": ""})
    assert form.is_valid()
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN)
    with pytest.raises(Refused, match="keeps an ethics reference"):
        PARTS["people"].act(study, form)
