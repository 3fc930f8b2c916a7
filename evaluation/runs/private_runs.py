"""How many runs on a private bank may count: each number that is shown of one is an equation about its references.

Whoever serves an endpoint has the prompts and chooses its answers, so the number of runs that a host, an owner or an
organisation gets is what keeps the references from being worked out.
"""

from collections import Counter
from collections.abc import Iterable

from django.conf import settings
from django.db.models import Q

from evaluation.endpoints.address import locate
from evaluation.models import OPEN_STATUSES, Access, Endpoint, ItemBank, LanguageModel, Origin, Run, Status

Source = tuple[str, str]


class CannotOpen(ValueError):
    """A run that may not be opened; the text says why."""


def check_room(bank: ItemBank, model: LanguageModel, endpoint: Endpoint | None) -> None:
    """Call it in the transaction that makes the run count: it locks the bank's row, so that two at once cannot both
    take the last place.

    Raises: CannotOpen.
    """
    if bank.access == Access.PRIVATE:
        ItemBank.objects.select_for_update(no_key=True).get(pk=bank.pk)
        if sentence := why_no_more(bank, model, endpoint):
            raise CannotOpen(sentence)


def why_no_more(bank: ItemBank, model: LanguageModel, endpoint: Endpoint | None) -> str:
    """Why no further run of the model at the endpoint may count on the bank, as a sentence; "" where one may."""
    if bank.access != Access.PRIVATE:
        return ""
    taken = Counter(source for run in counting_runs(bank) for source in sources_of_run(run))
    most = settings.PRIVATE_BANK_RUNS
    for kind, name in sorted(sources_of(model, endpoint)):
        if taken[kind, name] >= most:
            return (
                f"The {kind} {name} has {taken[kind, name]} runs on the private bank {bank.slug}, and at most {most} "
                "may count (the setting PRIVATE_BANK_RUNS): more numbers would give its references away."
            )
    return ""


def counting_runs(bank: ItemBank) -> Iterable[Run]:
    """Whole runs on the bank that have a score, listed or not, or may still get one; the oldest first."""
    open_or_scored = Q(status__in=OPEN_STATUSES) | Q(status=Status.FINISHED)
    runs = Run.objects.filter(open_or_scored, bank=bank, limit__isnull=True).exclude(origin=Origin.BASELINE)
    return runs.select_related("model", "endpoint").order_by("pk")


def within_the_limit(bank_id: int) -> set[int]:
    """The runs on a private bank that count: the first PRIVATE_BANK_RUNS of each host, owner and organisation, however
    the others came to be there (a merge of models, a lower limit)."""
    taken: Counter[Source] = Counter()
    allowed = set()
    for run in counting_runs(ItemBank.objects.get(pk=bank_id)):
        sources = sources_of_run(run)
        if all(taken[source] < settings.PRIVATE_BANK_RUNS for source in sources):
            taken.update(sources)
            allowed.add(run.pk)
    return allowed


def sources_of_run(run: Run) -> set[Source]:
    """The host is stored with runs of the queue, and so outlives their endpoint."""
    stored = {("host", run.host)} if run.host else set()
    return sources_of(run.model, run.endpoint) | stored


def sources_of(model: LanguageModel, endpoint: Endpoint | None) -> set[Source]:
    """Who may be behind a run, each as a kind and a name. A model without an organisation stands for itself."""
    maker = model.organisation or model.name.rpartition("/")[0] or model.name
    sources = {("organisation", " ".join(maker.casefold().split()))}
    if endpoint is not None:
        sources.add(("host", locate(endpoint.base_url).name))
        if endpoint.owner:
            sources.add(("owner", endpoint.owner))
    return sources
