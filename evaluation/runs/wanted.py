"""What somebody wants evaluated, checked: the `evaluate` command and `evaluation.evaluate` ask by the same options."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from django.conf import settings

from evaluation.benchmarks import BENCHMARKS, JUDGES_OF, why_no_run
from evaluation.benchmarks.base import Benchmark
from evaluation.command_line import command_line
from evaluation.endpoints.client import normalise_base_url
from evaluation.endpoints.json_text import storable
from evaluation.importers.banks import listed_for
from evaluation.importers.configurations import configured
from evaluation.importers.names import other_spelling
from evaluation.models import Driver, Endpoint, ItemBank, LanguageModel
from evaluation.runs import runner
from evaluation.runs.opening import RunRequest
from evaluation.runs.slices import Limits
from evaluation.signs import hides_something, spelled


class Refused(ValueError):
    """An option that cannot be; `option` names it as Python does, or is "" where the sentence says all."""

    def __init__(self, option: str, sentence: str) -> None:
        super().__init__(f"{option}: {sentence}" if option else sentence)
        self.option = option
        self.sentence = sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of one evaluation. None takes what the benchmark, or the setting, has.

    A whole run is listed as soon as it ends, unless `published` is False. `judging` lets the judges of the board read
    its replies, where they read those of the benchmark. `new_model` says that a name which looks like
    a known one is another model's.
    """

    base_url: str
    model: str
    configuration: str = ""
    new_model: bool = False
    api_model: str | None = None
    benchmark: str = "eq-bench-v2"
    bank: str | None = None
    repeats: int = 1
    limit: int | None = None
    concurrency: int = 8
    max_tokens: int | None = None
    timeout_seconds: float | None = None
    switched: Collection[str] = ()
    variant: str | None = None
    system_prompt: str = ""
    published: bool = True
    judging: bool = False

    def request(self) -> RunRequest:
        """Raises Refused."""
        self._check()
        benchmark = BENCHMARKS[self.benchmark]
        return RunRequest(
            model=self._name(),
            base_url=self._address(),
            api_model=self.api_model or self.model.strip(),
            benchmark=benchmark,
            bank=_bank(self.bank or _own_bank(benchmark), benchmark.bank),
            repeats=self.repeats,
            limit=self.limit,
            concurrency=self.concurrency,
            max_tokens=self.max_tokens or benchmark.generation.max_tokens,
            timeout_seconds=self.timeout_seconds or settings.ENDPOINT_TIMEOUT_SECONDS,
            switched=frozenset(self.switched),
            variant=benchmark.variants[0] if self.variant is None else self.variant,
            system_prompt=self.system_prompt,
            driver=Driver.COMMAND,
            published=self.published,
            judging=self.judging,
        )

    def _check(self) -> None:
        if without := why_no_run(self.benchmark):
            raise Refused("benchmark", without)
        if self.benchmark not in BENCHMARKS:
            raise Refused("benchmark", f"{self.benchmark} is none of {', '.join(sorted(BENCHMARKS))}.")
        longest = LanguageModel._meta.get_field("name").max_length or 0
        if not self.model.strip() or len(self._name()) > longest:
            raise Refused("model", f"a name of 1 to {longest} characters is needed.")
        if hides_something(self._name()):
            raise Refused("model", f"{spelled(self._name())} holds a character that cannot be seen. Delete it.")
        longest = Endpoint._meta.get_field("api_model").max_length or 0
        if self.api_model and len(self.api_model) > longest:
            raise Refused("api_model", f"a name of at most {longest} characters is needed.")
        if storable(self.system_prompt)[1]:
            raise Refused("system_prompt", "it holds NUL or half of a character, which no database takes. Delete it.")
        self._check_spelling()
        self._check_switches()
        for option in ("repeats", "limit", "concurrency", "max_tokens", "timeout_seconds"):
            _check_number(option, getattr(self, option))

    def _name(self) -> str:
        """The name of the row. Raises Refused."""
        try:
            return configured(self.model.strip(), self.configuration)
        except ValueError as error:
            raise Refused("configuration", str(error)) from None

    def _check_spelling(self) -> None:
        name = self._name()
        known = "" if self.new_model else other_spelling(name)
        if known:
            raise Refused(
                "model",
                f"the board knows a model as {known}. Give that name; or, if {name} is another model, say so by "
                "--new-model (in Python: new_model=True).",
            )

    def _check_switches(self) -> None:
        benchmark = BENCHMARKS[self.benchmark]
        known = {switch.name for switch in benchmark.switches}
        if self.judging and benchmark.name not in JUDGES_OF.values():
            raise Refused("judging", f"no judge reads the replies of {benchmark.name}.")
        for option in self.switched:
            if option not in known:
                raise Refused(option, f"{benchmark.name} has no such option.")
        if self.variant is not None and self.variant not in benchmark.variants:
            known_variants = ", ".join(filter(None, benchmark.variants)) or "none"
            raise Refused("variant", f"{self.variant} is no variant of {benchmark.name}. Known: {known_variants}.")

    def _address(self) -> str:
        try:
            return normalise_base_url(self.base_url)
        except ValueError as error:
            raise Refused("base_url", str(error)) from None


def checked_pace(*, concurrency: int | None, timeout_seconds: float | None) -> dict[str, float]:
    """Those that are not None, by the names that a run's settings have for them. Raises Refused."""
    given = {"concurrency": concurrency, "timeout_seconds": timeout_seconds}
    pace = {option: value for option, value in given.items() if value is not None}
    for option, value in pace.items():
        _check_number(option, value)
    return pace


def _check_number(option: str, value: object) -> None:
    """A notebook hands over whatever it has; None is the default of those that may be. Raises Refused."""
    kind = float if option == "timeout_seconds" else int
    if value is None and option not in {"repeats", "concurrency"}:
        return
    if isinstance(value, bool) or not isinstance(value, (int, kind)):
        raise Refused(option, f"{value!r} is not of type {kind.__name__}.")
    if not value > 0:
        raise Refused(option, f"{value} is not above zero.")
    if math.isinf(value):
        raise Refused(option, "a limit is needed.")  # JSON, in which a run's settings are kept, has no infinity
    most = settings.ENDPOINT_MAX_CONCURRENCY
    if option == "concurrency" and value > most:
        raise Refused(option, f"at most {most} (the setting ENDPOINT_MAX_CONCURRENCY).")


def _own_bank(benchmark: Benchmark) -> str:
    listed = listed_for(benchmark)
    return listed.slug if listed else benchmark.bank


def _bank(slug: str, family: str) -> ItemBank:
    bank = ItemBank.objects.filter(slug=slug).first()
    if bank is None:
        raise Refused("", f"The bank {slug} is not loaded. Load it first: {command_line('load_bank', slug)}")
    if bank.benchmark != family:
        raise Refused("", f"The bank {slug} is for {bank.benchmark}, not for {family}.")
    return bank


def whole_run() -> Limits:
    """No slices: one process, one run."""
    return replace(runner.limits_from_settings(), slice=float("inf"))
