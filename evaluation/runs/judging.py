"""Opening the runs of judges: each enabled judge rates the replies of each run whose submitter agreed to it.

A judge's run is a run like any other, on the same queue. That there is one for each subject and judge is held by the
constraint `one_judgement`, so this may be called twice, and by two at once.
"""

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from evaluation.benchmarks import BENCHMARKS, JUDGES_OF
from evaluation.benchmarks.base import Benchmark, JsonValue
from evaluation.importers.names import model_named
from evaluation.keys.endpoint_keys import store_key
from evaluation.models import Access, Driver, Endpoint, Judge, Origin, Run, Status
from evaluation.runs.opening import RunRequest, asks_of, new_seed, place_in_line
from evaluation.runs.subjects import subject_texts
from evaluation.runs.summaries import as_item

SLUG_LENGTH = 30  # the column's width
VARIANT = "judge-"
"""How the variant of a judge's runs begins; the judge's slug follows, so that no ranking holds two judges."""


def prompt_version(benchmark: Benchmark) -> str:
    """The part of a scorer's version before its dot: `empathy-judged/1.2` reads the answers to prompt 1 by rules 2.

    New rules of reading rate no reply anew, so a judge that was registered before them goes on.
    """
    return benchmark.scorer_version.rpartition("/")[2].partition(".")[0]


def variant_of(judge: Judge) -> str:
    return f"{VARIANT}{judge.slug}"


def slug_of(variant: str) -> str:
    """The slug of the judge in the variant of a run or a ranking; "" where it names none."""
    return variant.removeprefix(VARIANT) if variant.startswith(VARIANT) else ""


def judge_names() -> dict[str, str]:
    """Slug -> name of each judge. One query."""
    return dict(Judge.objects.order_by().values_list("slug", "name"))


def judge_of(run: Run) -> Judge | None:
    """Who judges in this run; None for a run that judges nothing."""
    return Judge.objects.filter(endpoint=run.endpoint_id).first() if run.subject_id and run.endpoint_id else None


@transaction.atomic
def register_judge(
    *,
    name: str,
    maker: str,
    base_url: str,
    api_model: str,
    key: str = "",
    benchmark: str = "empathy-judged",
    slug: str = "",
    max_tokens: int = 1024,
    concurrency: int = 4,
    is_demo: bool = False,
    extra_body: Mapping[str, JsonValue] | None = None,
) -> Judge:
    """A new judge with an endpoint of its own, whose key is sealed and stays until somebody erases it.

    Raises:
        ValueError: with a sentence, for a key that can be none, or a name that is taken or makes no slug.
    """
    slug = slug or slugify(name)[:SLUG_LENGTH].strip("-")
    if not slug or Judge.objects.filter(Q(slug=slug) | Q(name=name)).exists():
        raise ValueError("There is a judge of this name already, or the name has no letter that an address may hold.")
    model = model_named(api_model)
    if not model.organisation:
        model.organisation = maker
        model.save(update_fields=["organisation"])
    endpoint = Endpoint.objects.create(
        model=model,
        base_url=base_url,
        api_model=api_model,
        keep_key=True,
        max_concurrency=concurrency,
        extra_body=dict(extra_body or {}),
    )
    if key:
        store_key(endpoint, key)
    return Judge.objects.create(
        name=name,
        slug=slug,
        maker=maker,
        endpoint=endpoint,
        benchmark=benchmark,
        prompt_version=prompt_version(BENCHMARKS[benchmark]),
        max_tokens=max_tokens,
        is_demo=is_demo,
    )


def open_judge_runs(
    subject_id: int | None = None, *, judge: Judge | None = None, cancelled_too: bool = False
) -> list[int]:
    """Opens what is missing, of that run or of all; returns the ids of the new runs.

    Args:
        judge: The one whose runs are opened; None for all that are enabled.
        cancelled_too: Whether a judge's run that was cancelled is opened again, as a person may ask for.
    """
    opened = []
    judges = Judge.objects.filter(enabled=True).select_related("endpoint")
    for each in judges.filter(pk=judge.pk) if judge else judges:
        for subject in _unjudged(each, subject_id, cancelled_too=cancelled_too):
            run = _opened(each, subject)
            opened += [run.pk] if run else []
    return opened


def judgeable() -> QuerySet[Run]:
    """Runs whose replies may go to a judge: whole, ended, with the submitter's consent, on a bank that is open.

    The texts of other banks never leave for a third party.
    """
    return Run.objects.filter(
        benchmark__in=JUDGES_OF.values(),
        status=Status.FINISHED,
        judging=True,
        limit__isnull=True,
        bank__access=Access.OPEN,
        origin__in=(Origin.MEASURED, Origin.IMPORTED, Origin.DEMO),
        replies_erased_at__isnull=True,
        manifest__isnull=False,
    )


def _unjudged(judge: Judge, subject_id: int | None, *, cancelled_too: bool) -> Iterator[Run]:
    benchmark = BENCHMARKS.get(judge.benchmark)
    if benchmark is None or judge.benchmark not in JUDGES_OF or judge.prompt_version != prompt_version(benchmark):
        return
    known = Run.objects.filter(subject=OuterRef("pk"), endpoint=judge.endpoint_id, benchmark=judge.benchmark)
    if cancelled_too:
        known = known.exclude(status=Status.CANCELLED)
    of_it = Q() if subject_id is None else Q(pk=subject_id)
    demo = Q(origin=Origin.DEMO)
    of_it &= demo if judge.is_demo else ~demo  # neither rates the other's, or a real judge would be paid for scripts
    missing = judgeable().filter(of_it, ~Exists(known), benchmark=JUDGES_OF[judge.benchmark])
    yield from missing.select_related("bank", "model").order_by("pk").iterator(chunk_size=100)


def _opened(judge: Judge, subject: Run) -> Run | None:
    """The new run; None where another process made it, or the consent was withdrawn, in this moment."""
    try:
        with transaction.atomic():
            # The lock lets a withdrawal wait, which then finds this run and cancels it.
            if not judgeable().select_for_update(of=("self",), no_key=True).filter(pk=subject.pk).exists():
                return None
            return _create(judge, subject)
    except IntegrityError:
        return None


def _create(judge: Judge, subject: Run) -> Run:
    benchmark, endpoint, variant = BENCHMARKS[judge.benchmark], judge.endpoint, variant_of(judge)
    rows = list(subject.bank.items.order_by("number"))
    replied = subject_texts(Run(subject_id=subject.pk))
    asked = [as_item(row) for row in rows if row.pk in replied]
    repeats = max((benchmark.repeats(item, 1, variant) for item in asked), default=1)
    origin = Origin.DEMO if subject.origin == Origin.DEMO else Origin.MEASURED  # replies of a file are judged here
    request = RunRequest(
        model=subject.model.name,
        base_url=endpoint.base_url,
        api_model=endpoint.api_model,
        benchmark=benchmark,
        bank=subject.bank,
        repeats=repeats,
        limit=None,
        concurrency=endpoint.max_concurrency,
        max_tokens=judge.max_tokens,
        timeout_seconds=settings.ENDPOINT_TIMEOUT_SECONDS,
    )
    return Run.objects.create(
        model=subject.model,
        endpoint=endpoint,
        bank=subject.bank,
        subject=subject,
        benchmark=benchmark.name,
        origin=origin,
        driver=Driver.WORKER,
        published=subject.published,
        repeats=repeats,
        n_items=len(rows),
        n_asks=asks_of(benchmark, asked, repeats, variant),
        variant=variant,
        seed=new_seed(),
        ranks=bool(benchmark.measures),
        settings=request.settings(),
        queued_at=Now(),
        **place_in_line(endpoint, Driver.WORKER, origin),
    )
