"""Why a moderator should look first: a name that looks like another one, or a known name from an unknown source.

Both compare with what is listed alone: what a submission that nobody has looked at brought in is no measure.
"""

from collections.abc import Collection
from ipaddress import ip_network

from django.conf import settings

from evaluation.benchmarks.eqbench_numbers import SCALE_FLAGS
from evaluation.importers.spellings import has_letters_of, look_alike
from evaluation.models import Endpoint, ItemState, ReferenceScore, Run
from leaderboard.kinds import kind_of
from leaderboard.submissions.listing import listed_models
from leaderboard.submissions.names import odd_letters

OTHER_SCALE = (
    "Of {read} replies that were read, {n} seem to rate on another scale than 0 to 10 ({flags}). Read some of them "
    "first: such a score may mean nothing."
)
OTHER_SOURCE = "The board has figures of {!r} that came from another submitter or another endpoint than this one."


def doubts(endpoint: Endpoint, organisation: str, name: str) -> str:
    """All doubts about a submission, for the moderator to read; "" where there is none.

    Args:
        endpoint: Of the submission, saved: a model counts as submitted, and not as listed, once it has one.
        name: As it was typed, which may be a former name of the endpoint's model.
    """
    return " ".join(filter(None, (doubt_about_names(name, organisation), doubt_about_source(endpoint))))


def doubt_about_names(name: str, organisation: str) -> str:
    """That a name could be taken for another one that is listed, or that its letters could be taken for others.

    A listed name itself gives no such doubt.
    """
    listed = listed_models().values_list("name", "organisation")
    names, makers = {name for name, _ in listed}, {maker for _, maker in listed if maker}
    if name in names:
        return ""
    found = [
        ("name", name, look_alike(name, sorted(names))),
        *(("organisation", part, look_alike(part, sorted(makers))) for part in whole_and_parts(organisation)),
        *(("namespace", part, maker_like(part, makers)) for part in whole_and_parts(name.rpartition("/")[0])),
    ]
    alike = [f"The {word} {own!r} looks like {other!r}." for word, own, other in found if own and other]
    odd = "" if organisation in makers else odd_letters(organisation)
    return " ".join([*alike, *([f"The organisation {organisation!r} looks like another one. {odd}"] if odd else [])])


def whole_and_parts(text: str) -> list[str]:
    """ "a / b" -> "a / b", "a", "b": a reader may take any part for the maker."""
    return list(dict.fromkeys([text, *(part.strip() for part in text.split("/"))]))


def maker_like(part: str, makers: Collection[str]) -> str | None:
    """The maker that the part of a name could be taken for, unless it has the same letters."""
    return look_alike(part, [maker for maker in sorted(makers) if not has_letters_of(part, maker)])


def doubt_about_source(endpoint: Endpoint) -> str:
    """That the endpoint's model has figures, and none from a public run of the same submitter and endpoint.

    An endpoint says of itself which model it serves. So whoever submits under a known name could replace its figure,
    or move the mean of its runs, by another model or by the same one under a worse prompt. Submitters of a trusted
    network are believed.
    """
    if is_trusted(endpoint.owner):
        return ""
    public = Run.objects.filter(model=endpoint.model_id, published=True)
    own = public.filter(
        endpoint__owner=endpoint.owner,
        endpoint__base_url=endpoint.base_url,
        endpoint__api_model=endpoint.api_model,
        endpoint__system_prompt=endpoint.system_prompt,
        endpoint__extra_body=endpoint.extra_body,
    )
    has_figures = public.exists() or ReferenceScore.objects.filter(model=endpoint.model_id).exists()
    return OTHER_SOURCE.format(endpoint.model.name) if has_figures and not own.exists() else ""


def doubt_about_scale(run: Run) -> str:
    """That replies of a run rate in per cent, parts of five, decimals that were cut: its score may mean nothing."""
    if not kind_of(run.benchmark).item_parts.are_whole:
        return ""  # its answers are no ratings from 0 to 10
    rated = run.results.filter(state=ItemState.READ)
    counts = {flag: rated.filter(flags__contains=flag).count() for flag in SCALE_FLAGS}
    found = [f"{flag}: {n}" for flag, n in counts.items() if n]
    return OTHER_SCALE.format(read=rated.count(), n=max(counts.values()), flags=", ".join(found)) if found else ""


def is_trusted(owner: str) -> bool:
    """Whether this network of a submitter lies in one of SUBMISSIONS_TRUSTED_NETWORKS. "" and what is none never do."""
    try:
        network = ip_network(owner)
    except ValueError:
        return False
    trusted = map(ip_network, settings.SUBMISSIONS_TRUSTED_NETWORKS)
    return any(network.version == known.version and network.subnet_of(known) for known in trusted)  # type: ignore[arg-type]
