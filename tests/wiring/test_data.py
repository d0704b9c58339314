"""Which datasets a question asks, how they are named, and what of them a run's record keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.data.servers import DataSource, Server, filled_in
from fathom.errors import UsageError
from fathom.limits import Limits
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.settings import Settings
from fathom.wiring.data import data_sources, server_of, with_record_cap


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


def test_a_file_is_named_after_its_stem_and_a_second_one_gets_a_number(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "a").mkdir()
    files = [tmp_path / "events.csv", tmp_path / "a" / "events.parquet"]
    for file in files:
        file.write_bytes(b"PAR1" if file.suffix == ".parquet" else b"a,b\n1,2\n")
    found = data_sources(files, None, settings)
    assert [source.name for source in found] == ["events", "events-2"]
    assert [source.paths for source in found] == [(str(file),) for file in files]


@pytest.mark.parametrize("name", ["knowledge.csv", "web.csv"])
def test_no_dataset_takes_the_name_of_another_source(name: str, tmp_path: Path, settings: Settings) -> None:
    (tmp_path / name).write_text("a,b\n1,2\n", encoding="utf-8")
    (found,) = data_sources([tmp_path / name], None, settings)
    assert found.name == f"{Path(name).stem}-2"


@pytest.mark.parametrize("name", ["(x).csv", "日本 語.csv", "a;b.csv", "….csv"])
def test_a_name_is_made_of_harmless_characters(name: str, tmp_path: Path, settings: Settings) -> None:
    (tmp_path / name).write_text("a,b\n1,2\n", encoding="utf-8")
    (found,) = data_sources([tmp_path / name], None, settings)
    assert found.name
    assert not set(found.name) & set(" ;()/…")


def test_a_file_that_is_not_there_is_refused_with_its_name(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match=r"no file or folder .*gone\.csv"):
        data_sources([tmp_path / "gone.csv"], None, settings)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"hello", "no data file by its name"),
        ("empty.csv", b"", "it is empty"),
        ("bad.parquet", b"hello hello", "no Parquet file"),
    ],
)
def test_a_file_that_holds_no_data_is_refused_before_any_work(
    name: str, content: bytes, said: str, tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=said):
        data_sources([tmp_path / name], None, settings)


def test_a_server_is_an_address_a_command_or_a_name_of_the_settings(tmp_path: Path) -> None:
    own = Server(url="https://data.example.org/mcp", tools=("search_*",))
    settings = Settings(home=tmp_path, mcp={"mine": own})
    found = data_sources(None, ["https://host.example:8443/mcp", "python3 -m some_server --folder x", "mine"], settings)
    assert [source.name for source in found] == ["host.example", "some_server", "mine"]
    assert found[1].server == Server(command=("python3", "-m", "some_server", "--folder", "x"))
    assert found[2].server == own


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y some-server@1.2 --folder ./data", "some-server"),
        ("npx @org/some-server", "some-server"),
        ("/usr/bin/env python3 -m a.server", "env"),
        ("python3 /home/me/servers/tables.py", "tables.py"),
        ("docker run -i image", "image"),
    ],
)
def test_a_command_is_named_after_the_word_that_tells_most(command: str, name: str, settings: Settings) -> None:
    words = Server(command=tuple(command.split()))
    (found,) = data_sources(None, [words], settings)
    assert found.name == name


def test_what_is_no_server_is_refused_and_a_near_name_suggested(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, mcp={"events": Server(url="https://data.example.org/mcp")})
    with pytest.raises(UsageError, match="Did you mean 'events'"):
        data_sources(None, ["event"], settings)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("https://", "no password"),
        ("https://user:secret@host/mcp", "no password"),
        ("http://host:99999/mcp", "no address"),
        ("'never closed", "cannot be read"),
        ("no-such-command-at-all --x", "no command"),
    ],
)
def test_a_server_that_cannot_be_is_refused_in_one_line_without_its_password(given: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        server_of(given)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_secret_in_plain_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match=r"write \$NAME there") as refused:
        server_of("https://host.example/mcp", headers={"Authorization": "Bearer abc123"})
    assert "abc123" not in str(refused.value)


def test_a_secret_is_filled_in_from_the_environment_and_never_pinned() -> None:
    server = server_of("https://host.example/mcp", headers={"Authorization": "Bearer $TOKEN"})
    source = DataSource(name="x", server=server)
    assert filled_in(server.headers, {"TOKEN": "abc123"}) == {"Authorization": "Bearer abc123"}
    assert "abc123" not in source.model_dump_json()


def test_a_header_for_a_command_is_refused() -> None:
    with pytest.raises(UsageError, match="is a command"):
        server_of("python3 -m x", headers={"X-Name": "y"})


class Metered(ExtractiveReasoner):
    """One whose answers cost."""

    metered = True
    looks_beside = False


def test_a_model_reads_300_records_unless_more_are_asked_for() -> None:
    sources = [DataSource(name="x", paths=("/x.csv",))]
    assert with_record_cap(Limits(), sources, Metered()).max_records == 300
    assert with_record_cap(Limits(max_records=1_000), sources, Metered()).max_records == 1_000
    assert with_record_cap(Limits(), sources, ExtractiveReasoner()).max_records is None
    assert with_record_cap(Limits(), [], Metered()).max_records is None
