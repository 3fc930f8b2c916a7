"""How many runs count on a private bank, whoever opens them and in whatever way."""

from typing import Any

import pytest
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.management.commands.evaluate import _open_again
from evaluation.models import Driver, Endpoint, ItemBank, Run, Status
from evaluation.runs.opening import RunRequest, open_run
from evaluation.runs.private_runs import CannotOpen, host_key, organisation_key, within_the_limit
from leaderboard.models import Schedule, Standing
from leaderboard.schedules import open_due
from leaderboard.standings import refresh_standings
from leaderboard.submissions.moderating import Refused, replicate, resume, why_not_again
from tests.factories import make_bank, make_endpoint, make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HOST = "https://models.example/v1"


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(50, slug="office", access="private")


def request(bank: ItemBank, model: str, base_url: str = HOST, **changes: Any) -> RunRequest:
    usual: dict[str, Any] = {"repeats": 1, "limit": None, "concurrency": 8, "max_tokens": 60, "timeout_seconds": 60}
    return RunRequest(
        model=model, base_url=base_url, api_model=model, benchmark=BENCHMARKS["eq-bench-v2"], bank=bank,
        driver=Driver.COMMAND, published=True, **{**usual, **changes},
    )  # fmt: skip


def opened(bank: ItemBank, model: str, base_url: str = HOST, **changes: Any) -> Run:
    return open_run(request(bank, model, base_url, **changes))[0]


def counted(bank: ItemBank, model: str, base_url: str = HOST, score: float = 60.0, **fields: Any) -> Run:
    endpoint = make_endpoint(model=make_model(model), base_url=base_url, **fields)
    return make_run(
        bank=bank,
        endpoint=endpoint,
        status=Status.FINISHED,
        score=score,
        driver=Driver.WORKER,
        finished_at=timezone.now(),
    )


def test_a_fourth_run_of_one_host_is_refused_whatever_model_it_names(bank: ItemBank) -> None:
    for at in range(3):
        opened(bank, f"maker-{at}/m")
    with pytest.raises(CannotOpen, match=r"The host models\.example has 3 runs on the private bank office"):
        opened(bank, "maker-9/m")
    assert Run.objects.count() == 3
    assert opened(bank, "maker-9/m", "https://elsewhere.example/v1").pk


SAME_MAKER = [
    *("Maker", " maker ", "MAKER", "m\u0430ker", "M\uff21KER", "ma\u200bker", "ma ker", "m\u00e1ker", "Ma\u3164ker")
]


@pytest.mark.parametrize("same", SAME_MAKER)
def test_a_fourth_run_of_one_organisation_is_refused_on_any_host(bank: ItemBank, same: str) -> None:
    for at in range(3):
        opened(bank, f"maker/m{at}", f"https://host-{at}.example/v1")
    make_model("other/m", organisation=same)
    with pytest.raises(CannotOpen, match=r"The organisation .+ has 3 runs"):
        opened(bank, "other/m", "https://host-9.example/v1")


@pytest.mark.parametrize("name", ["maker/sub/c", "maker/sub/deeper/c", "/maker/c", "Maker//c", "rnaker/c"])
def test_a_name_below_that_of_an_organisation_is_the_organisation_s(bank: ItemBank, name: str) -> None:
    for at in range(3):
        opened(bank, f"maker/m{at}", f"https://host-{at}.example/v1")
    make_model(name)
    with pytest.raises(CannotOpen, match=r"The organisation (maker|Maker|rnaker) has 3 runs"):
        opened(bank, name, "https://host-9.example/v1")


def test_an_organisation_of_another_name_does_not_free_a_model_of_its_own(bank: ItemBank) -> None:
    """Staff write the organisation, or a submitter: the first part of the model's name counts beside it."""
    for at in range(3):
        opened(bank, f"maker/m{at}", f"https://host-{at}.example/v1")
    make_model("maker/m9", organisation="Somebody Else")
    with pytest.raises(CannotOpen, match="The organisation maker has 3 runs"):
        opened(bank, "maker/m9", "https://host-9.example/v1")


@pytest.mark.parametrize("organisation", ["", " ", "\u200b", "\u2800"])
def test_models_without_an_organisation_stand_for_themselves(bank: ItemBank, organisation: str) -> None:
    for at in range(4):
        make_model(f"model-{at}", organisation=organisation)
        opened(bank, f"model-{at}", f"https://host-{at}.example/v1")
    assert Run.objects.count() == 4


@pytest.mark.parametrize(
    ("first", "fourth"),
    [
        ("https://models.example/v1", "https://MODELS.example.:8443/v1"),
        ("http://192.0.2.7/v1", "http://[::ffff:192.0.2.7]:8080/v1"),
        ("http://[2001:db8:7:1::1]/v1", "http://[2001:db8:7:2::9]:8080/v1"),
    ],
)
def test_a_host_is_one_in_each_spelling_and_its_whole_network_where_that_is_ipv6(
    bank: ItemBank, first: str, fourth: str
) -> None:
    for at in range(3):
        opened(bank, f"maker-{at}/m", first)
    with pytest.raises(CannotOpen, match=r"The host .+ has 3 runs"):
        opened(bank, "maker-9/m", fourth)


def test_an_owner_is_counted_by_its_48(bank: ItemBank) -> None:
    for at in range(3):
        counted(bank, f"maker-{at}/m", f"https://host-{at}.example/v1", owner=f"2001:db8:7:{at}::/64")
    fourth = counted(bank, "maker-9/m", "https://host-9.example/v1", owner="2001:db8:7:9::/64")
    assert fourth.pk not in within_the_limit(bank.pk)
    elsewhere = counted(bank, "maker-8/m", "https://host-8.example/v1", owner="2001:db8:8::/64")
    assert elsewhere.pk in within_the_limit(bank.pk)


def test_a_fourth_run_of_one_owner_is_not_repeated(bank: ItemBank) -> None:
    runs = [counted(bank, f"maker-{at}/m", f"https://host-{at}.example/v1", owner="2001:db8::/48") for at in range(3)]
    assert "The owner 2001:db8::/48 has 3 runs" in why_not_again(runs[0])
    with pytest.raises(Refused, match="at most 3 may count"):
        replicate(runs[0])


def test_one_that_is_open_goes_on_and_a_partial_one_does_not_count(bank: ItemBank) -> None:
    for at in range(3):
        opened(bank, f"maker-{at}/m")
    assert open_run(request(bank, "maker-0/m"))[1] is False
    assert opened(bank, "maker-9/m", limit=10).limit == 10


def test_an_open_bank_has_no_such_limit() -> None:
    bank = make_bank(50)
    assert [opened(bank, f"maker/m{at}").pk for at in range(5)]


def test_a_run_that_is_unlisted_or_taken_off_counts_all_the_same(bank: ItemBank) -> None:
    for at in range(3):
        counted(bank, f"maker-{at}/m")
    Run.objects.update(published=False)
    with pytest.raises(CannotOpen):
        opened(bank, "maker-9/m")


def test_a_failed_run_leaves_its_place_and_does_not_go_on_once_others_took_it(bank: ItemBank) -> None:
    failed = counted(bank, "maker-0/m")
    Run.objects.filter(pk=failed.pk).update(status=Status.FAILED, failure_kind="endpoint", score=None)
    for at in range(1, 4):
        counted(bank, f"maker-{at}/m")
    failed.refresh_from_db()
    with pytest.raises(Refused, match="at most 3 may count"):
        resume(failed)


def test_a_partial_run_takes_no_place_so_it_goes_on_and_is_repeated_where_all_are_taken(bank: ItemBank) -> None:
    part = counted(bank, "maker-0/m")
    Run.objects.filter(pk=part.pk).update(limit=10, n_items=10, n_scored=10)
    for at in range(1, 4):
        counted(bank, f"maker-{at}/m")
    part.refresh_from_db()
    assert why_not_again(part) == ""
    Run.objects.filter(pk=part.pk).update(status=Status.FAILED, failure_kind="endpoint", score=None)
    part.refresh_from_db()
    assert resume(part)


def test_a_partial_run_of_the_command_goes_on_where_all_places_are_taken(bank: ItemBank) -> None:
    part = opened(bank, "maker-0/m", limit=10)
    for at in range(1, 4):
        opened(bank, f"maker-{at}/m")
    fault = {"status": Status.FAILED, "failure_kind": "endpoint", "failure_message": "The endpoint went away."}
    Run.objects.filter(pk=part.pk).update(**fault)
    assert _open_again(part.pk).status == Status.QUEUED


def test_hosts_below_one_domain_are_one_host(bank: ItemBank) -> None:
    for at in range(3):
        opened(bank, f"maker-{at}/m", f"https://m{at}.models.example/v1")
    with pytest.raises(CannotOpen, match=r"The host m9\.models\.example has 3 runs"):
        opened(bank, "maker-9/m", "https://m9.models.example/v1")
    assert opened(bank, "maker-9/m", "https://other.example/v1").pk


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a.models.example", "b.c.models.example", True),
        ("models.example", "www.models.example", True),
        ("a.lab.ac.uk", "b.lab.ac.uk", True),
        ("a.lab.ac.uk", "a.other.ac.uk", False),
        ("one.com.au", "other.com.au", False),
        ("10.0.0.1", "11.0.0.1", False),
        ("localhost", "models", False),
    ],
)
def test_the_domain_of_a_host_is_what_its_owner_registered(one: str, other: str, same: bool) -> None:
    assert (host_key(one) == host_key(other)) is same


@pytest.mark.parametrize("name", ["ᏀᎾᎾᏀᏞᎬ", "ꓖꓳꓳꓖꓡꓰ", "ɢᴏᴏɢʟᴇ", "ＧＯＯＧＬＥ", "𝐆𝐎𝐎𝐆𝐋𝐄", "ԌООԌԼЕ"])
def test_a_name_in_letters_that_look_alike_is_the_same_organisation(name: str) -> None:
    assert organisation_key(name) == organisation_key("GOOGLE")


def test_a_schedule_stops_at_the_limit_and_says_why(bank: ItemBank) -> None:
    runs = [counted(bank, f"maker-{at}/m") for at in range(3)]
    schedule = Schedule.objects.create(endpoint=runs[0].endpoint or Endpoint(), bank=bank, next_at=timezone.now())
    assert open_due() == 0
    schedule.refresh_from_db()
    assert schedule.enabled is False
    assert "PRIVATE_BANK_RUNS" in schedule.trouble
    assert Run.objects.count() == 3


def test_runs_beyond_the_limit_are_in_no_row_however_they_came_to_be(bank: ItemBank) -> None:
    """A merge of models or a lower limit leaves more than may count; the first ones stay."""
    runs = [counted(bank, f"maker-{at}/m", score=50.0 + at) for at in range(5)]
    assert within_the_limit(bank.pk) == {run.pk for run in runs[:3]}
    refresh_standings()
    assert sorted(Standing.objects.values_list("score", flat=True)) == [50.0, 51.0, 52.0]


def test_below_fifty_items_there_is_no_row() -> None:
    small, large = make_bank(49, access="private"), make_bank(50, access="private")
    for bank in (small, large):
        counted(bank, f"maker/{bank.slug}", f"https://{bank.slug}.example/v1")
    refresh_standings()
    assert list(Standing.objects.values_list("ranking", flat=True)) == [large.slug]


@pytest.mark.parametrize(
    ("score", "shown"), [(61.5, 62.0), (61.49, 61.0), (-23.4, 0.0), (100.0, 100.0), (0.4, 0.0), (99.6, 100.0)]
)
def test_points_are_whole_and_from_0_to_100(bank: ItemBank, score: float, shown: float) -> None:
    counted(bank, "maker/m", score=score)
    Run.objects.update(standard_error=30.0)
    refresh_standings()
    row = Standing.objects.get()
    assert (row.score, row.run_id, row.run_ids, row.figures, row.n_scored) == (shown, None, [], {}, None)
    ends = (row.interval_low, row.interval_high)
    assert all(end == int(end) and 0 <= end <= 100 for end in ends if end is not None)
    assert row.measured_on is not None
    assert row.measured_on.day == 1


def test_equal_points_share_a_rank_so_that_no_order_is_told(bank: ItemBank) -> None:
    for name, score in (("a", 60.9), ("b", 61.4), ("c", 59.0)):
        counted(bank, f"{name}/m", f"https://{name}.example/v1", score=score)
    refresh_standings()
    rows = Standing.objects.order_by("model__name").values_list("score", "rank")
    assert list(rows) == [(61.0, 1), (61.0, 1), (59.0, 3)]


def test_a_second_refresh_changes_no_row(bank: ItemBank) -> None:
    counted(bank, "maker/m")
    refresh_standings()
    before = list(Standing.objects.values())
    refresh_standings()
    assert list(Standing.objects.values()) == before
