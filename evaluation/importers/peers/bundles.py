"""Which files make one run, and the run that they make: joined by where they lie, checked by what they hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.importers.eqbench_files import file_name
from evaluation.importers.eqbench_runs import Imported, import_official_file
from evaluation.importers.peers.evalscope import read_evalscope
from evaluation.importers.peers.files import PeerRun, ResultFile, read_file
from evaluation.importers.peers.forms import Form, first_line, form_of
from evaluation.importers.peers.lm_eval import read_lm_eval, stamp_of
from evaluation.importers.peers.matching import MaySee, everything
from evaluation.importers.peers.storing import import_peer_run
from evaluation.importers.questionnaire_files import COLUMNS, models_in, rows_of_model
from evaluation.importers.questionnaires import import_questionnaires
from evaluation.importers.refusals import FileError, Refusal

SUFFIXES = (".json", ".jsonl", ".csv")
HOLDS_ANSWERS = frozenset({Form.OFFICIAL, Form.SAMPLES, Form.REVIEWS, Form.QUESTIONNAIRES, Form.UNKNOWN})
"""A file that is not recognised may be a broken one of these, so it is refused and not passed over."""

_ALONE = {
    Form.RESULTS: (
        (
            "results alone hold no answers. Put the samples_….jsonl of the run into the same folder; lm-eval writes it "
            "with --log_samples"
        ),
        Refusal.RESULTS_ALONE,
    ),
    Form.REPORT: (
        "a report alone holds no answers. Give the run's reviews/MODEL/eq_bench_….jsonl, or its whole folder",
        Refusal.REPORT_ALONE,
    ),
    Form.PREDICTIONS: (
        "predictions hold no scores. Give the run's reviews/MODEL/eq_bench_….jsonl, or its whole folder",
        Refusal.PREDICTIONS_ALONE,
    ),
    Form.OTHER_BENCHMARK: ("samples of another benchmark. Only eq_bench can be imported", Refusal.OTHER_TASK),
}


@dataclass(frozen=True, slots=True)
class Bundle:
    """A run's main file, the one that holds its answers. A file without answers makes a bundle too, to be refused.

    `model` names the run in a file that holds several.
    """

    path: Path
    form: Form
    model: str = ""

    @property
    def name(self) -> str:
        """As messages name it: evalscope gives all its reviews one name, in a folder that is named for the model."""
        name = file_name(self.path)
        if self.model:
            return f"{name} ({self.model})"
        return f"{file_name(self.path.parent)}/{name}" if self.form == Form.REVIEWS else name


def bundles_of(path: Path) -> list[Bundle]:
    """The runs in a file, or in a folder and all folders below it, in the order of their names. Empty without a file.

    In a folder, what only goes with other files and what is of other benchmarks is passed over, unless there is
    nothing else. A file that cannot be read is a bundle of unknown form, so that importing it says why.
    """
    if not path.is_dir():
        bundle = _bundle_of_file(path)
        return _by_model(bundle) if bundle.form == Form.QUESTIONNAIRES else [bundle]
    files = [file for file in sorted(path.rglob("*")) if file.suffix in SUFFIXES and file.is_file()]
    found = [each for file in files for each in _by_model(Bundle(file, _form(file)))]
    wanted = [bundle for bundle in found if bundle.form in HOLDS_ANSWERS or _is_lonely(bundle, found)]
    return _first_of_each_run(wanted or found)


def import_bundle(
    bundle: Bundle, *, configuration: str = "", new_model: bool = False, may_see: MaySee = everything
) -> Imported:
    """Stores the run of the bundle, or finds the one stored before. All or nothing.

    Args: `configuration` is how the model was set; such a run gets a row of its own. `new_model` says that a name which
        looks like a known model's is another model's. `may_see` says which banks whoever imports may see.

    Raises:
        FileError: refused; the text says why and what helps.
    """
    if bundle.form in _ALONE:
        raise FileError(*_ALONE[bundle.form])
    if bundle.form in {Form.SAMPLES, Form.REVIEWS}:
        peer = peer_run_of(bundle)
        return import_peer_run(peer, configuration=configuration, new_model=new_model, may_see=may_see)
    if bundle.form == Form.QUESTIONNAIRES:
        content = read_file(bundle.path).content
        name = file_name(bundle.path)
        return import_questionnaires(name, content, bundle.model, configuration=configuration, new_model=new_model)
    if bundle.path.suffix == ".csv":
        raise FileError(
            f"no table of questionnaires: its columns have to be {', '.join(COLUMNS)}", Refusal.FIELD_MISSING
        )
    if bundle.path.suffix == ".jsonl":
        raise FileError(*_unknown_lines(bundle.path))
    return import_official_file(bundle.path, configuration=configuration, new_model=new_model)


def peer_run_of(bundle: Bundle) -> PeerRun:
    """The run of a bundle of samples or reviews, read from all its files. Raises FileError."""
    main = read_file(bundle.path)
    if bundle.form == Form.SAMPLES:
        return read_lm_eval(main, _results_of(main))
    return read_evalscope(_reviews_of(main), _report_of(main), _config_of(main))


def files_of(bundle: Bundle) -> tuple[ResultFile, ...]:
    """All files that make the run, the one of the bundle first; that one alone for any other form. Raises FileError."""
    main = read_file(bundle.path)
    if bundle.form == Form.SAMPLES:
        return main, _results_of(main)
    if bundle.form == Form.QUESTIONNAIRES:
        return (ResultFile(main.path, rows_of_model(main.content, bundle.model)),)
    if bundle.form != Form.REVIEWS:
        return (main,)
    others = [file for file in _reviews_of(main) if file.path != main.path]
    config = _config_of(main)
    return main, *others, _report_of(main), *([config] if config else [])


def _form(path: Path) -> Form:
    try:
        return form_of(read_file(path))
    except FileError:
        return Form.UNKNOWN


def _by_model(bundle: Bundle) -> list[Bundle]:
    """A bundle a model of a table of questionnaires; any other bundle as it is. Tables of other things hold no run."""
    if bundle.form != Form.QUESTIONNAIRES:
        return [] if bundle.path.suffix == ".csv" else [bundle]
    models = models_in(read_file(bundle.path).content)
    return [Bundle(bundle.path, bundle.form, model) for model in models] or [bundle]


def _bundle_of_file(path: Path) -> Bundle:
    """The run of one file; of results or a report, the run of the answers beside it where there is just one."""
    bundle = Bundle(path, _form(path))
    answers = _answers_beside(bundle)
    return answers[0] if len(answers) == 1 else bundle


def _answers_beside(bundle: Bundle) -> list[Bundle]:
    if bundle.form == Form.RESULTS:
        found = _of_form(bundle.path.parent.glob("*.jsonl"), Form.SAMPLES)
        stamped = [file for file in found if f"results_{stamp_of(file.name)}.json" == bundle.path.name]
        return [Bundle(file.path, Form.SAMPLES) for file in stamped or found]
    if bundle.form == Form.REPORT:
        folder = bundle.path.parent
        beside = [*folder.glob("*.jsonl"), *(folder.parent.parent / "reviews" / folder.name).glob("*.jsonl")]
        return _first_of_each_run([Bundle(file.path, Form.REVIEWS) for file in _of_form(beside, Form.REVIEWS)])
    return []


def _is_lonely(bundle: Bundle, found: Sequence[Bundle]) -> bool:
    """Whether these are results of EQ-Bench without their answers, which somebody forgot to keep."""
    if bundle.form == Form.RESULTS and b'"eqbench,none"' in read_file(bundle.path).content:
        return not any(other.form == Form.SAMPLES and other.path.parent == bundle.path.parent for other in found)
    return False


def _first_of_each_run(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Reviews of one model in one folder are one run, whose subsets stand in files of their own."""
    runs: dict[object, Bundle] = {}
    for bundle in bundles:
        key = (
            (bundle.path.parent, _model(read_file(bundle.path)))
            if bundle.form == Form.REVIEWS
            else (bundle.path, bundle.model)
        )
        runs.setdefault(key, bundle)
    return list(runs.values())


def _of_form(paths: Iterable[Path], form: Form) -> list[ResultFile]:
    files = [read_file(path) for path in sorted(paths) if path.is_file()]
    return [file for file in files if form_of(file) == form]


def _results_of(samples: ResultFile) -> ResultFile:
    found = _of_form(samples.path.parent.glob("*.json"), Form.RESULTS)
    stamped = [file for file in found if file.name == f"results_{stamp_of(samples.name)}.json"]
    return _only(
        stamped or found, "results_….json that lm-eval wrote with these samples", "its folder", Refusal.NO_RESULTS
    )


def _reviews_of(main: ResultFile) -> list[ResultFile]:
    beside = _of_form(main.path.parent.glob("*.jsonl"), Form.REVIEWS)
    return [file for file in beside if _model(file) == _model(main)]


def _model(reviews: ResultFile) -> str:
    """The model that the first line names; empty where it names none."""
    messages = first_line(reviews).get("messages")
    listed = messages if isinstance(messages, list) else []
    named = [str(message.get("model")) for message in listed if isinstance(message, dict) and "model" in message]
    return named[-1] if named else ""


def _report_of(reviews: ResultFile) -> ResultFile:
    folder = reviews.path.parent
    beside = [*folder.glob("*.json"), *(folder.parent.parent / "reports" / folder.name).glob("*.json")]
    found = _of_form(beside, Form.REPORT)
    ours = [file for file in found if b'"eq_bench"' in file.content]
    place = f"reports/{folder.name}/ of the run, or its folder"
    return _only(ours or found, "report eq_bench.json of the run", place, Refusal.NO_REPORT)


def _config_of(reviews: ResultFile) -> ResultFile | None:
    path = reviews.path.parent.parent.parent / "configs" / "task_config.yaml"
    return read_file(path) if path.is_file() else None


def _only(found: Sequence[ResultFile], wanted: str, place: str, lacking: Refusal) -> ResultFile:
    if len(found) != 1:
        count = "There is no" if not found else f"There are {len(found)} files, of which one must be the"
        raise FileError(
            f"{count} {wanted}. Put it, and no other, into {place}", Refusal.SEVERAL_RUNS if found else lacking
        )
    return found[0]


def _unknown_lines(path: Path) -> tuple[str, Refusal]:
    keys = first_line(read_file(path))
    reason = "" if keys else ": line 1 is no whole JSON object. Is the file cut off? Copy it again"
    refusal = Refusal.NEITHER_FORM if keys else Refusal.EDITED_FILE
    return f"neither samples of lm-eval nor reviews of evalscope{reason}", refusal
