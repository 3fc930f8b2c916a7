"""400 raters at once over two open groups, against a real database: nobody doubled, nobody lost, in step."""

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from leaderboard.study import answering
from leaderboard.study.assignment import Full, assign
from leaderboard.study.expiry import expire_reservations
from leaderboard.study.models import Group, Participation, Rating, Study
from leaderboard.study.screens import screens_of
from leaderboard.study.states import HOLDING, GroupState, ParticipationState
from tests.leaderboard.study.making import make_participation, make_study, open_groups
from tests.leaderboard.study.taking_part import Rater

pytestmark = [pytest.mark.database]
THREADS = 8
GROUP_SIZE = 200
ITEMS = 10  # a rater's replies, each saved in a transaction of its own


def at_once(work: Callable[[int], object], numbers: Iterable[int]) -> list[object]:
    """`work` of each number, `THREADS` at a time; each thread has a connection of its own, closed after each piece."""

    def piece(number: int) -> object:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(piece, numbers))


def come(study: Study, number: int) -> str:
    """Over the pages: the link, then consent; where that led."""
    rater = Rater(study, f"person-{number}")
    rater.enter()
    response = rater.consent()
    return response.headers.get("Location", "full")


def answer(participation: Participation, *, until: int | None = None) -> None:
    """All screens, or the first `until` of them."""
    answering.begin(participation)
    for screen in screens_of(participation)[:until]:
        answering.save_answer(participation, screen, 1 + (participation.pk + screen.number) % 3, 5.0)


def held(study: Study) -> list[tuple[int, int | None]]:
    return list(study.participations.filter(state__in=HOLDING).values_list("group_id", "batch"))


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@override_settings(STUDY_ENTRIES_PER_ADDRESS=0)
def test_400_raters_at_once_fill_two_groups_each_batch_once_and_none_is_lost_after_expiry() -> None:
    study = make_study(batches=GROUP_SIZE, items=ITEMS)
    groups = open_groups(study, target=GROUP_SIZE)

    # Each number comes twice, as from two windows: 800 requests for consent by 400 people, then 10 people too many.
    led = at_once(lambda number: come(study, number % 400), range(800))
    assert set(led) <= {f"/rate/{study.slug}/task/"}
    assert set(at_once(lambda number: come(study, number), range(400, 410))) == {"full"}
    assert Participation.objects.count() == 400
    assert {group.participations.count() for group in groups} == {GROUP_SIZE}
    assert max(Counter(held(study)).values()) == 1

    # Every tenth stops after two screens; the others send.
    everyone = list(Participation.objects.select_related("group", "study").order_by("id"))
    leaving = {mine.pk for mine in everyone[::10]}

    def take_part(at: int) -> None:
        mine = everyone[at]
        answer(mine, until=2 if mine.pk in leaving else None)
        if mine.pk not in leaving:
            answering.send(mine)

    at_once(take_part, range(400))
    left = Participation.objects.filter(pk__in=leaving)
    n_left_ratings = Rating.objects.filter(participation__in=leaving).count()
    left.update(active_at=timezone.now() - timedelta(minutes=61))

    # New people come while the clock frees the places of those who left.
    def expire_or_come(number: int) -> object:
        return expire_reservations() if number % 5 == 0 else come(study, number)

    at_once(expire_or_come, range(1000, 1100))
    at_once(lambda number: come(study, number), range(2000, 2050))
    new = list(Participation.objects.filter(state=ParticipationState.RESERVED).select_related("group", "study"))

    def finish(at: int) -> None:
        answer(new[at])
        answering.send(new[at])

    at_once(finish, range(len(new)))

    for group in groups:
        done = group.participations.filter(state=ParticipationState.DONE)
        assert sorted(mine.batch or 0 for mine in done) == list(range(1, GROUP_SIZE + 1))
        assert Rating.objects.filter(participation__in=done).count() == ITEMS * GROUP_SIZE
        rated = Rating.objects.filter(participation__in=done).values_list("response_id", flat=True)
        assert len(set(rated)) == ITEMS * GROUP_SIZE
    assert {mine.state for mine in left.all()} == {ParticipationState.EXPIRED}
    assert Rating.objects.filter(participation__in=leaving).count() == n_left_ratings > 0
    hashes = list(Participation.objects.values_list("rater_hash", flat=True))
    assert len(hashes) == len(set(hashes)) == 440


@pytest.mark.django_db(transaction=True)
def test_threads_that_take_the_last_places_get_one_each() -> None:
    study = make_study(batches=4, items=2)
    open_groups(study, target=4)

    def take(number: int) -> str:
        try:
            return f"batch {assign(study, f'{number:064x}', study.consent_forms.get()).batch}"
        except Full:
            return "full"

    outcomes = Counter(at_once(take, range(24)))
    assert outcomes.pop("full") == 16
    assert set(outcomes.values()) == {2}
    assert max(Counter(held(study)).values()) == 1


@pytest.mark.django_db
def test_groups_are_filled_in_step_relative_to_their_targets() -> None:
    study = make_study(batches=12, items=1)
    big, small = open_groups(study, target=12)
    Group.objects.filter(pk=small.pk).update(target=4)
    for number in range(1, 17):
        assign(study, f"{number:064x}", study.consent_forms.get())
        shares = big.participations.count() / 12, small.participations.count() / 4
        assert abs(shares[0] - shares[1]) <= 1 / 4
    with pytest.raises(Full):
        assign(study, "f" * 64, study.consent_forms.get())


@pytest.mark.django_db
def test_only_open_groups_take_raters_and_a_rater_keeps_the_first_place() -> None:
    study = make_study()
    first, second = open_groups(study)
    Group.objects.filter(pk=first.pk).update(state=GroupState.CLOSED)
    mine = assign(study, "a" * 64, study.consent_forms.get())
    assert mine.group == second
    assert assign(study, "a" * 64, study.consent_forms.get()) == mine


@pytest.mark.django_db
def test_with_two_ratings_a_reply_each_batch_is_given_once_before_any_is_given_twice() -> None:
    study = make_study(batches=3, items=1, responders=("human",), ratings_per_reply=2)
    open_groups(study, target=6)
    given = [assign(study, f"{number:064x}", study.consent_forms.get()) for number in range(1, 7)]
    assert sorted(mine.batch or 0 for mine in given[:3]) == [1, 2, 3]
    assert sorted((mine.batch, mine.slot) for mine in given) == [(b, s) for b in (1, 2, 3) for s in (1, 2)]


@pytest.mark.django_db
def test_a_withdrawn_batch_is_given_again() -> None:
    study = make_study(batches=1, responders=("human",))
    (group,) = open_groups(study, target=1)
    mine = make_participation(group)
    with pytest.raises(Full):
        assign(study, "b" * 64, study.consent_forms.get())
    answering.withdraw(mine)
    assert assign(study, "b" * 64, study.consent_forms.get()).batch == mine.batch
