"""How many runs on a private bank may count: each number that is shown of one is an equation about its references.

Whoever serves an endpoint has the prompts and chooses its answers, so the number of runs that a host, an owner or an
organisation gets is what keeps the references from being worked out.
"""

import re
from collections import Counter
from collections.abc import Iterable
from ipaddress import ip_network

from django.conf import settings
from django.db.models import Q

from evaluation.endpoints.address import locate
from evaluation.importers.spellings import skeleton
from evaluation.models import OPEN_STATUSES, Access, Endpoint, ItemBank, LanguageModel, Origin, Run, Status
from evaluation.signs import spelled, without_hidden

Source = tuple[str, str]
"""A kind (host, owner, organisation) and the key under which it counts, which is equal for all spellings of one."""

IPV6_PREFIX = 48  # what one customer of a provider has at the most: one who has a /48 has 65,536 /64
# Endings of two labels below which domains are registered, as .co.uk or .com.au. A longer list would change each month.
_SHARED_ENDING = re.compile(r"(?:ac|co|com|edu|go|gob|gov|gr|ne|net|or|org)\.[a-z]{2}")


class CannotOpen(ValueError):
    """A run that may not be opened; the text says why."""


def check_room(bank: ItemBank, model: LanguageModel, endpoint: Endpoint | None, *, limit: int | None) -> None:
    """Call it in the transaction that makes the run count: it locks the bank's row, so that two at once cannot both
    take the last place. `limit` is that of the run.

    Raises: CannotOpen.
    """
    if bank.access == Access.PRIVATE:
        ItemBank.objects.select_for_update(no_key=True).get(pk=bank.pk)
        if sentence := why_no_more(bank, model, endpoint, limit=limit):
            raise CannotOpen(sentence)


def why_no_more(bank: ItemBank, model: LanguageModel, endpoint: Endpoint | None, *, limit: int | None) -> str:
    """Why no further run of the model at the endpoint may count on the bank, as a sentence; "" where one may.

    A partial run, which has a `limit`, always may: it takes no place, since nobody sees its score.
    """
    if bank.access != Access.PRIVATE or limit is not None:
        return ""
    taken = Counter(source for run in counting_runs(bank) for source in sources_of_run(run))
    most = settings.PRIVATE_BANK_RUNS
    for source, name in sorted(sources_of(model, endpoint).items()):
        if taken[source] >= most:
            return (
                f"The {source[0]} {spelled(name)} has {taken[source]} runs on the private bank {bank.slug}, and at "
                f"most {most} may count (the setting PRIVATE_BANK_RUNS): more numbers would give its references away. "
                "Names that look alike count as one, and so do the hosts below one domain and an IPv6 network of 48 "
                "bits."
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
    stored = {("host", host_key(run.host))} if run.host else set()
    return set(sources_of(run.model, run.endpoint)) | stored


def sources_of(model: LanguageModel, endpoint: Endpoint | None) -> dict[Source, str]:
    """Who may be behind a run, each with the name to show."""
    sources = {("organisation", key): name for key, name in organisations_of(model).items()}
    if endpoint is not None:
        host = locate(endpoint.base_url).name
        sources["host", host_key(host)] = host
        if endpoint.owner:
            sources["owner", network_key(endpoint.owner)] = endpoint.owner
    return sources


def organisations_of(model: LanguageModel) -> dict[str, str]:
    """The organisation that the model's facts name and the one that its own name begins with: both count, since
    either is easily changed. A model without any stands for itself."""
    parts = [part for part in model.name.split("/") if organisation_key(part)]
    named = {organisation_key(name): name.strip() for name in (model.organisation, *parts[:1])}
    return {key: name for key, name in named.items() if key} or {model.name: model.name}


def organisation_key(name: str) -> str:
    """Equal for names that a reader may take for each other; "" where there is nothing to read."""
    return skeleton(without_hidden(name))


def host_key(host: str) -> str:
    """One spelling of an address (`network_key`); of a name the domain that its owner registered, as far as its form
    tells it. Whoever owns a domain has as many hosts below it as they like."""
    key = network_key(host)
    if key != host:
        return key
    labels = host.split(".")
    ending = 2 if _SHARED_ENDING.fullmatch(".".join(labels[-2:])) else 1
    return ".".join(labels[-ending - 1 :])


def network_key(text: str) -> str:
    """One spelling of an address or a network: the /48 of one of IPv6, the IPv4 address that such a one carries.
    Another text stays as it is."""
    try:
        network = ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return text
    if network.version == 4:
        return str(network)
    mapped = network.network_address.ipv4_mapped
    if mapped and network.prefixlen == network.max_prefixlen:
        return str(ip_network(mapped))
    return str(network.supernet(new_prefix=min(network.prefixlen, IPV6_PREFIX)))
