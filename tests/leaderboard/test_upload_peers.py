"""Results of peers by upload: several files or one zip, real ones, with the preview; and zips that mean no good."""

import stat
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from evaluation.models import Access, ItemBank, Run
from leaderboard.models import Standing, UploadedResults
from tests.evaluation.peer_files import (
    DATA,
    EVALSCOPE,
    LM_EVAL,
    Rows,
    edit_rows,
    report_of,
    results_of,
    reviews_of,
    samples_of,
    unpacked,
)
from tests.leaderboard.staff import logged_in, root
from tests.leaderboard.test_upload_results import confirm, file_of, look

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MB = 1024 * 1024


@pytest.fixture
def _bank() -> None:
    call_command("load_bank", "eq-open-v1", verbosity=0)


def from_disk(*paths: Path) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(path.name, path.read_bytes()) for path in paths]


def zipped(entries: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return packed.getvalue()


def zip_of(content: bytes, name: str = "run.zip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "application/zip")


@pytest.mark.usefixtures("_bank")
def test_two_files_of_lm_eval_are_one_run_whose_preview_says_where_the_scorings_part(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "mixed", tmp_path)
    client = root()
    html = look(client, *from_disk(samples_of(folder), results_of(folder)))
    for words in (
        f"{samples_of(folder).name} with {results_of(folder).name}",
        "A run of maker/Mixed-8B, a new model, on EQ Open v1: 42 of 60 items, no score, since too little could be read",
        "the file says 16.00.",
        "lm-eval 0.4.13 gives 16.00, where an unreadable reply counts as 0.",
        "By the rule that it scores by, eq-bench-v2-code, what is read here gives no score.",
        "22 replies read by both, with the same score.",
        "20 replies read here alone: items 1, 5, 8, 9, 10, 16, 24, 27, 36, 37, 38, 39 and 8 more.",
        "10 replies read there alone: items 2, 6, 22, 28, 40, 42, 44, 45, 49, 51.",
    ):
        assert words in html
    assert not Run.objects.exists()
    assert "Imported as run" in confirm(client)
    run = Run.objects.get()
    assert (run.source, run.results.count(), run.n_scored) == (samples_of(folder).name, 60, 42)
    assert not UploadedResults.objects.exists()


@pytest.mark.usefixtures("_bank")
def test_who_may_not_see_items_learns_by_uploads_neither_a_prompt_nor_a_reference_of_a_private_bank(
    tmp_path: Path,
) -> None:
    """The check of the files' references would tell, guess by guess, which one is right."""
    ItemBank.objects.update(access=Access.PRIVATE, slug="office", title="Private bank office")
    user = User.objects.create(username="importer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="add_run"))
    folder = unpacked(LM_EVAL, "random", tmp_path)
    right = look(logged_in(user), *from_disk(samples_of(folder), results_of(folder)))
    edit_rows(samples_of(folder), spoil_reference)
    wrong = look(logged_in(user), *from_disk(samples_of(folder), results_of(folder)))
    assert "No loaded item bank holds any of the prompts" in right
    assert said_of(right) == said_of(wrong)
    assert "office" not in right
    assert "is not the reference of item" in look(root(), *from_disk(samples_of(folder), results_of(folder)))


def said_of(html: str) -> str:
    return html.partition("<table")[2].partition("</table>")[0]


def spoil_reference(rows: Rows) -> None:
    doc = rows[0]["doc"]
    doc["reference_answer_fullscale"] = doc["reference_answer_fullscale"].replace("_score': 7", "_score': 8")


@pytest.mark.usefixtures("_bank")
def test_two_files_of_evalscope_without_their_folders_are_one_run(tmp_path: Path) -> None:
    folder = unpacked(EVALSCOPE, "random", tmp_path)
    client = root()
    assert "created" in look(client, *from_disk(reviews_of(folder), report_of(folder)))
    confirm(client)
    run = Run.objects.get()
    assert (run.model.name, run.n_scored) == ("maker/Random-1B", 60)
    assert Standing.objects.get().model == run.model


@pytest.mark.usefixtures("_bank")
def test_a_zip_of_several_runs_is_taken_apart_and_again_changes_nothing() -> None:
    client, archive = root(), (DATA / f"{EVALSCOPE}.zip").read_bytes()
    html = look(client, zip_of(archive))
    assert html.count('class="verdict-created"') == 4
    assert "Import 4 runs" in html
    assert html.count('class="verdict-passed-over"') == 1, "the predictions, which the reviews repeat"
    assert "2 passes, a part of the bank, which never ranks" in html
    assert confirm(client).count("Imported as run") == 4
    run = Run.objects.get(model__name="maker/Mixed-8B")
    assert (run.source, str(run.finished_at)[:16]) == ("Mixed-8B/eq_bench_default.jsonl", "2026-11-28 02:38")
    again = look(client, zip_of(archive))
    assert again.count("were imported before, as run") == 4
    assert "There is nothing to import" in again
    assert Run.objects.count() == 4


@pytest.mark.usefixtures("_bank")
def test_what_the_upload_makes_is_what_the_command_makes(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "random", tmp_path)
    client = root()
    look(client, *from_disk(samples_of(folder), results_of(folder)))
    confirm(client)
    call_command("import_results", str(folder), verbosity=0)
    assert Run.objects.count() == 1


@pytest.mark.usefixtures("_bank")
@pytest.mark.parametrize(
    ("archive", "chosen", "sentence", "fix"),
    [
        (LM_EVAL, [samples_of], "There is no results_….json", "Choose the results_….json together with the samples"),
        (LM_EVAL, [results_of], "Results alone hold no answers", "Choose the samples_….jsonl of the run together"),
        (EVALSCOPE, [reviews_of], "There is no report eq_bench.json", "Choose the run's reports/MODEL/eq_bench.json"),
        (EVALSCOPE, [report_of], "A report alone holds no answers", "Choose the run's reviews/MODEL/eq_bench_….jsonl"),
    ],
)
def test_half_of_a_run_is_refused_with_what_to_choose_besides(
    tmp_path: Path, archive: str, chosen: list[Callable[[Path], Path]], sentence: str, fix: str
) -> None:
    folder = unpacked(archive, "limit", tmp_path)
    html = look(root(), *from_disk(*(find(folder) for find in chosen)))
    assert sentence in html
    assert f"<b>What to do:</b> {fix}" in html
    assert not UploadedResults.objects.exists()


@pytest.mark.usefixtures("_bank")
def test_a_cut_line_is_named_with_its_file_and_what_to_do(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "limit", tmp_path)
    samples = samples_of(folder)
    lines = samples.read_bytes().split(b"\n")
    samples.write_bytes(b"\n".join([*lines[:3], lines[3][:100], *lines[4:]]))
    html = look(root(), *from_disk(samples, results_of(folder)))
    assert f"{samples.name}: " in html
    assert "line 4" in html
    assert "The file was cut or edited at that line." in html


def test_an_unloaded_bank_is_named_with_the_command_that_loads_it(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "limit", tmp_path)
    html = look(root(), *from_disk(samples_of(folder), results_of(folder)))
    assert "manage.py load_bank eq-open-v1" in html
    assert "Load the item bank on the server" in html


@pytest.mark.usefixtures("_bank")
def test_other_files_of_the_folder_are_passed_over_and_named(tmp_path: Path) -> None:
    folder = unpacked(LM_EVAL, "limit", tmp_path)
    other = SimpleUploadedFile("samples_mmlu.jsonl", b'{"doc_id": 0, "resps": [], "acc": 1}\n')
    html = look(root(), *from_disk(samples_of(folder), results_of(folder)), other)
    assert "samples_mmlu.jsonl" in html
    assert "passed over" in html
    assert "Import 1 run<" in html


def encrypted() -> bytes:
    """The bit that says so is set in both headers of the entry."""
    content = bytearray(zipped({"run.json": b"{}"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    return bytes(content)


def spoiled() -> bytes:
    content = bytearray(zipped({"run.json": b'{"a": "some text that is compressed"}' * 20}))
    content[45:60] = b"\xff" * 15
    return bytes(content)


def lying() -> bytes:
    """Says of 21 MB that they are 10 bytes."""
    content = bytearray(zipped({"run.json": b" " * (21 * MB)}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(mark) + offset
        content[at : at + 4] = (10).to_bytes(4, "little")
    return bytes(content)


def linked() -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        link = ZipInfo("run.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda: b"no zip", "A broken zip, or none at all"),
        (lambda: zipped({"run.json": b"{}"})[:-10], "A broken zip, or none at all"),
        (lambda: zipped({"run.json": b"{}"})[10:], "A broken zip, or none at all"),
        (
            lambda: zipped({"run.json": b"{}"}).replace(b"run.json", b"\0un.json"),
            "A zip without a .json, .jsonl or .csv file",
        ),
        (lambda: zipped({"é.json": b"{}"}).replace("é".encode(), b"\xff\xfe"), "A broken zip, or none at all"),
        (spoiled, "A broken zip, or none at all"),
        (encrypted, "run.json in the zip is encrypted"),
        (lambda: zipped({"run.json": b"{}"}, ZIP_LZMA), "compressed in a way that is not read here"),
        (lambda: zipped({"../run.json": b"{}"}), "the path ../run.json, which leads out of it"),
        (lambda: zipped({"a/../../run.json": b"{}"}), "which leads out of it"),
        (lambda: zipped({"/etc/run.json": b"{}"}), "the path /etc/run.json, which leads out of it"),
        (lambda: zipped({"C:\\run.json": b"{}"}), "which leads out of it"),
        (lambda: zipped({f"{'x' * 300}.json": b"{}"}), "which is too long"),
        (lambda: zipped({f"{'x/' * 30}run.json": b"{}"}), "which is too long"),
        (
            lambda: zipped({"a.json": b"{}", "a.json/b.json": b"{}"}),
            "b.json stands in a path that is a file and a folder at once",
        ),
        (lambda: zipped({"run.json": b"{}", "run.JSON": b"{}"}), "run.json stands twice in this upload"),
        (lambda: zipped({"notes.txt": b"hello", ".hidden.json": b"{}"}), "A zip without a .json, .jsonl or .csv file"),
        (lambda: zipped({f"{n}.txt": b"" for n in range(2001)}), "A zip of 2001 files, more than 2000"),
        (lambda: zipped({"run.json": b" " * (21 * MB)}), "run.json in the zip is larger than 20 MB"),
        (lying, "A broken zip, or none at all"),
        (linked, "Broken JSON at line 1"),
        (lambda: b" " * (20 * MB + 1), "Larger than 20 MB"),
    ],
)
def test_a_zip_that_is_no_good_is_refused_with_what_to_do(content: Callable[[], bytes], words: str) -> None:
    html = look(root(), zip_of(content()))
    assert words in html
    assert "What to do:" in html
    assert not UploadedResults.objects.exists()


@pytest.mark.thorough
def test_a_zip_that_swells_is_stopped_at_a_hundred_megabytes() -> None:
    html = look(root(), zip_of(zipped({f"{n}.json": b" " * (19 * MB) for n in range(6)})))
    assert "larger than 100 MB together" in html


def test_a_bad_zip_does_not_stop_the_files_beside_it_and_names_do_not_collide() -> None:
    html = look(root(), zip_of(b"no zip"), file_of(b"[", "run.json"), file_of(b"[", "run.json"), file_of(b"[", "a.txt"))
    assert "A broken zip" in html
    assert "run.json stands twice in this upload" in html
    assert "ends neither in .json nor in .jsonl, .csv or .zip" in html
    assert html.count('class="verdict-refused"') == 4


@pytest.mark.parametrize("name", ["...zip", "..zip", ".zip", "....zip"])
def test_a_zip_whose_name_is_dots_takes_no_other_file_with_it(name: str) -> None:
    spoilt = zip_of(zipped({"a.json": b"[", "../b.json": b"["}), name)
    html = look(root(), file_of(b"[", "run.json"), spoilt)
    assert html.count('class="verdict-refused"') == 2
    assert "run.json" in html


def test_a_zip_of_too_many_runs_is_refused_whole() -> None:
    html = look(root(), zip_of(zipped({f"{n}/run.json": b"[" for n in range(21)})))
    assert "The upload holds 21 runs, more than 20." in html


def test_an_upload_that_was_kept_in_an_unknown_form_is_refused_and_imports_nothing() -> None:
    client = root()
    UploadedResults.objects.create(file_name="old.json", content=b"x\x9c", uploaded_by=User.objects.get())
    assert "A broken zip, or none at all. (old.json)" in confirm(client)
    assert not Run.objects.exists()
