"""Generated docs, settings and drawings."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values

from backends.settings import Settings
from graphs import NAMES
from scripts import docs, tables
from scripts.parameters import parameters
from state.errors import ConfigError

PAGE = "# Page\n\n<!-- begin: {} -->\nold\n<!-- end -->\n\nThe rest.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose generated files are up to date."""
    (tmp_path / "docs").mkdir()
    for name in NAMES:
        marks = (
            f"<!-- begin: {kind} {name} -->\n<!-- end -->\n" for kind in ("drawing", "parameters")
        )
        (tmp_path / "docs" / f"{name}.md").write_text("".join(marks))
    bring_up_to_date(tmp_path)
    return tmp_path


def bring_up_to_date(root: Path) -> None:
    for path, text in docs.outdated(root).items():
        docs.write(path, text)


def names(changed: dict[Path, Any]) -> list[str]:
    return [path.name for path in changed]


def test_a_checkout_that_was_written_is_up_to_date(checkout: Path) -> None:
    assert docs.outdated(checkout) == {}
    assert {path.stem for path in (checkout / "docs" / "graphs").iterdir()} == set(NAMES)


def test_a_changed_drawing_is_out_of_date(checkout: Path) -> None:
    (checkout / "docs" / "graphs" / "corrective.mmd").write_text("graph TD;\n")
    assert names(docs.outdated(checkout)) == ["corrective.mmd"]


def test_a_drawing_of_a_graph_that_is_gone_is_deleted(checkout: Path) -> None:
    stray = checkout / "docs" / "graphs" / "gone.mmd"
    stray.write_text("graph TD;\n")
    assert docs.outdated(checkout) == {stray: None}
    bring_up_to_date(checkout)
    assert not stray.exists()


def test_an_edited_table_is_out_of_date_and_text_around_it_is_kept(checkout: Path) -> None:
    page = checkout / "README.md"
    page.write_text(PAGE.format("settings"))
    assert names(docs.outdated(checkout)) == ["README.md"]
    bring_up_to_date(checkout)
    text = page.read_text()
    assert text.startswith("# Page\n\n<!-- begin: settings -->\n| variable |")
    assert text.endswith("|\n<!-- end -->\n\nThe rest.\n")


def test_a_graph_without_a_page_is_an_error_that_names_the_mark(checkout: Path) -> None:
    (checkout / "docs" / "corrective.md").unlink()
    with pytest.raises(ConfigError, match=r"docs/corrective\.md must have <!-- begin: drawing"):
        docs.outdated(checkout)


@pytest.mark.parametrize("mark", ["poem", "drawing", "drawing nonsense", "settings corrective"])
def test_a_mark_that_means_nothing_is_an_error_that_lists_the_marks(mark: str) -> None:
    with pytest.raises(ConfigError, match=r"Marks: drawing GRAPH, parameters GRAPH, graphs"):
        docs.filled(PAGE.format(mark), "page.md")


def test_a_block_without_an_end_is_an_error() -> None:
    with pytest.raises(ConfigError, match="does not end"):
        docs.filled("<!-- begin: settings -->\n| a |\n", "page.md")


def test_marks_that_are_indented_are_an_example_and_stay() -> None:
    text = "    <!-- begin: settings -->\n    <!-- end -->\n"
    assert docs.filled(text, "page.md") == text


def test_the_table_of_parameters_has_every_parameter_with_default_and_bounds() -> None:
    rows = tables.parameter_table("corrective").splitlines()[2:]
    assert len(rows) == len(parameters("corrective"))
    assert rows[0].startswith("| `top_k` | `4` | 1 to 50 | ")


def test_every_setting_can_be_set_by_the_names_in_its_table() -> None:
    table = tables.settings_table()
    for field in Settings.model_fields:
        for variable in tables.variables(field):
            assert f"`{variable}`" in table


def test_the_example_of_env_holds_the_defaults_once_it_is_uncommented(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text(re.sub(r"^# (?=[A-Z_]+=)", "", tables.env_example(), flags=re.M))
    assert len(dotenv_values(path)) == len(Settings.model_fields)
    assert Settings(_env_file=path) == Settings(_env_file=None)


def test_bars_in_cells_do_not_break_a_table() -> None:
    assert tables.table(["a"], [["x|y"]]).splitlines()[-1] == r"| x\|y |"


def test_the_check_names_the_file_and_what_to_run_and_writes_nothing(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".env.example").write_text("old")
    monkeypatch.setattr(docs, "ROOT", checkout)
    monkeypatch.setattr(sys, "argv", ["docs", "--check"])
    with pytest.raises(SystemExit, match="run `make docs`"):
        docs.main()
    assert capsys.readouterr().out == "out of date: .env.example\n"
    assert (checkout / ".env.example").read_text() == "old"


def test_writing_brings_the_checkout_up_to_date(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".env.example").write_text("old")
    monkeypatch.setattr(docs, "ROOT", checkout)
    monkeypatch.setattr(sys, "argv", ["docs"])
    docs.main()
    assert capsys.readouterr().out == "wrote: .env.example\n"
    assert docs.outdated(checkout) == {}
