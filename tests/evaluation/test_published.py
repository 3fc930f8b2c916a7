"""Published figures: the shipped tables give the counts of the specification; bad tables are refused by line."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.importers.names import free_slug
from evaluation.importers.published import SHIPPED_FOLDER, page_models
from evaluation.models import LanguageModel, ReferenceScore
from tests.factories import make_model

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PAGE_HEADER = (
    "model,display_name,organisation,params,params_billion,open_weights,licence,release_date,"
    "eqbench_v2,magi_hard,n_parseable,source"
)
REFERENCE_HEADER = "model,benchmark,value,setting,as_of,source,match,matched_name,preferred"
PAGE_ROW = "maker/one,one,Maker,8x7,46.7,true,mit,2024-02,61.50,40.25,171,page @ abc; licence: card"
REFERENCE_ROW = "maker/one,mmlu,63.7,5-shot,2024-01-17,a board,exact,One,true"
Tables = Callable[..., Path]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    def write(page: list[str] | None = None, reference: list[str] | None = None) -> Path:
        page_lines = [PAGE_HEADER, *([PAGE_ROW] if page is None else page)]
        reference_lines = [REFERENCE_HEADER, *([REFERENCE_ROW] if reference is None else reference)]
        (tmp_path / "eqbench_v2.csv").write_text("\n".join(page_lines) + "\n")
        (tmp_path / "reference_benchmarks.csv").write_text("\n".join(reference_lines) + "\n")
        return tmp_path

    return write


def load(folder: Path) -> None:
    call_command("load_published", "--from", str(folder))


def preferred(benchmark: str) -> set[str]:
    page = ReferenceScore.objects.filter(benchmark="eq-bench-v2").values("model")
    rows = ReferenceScore.objects.filter(benchmark=benchmark, preferred=True, model__in=page)
    return set(rows.values_list("model__name", flat=True))


def test_the_shipped_tables_give_the_counts_of_the_specification(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_published")
    assert ReferenceScore.objects.filter(benchmark="eq-bench-v2").count() == 172
    counts = {name: len(preferred(name)) for name in ("mmlu", "arena_elo", "magi_hard", "mmlu_pro", "mt_bench", "arc")}
    assert counts == {"mmlu": 142, "arena_elo": 81, "magi_hard": 161, "mmlu_pro": 73, "mt_bench": 36, "arc": 88}
    assert ReferenceScore.objects.filter(benchmark="eq-bench-v1").count() == 32
    assert "172 models have an EQ-Bench v2 score; of these 142 have MMLU, 81 Arena Elo, 161 MAGI-Hard." in (
        capsys.readouterr().out
    )


def test_loading_a_second_time_changes_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_published")
    before = list(ReferenceScore.objects.order_by("pk").values()), list(LanguageModel.objects.order_by("pk").values())
    capsys.readouterr()
    call_command("load_published")
    after = list(ReferenceScore.objects.order_by("pk").values()), list(LanguageModel.objects.order_by("pk").values())
    assert before == after
    assert "Nothing to do" in capsys.readouterr().out


def test_the_random_baseline_of_the_page_is_no_model() -> None:
    call_command("load_published")
    assert not LanguageModel.objects.filter(name__startswith="random").exists()


def test_the_shipped_tables_hold_the_collected_figures(shared_data: Path) -> None:
    for name, columns in (
        ("eqbench_v2.csv", ["model", "eqbench_v2"]),
        ("reference_benchmarks.csv", ["model", "value"]),
    ):
        ours, theirs = ([[row[c] for c in columns] for row in read(folder / name)] for folder in (
            SHIPPED_FOLDER, shared_data / "published"))  # fmt: skip
        assert ours == theirs
        assert len(ours) > 170


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_facts_of_a_model_are_stored_with_the_precision_of_its_date(tables: Tables) -> None:
    load(tables())
    model = LanguageModel.objects.get(name="maker/one")
    assert (model.slug, model.organisation, model.params, model.params_billion) == ("maker-one", "Maker", "8x7", 46.7)
    assert model.open_weights is True
    assert (str(model.released_on), model.released_month_only) == ("2024-02-01", True)


def test_a_figure_keeps_its_setting_date_source_and_match(tables: Tables) -> None:
    load(tables())
    figure = ReferenceScore.objects.get(benchmark="mmlu")
    assert (figure.value, figure.setting, figure.as_of, figure.source) == (63.7, "5-shot", "2024-01-17", "a board")
    assert (figure.match, figure.matched_name, figure.preferred) == ("exact", "One", True)
    assert ReferenceScore.objects.get(benchmark="eq-bench-v2").source == "page @ abc"


def test_a_corrected_figure_is_updated_in_place(tables: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    load(tables())
    load(tables(reference=[REFERENCE_ROW.replace("63.7", "64.1")]))
    assert list(ReferenceScore.objects.filter(benchmark="mmlu").values_list("value", flat=True)) == [64.1]
    assert "Figures: 0 new, 1 changed." in capsys.readouterr().out


def test_a_figure_of_another_source_takes_over_the_preference(tables: Tables) -> None:
    load(tables())
    load(tables(reference=[REFERENCE_ROW.replace("a board", "a better board").replace("63.7", "64.1")]))
    rows = ReferenceScore.objects.filter(benchmark="mmlu").order_by("pk").values_list("value", "preferred")
    assert list(rows) == [(63.7, False), (64.1, True)]


def test_blank_cells_never_erase_what_is_known(tables: Tables) -> None:
    make_model("maker/one", licence="apache-2.0", open_weights=False, organisation="Known Maker")
    load(tables(page=["maker/one,,,,,,,,61.50,,,page"]))
    model = LanguageModel.objects.get(name="maker/one")
    assert (model.licence, model.open_weights, model.organisation) == ("apache-2.0", False, "Known Maker")


def test_a_model_that_only_the_second_table_has_is_created_from_its_name(tables: Tables) -> None:
    load(tables(reference=[REFERENCE_ROW.replace("maker/one,", "other/Two-7B,")]))
    model = LanguageModel.objects.get(name="other/Two-7B")
    assert (model.display_name, model.organisation, model.slug) == ("Two-7B", "other", "other-two-7b")


FURTHER_HEADER = "model,organisation,params,params_billion,open_weights,release_date,source"


def test_a_third_table_has_the_facts_of_models_that_only_the_second_names(tables: Tables) -> None:
    folder = tables(reference=[REFERENCE_ROW.replace("maker/one,", "other/Two,")])
    row = "other/Two,Another,8,8,false,2023-09,a snapshot of an API"
    (folder / "further_models.csv").write_text(f"{FURTHER_HEADER}\n{row}\n")
    load(folder)
    model = LanguageModel.objects.get(name="other/Two")
    assert (model.organisation, model.params_billion, model.open_weights) == ("Another", 8.0, False)
    assert (str(model.released_on), model.released_month_only) == ("2023-09-01", True)


def test_a_model_of_the_page_is_no_further_one(tables: Tables) -> None:
    folder = tables()
    (folder / "further_models.csv").write_text(f"{FURTHER_HEADER}\nmaker/one,Another,8,8,false,2023-09,a note\n")
    with pytest.raises(CommandError, match=r'further_models\.csv, line 2, model: "maker/one" has'):
        load(folder)


def test_every_model_of_an_api_names_its_maker() -> None:
    """Else statistics by open and closed weights leave the oldest of them out without a word."""
    call_command("load_published")
    old = LanguageModel.objects.filter(name__regex=r"^(text-|gpt-)")
    assert old.count() > 15
    assert {(model.organisation, model.open_weights) for model in old.exclude(name__startswith="gpt-oss")} == {
        ("OpenAI", False)
    }


def page_row(**changes: str) -> str:
    cells = dict(zip(PAGE_HEADER.split(","), PAGE_ROW.split(","), strict=True)) | changes
    return ",".join(cells.values())


def reference_row(**changes: str) -> str:
    cells = dict(zip(REFERENCE_HEADER.split(","), REFERENCE_ROW.split(","), strict=True)) | changes
    return ",".join(cells.values())


@pytest.mark.parametrize(
    ("page", "reference", "complaint"),
    [
        ([page_row(eqbench_v2="NaN")], None, 'eqbench_v2.csv, line 2, eqbench_v2: "NaN" is not a finite number'),
        ([page_row(magi_hard="1e400")], None, "eqbench_v2.csv, line 2, magi_hard"),
        ([page_row(eqbench_v2="")], None, "eqbench_v2.csv, line 2, eqbench_v2"),
        ([page_row(magi_hard="100.5")], None, "magi_hard: 100.5 is not between 0 and 100"),
        ([page_row(params_billion="-7")], None, "eqbench_v2.csv, line 2, params_billion"),
        ([page_row(open_weights="yes")], None, 'open_weights: "yes" is neither true nor false'),
        ([page_row(release_date="2024-13")], None, "eqbench_v2.csv, line 2, release_date"),
        ([page_row(model="")], None, "eqbench_v2.csv, line 2, model: is empty"),
        ([page_row(model="m" * 121)], None, "eqbench_v2.csv, line 2, model"),
        ([PAGE_ROW, PAGE_ROW], None, 'eqbench_v2.csv, line 3, model: "maker/one" has a row already'),
        ([PAGE_ROW + ",more"], None, "eqbench_v2.csv, line 2: has 13 cells where the header has 12"),
        (None, [REFERENCE_ROW, reference_row(value="Infinity", preferred="false")],
         'reference_benchmarks.csv, line 3, value: "Infinity" is not a finite number'),
        (None, [reference_row(value="1_0")], "reference_benchmarks.csv, line 2, value"),
        (None, [reference_row(value="630.7")], "value: 630.7 is not between 0 and 100"),
        (None, [reference_row(benchmark="mmmlu")], "reference_benchmarks.csv, line 2, benchmark"),
        (None, [reference_row(preferred="True")], 'preferred: "True" is neither true nor false'),
        (None, [reference_row(as_of="last week")], "reference_benchmarks.csv, line 2, as_of"),
        (None, [reference_row(source="")], "reference_benchmarks.csv, line 2, source: is empty"),
        (None, [REFERENCE_ROW, REFERENCE_ROW], "reference_benchmarks.csv, line 3, model: the same model"),
        (None, [REFERENCE_ROW, reference_row(setting="0-shot")],
         "line 3, preferred: maker/one has a preferred value for mmlu already"),
    ],
)  # fmt: skip
def test_a_bad_cell_is_refused_with_file_line_and_field_and_nothing_is_loaded(
    tables: Tables, page: list[str] | None, reference: list[str] | None, complaint: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(complaint)):
        load(tables(page, reference))
    assert not LanguageModel.objects.exists()
    assert not ReferenceScore.objects.exists()


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        (PAGE_HEADER + ",rank", "eqbench_v2.csv, line 1, rank: is no column of this table"),
        (PAGE_HEADER.replace(",licence", ""), "eqbench_v2.csv, line 1, licence: is missing from the header"),
        ("", "eqbench_v2.csv, line 1, model: is missing from the header"),
    ],
)
def test_a_header_with_other_columns_is_refused(tables: Tables, header: str, complaint: str) -> None:
    folder = tables()
    (folder / "eqbench_v2.csv").write_text(f"{header}\n")
    with pytest.raises(CommandError, match=re.escape(complaint)):
        load(folder)


def test_a_folder_without_the_tables_is_refused_by_file_name(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"eqbench_v2\.csv: cannot be read"):
        load(tmp_path)


def test_a_table_that_is_no_text_is_refused(tables: Tables) -> None:
    folder = tables()
    (folder / "reference_benchmarks.csv").write_bytes(b"\xff\xfe\x00model")
    with pytest.raises(CommandError, match=r"reference_benchmarks\.csv: is not a UTF-8 CSV file"):
        load(folder)


def test_official_run_files_are_joined_to_the_models_of_the_page() -> None:
    joined = page_models()
    assert len(joined) == 74
    file = "TheBloke__Yi-34B-Chat-GGUF_eqbench_v2_results.json"
    assert joined[file, "TheBloke/Yi-34B-Chat-GGUF"] == "01-ai/Yi-34B-Chat"


@pytest.mark.parametrize(
    ("name", "taken", "slug"),
    [
        ("01-ai/Yi-6B-Chat", (), "01-ai-yi-6b-chat"),
        ("a/vicuna-v1.1", ("a-vicuna-v1-1", "a-vicuna-v1-1-2"), "a-vicuna-v1-1-3"),
        ("模型", (), "model"),
    ],
)
def test_slugs_are_readable_and_free(name: str, taken: tuple[str, ...], slug: str) -> None:
    assert free_slug(name, taken) == slug
