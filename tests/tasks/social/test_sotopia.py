"""SOTOPIA's own data; sotopia 0.1.5 wrote the files in ``data/sotopia`` (local storage and exports)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.social.sotopia import read_sotopia

DATA = Path(__file__).parent / "data" / "sotopia"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "store", tmp_path / "store")
    return tmp_path / "store"


def test_the_store_and_the_exports_say_the_same() -> None:
    assert read_sotopia(DATA / "store") == read_sotopia(DATA / "exported")


def test_a_combination_becomes_a_scenario_without_truth() -> None:
    first, second = read_sotopia(DATA / "store", "held_out")
    assert (first.id, first.family, first.split) == ("lost-key-c1", "open", "held_out")
    assert first.setting == "Two people stand before a locked door at night. They are strangers."
    assert first.names == ("Mireille Fontaine", "Tunde Adeyemi")
    assert first.people[0].goal == "Get the door opened for less than 80 dollars you have 120 dollars"
    assert second.setting.endswith("They are friends. Tunde once let Siv in at dawn.")


def test_what_is_known_of_the_other_grows_with_the_relationship() -> None:
    strangers, friends = read_sotopia(DATA / "store")
    assert (strangers.people[1].role, strangers.people[1].character) == ("", "")
    assert "You are: 41, He/him, Locksmith; Tunde opens what others have shut." in strangers.people[1].knows
    assert friends.people[0].role == "41, He/him, Locksmith; Tunde opens what others have shut."
    assert friends.people[0].character == "Tunde values loyalty. Intuitive"


def test_secrets_and_what_one_viewer_sees_stay_private() -> None:
    strangers, friends = read_sotopia(DATA / "store")
    assert strangers.people[1].knows[-1] == "The tools are in the van."
    assert 'Your secret: He keeps a copy of every key. Even "yours".' in strangers.people[1].knows
    assert "van" not in strangers.setting
    assert not any("secret" in line for line in friends.people[1].knows)


def test_lists_in_one_file_are_read_too(tmp_path: Path) -> None:
    for kind, name in (
        ("AgentProfile", "agent_profiles"),
        ("EnvironmentProfile", "environment_profiles"),
        ("EnvAgentComboStorage", "env_agent_combo_storage"),
        ("RelationshipProfile", "relationship_profiles"),
    ):
        records = [json.loads(path.read_text()) for path in sorted((DATA / "store" / kind).glob("*.json"))]
        (tmp_path / f"{name}.json").write_text(json.dumps(records))
    assert read_sotopia(tmp_path) == read_sotopia(DATA / "store")


def test_a_missing_or_broken_record_is_named(folder: Path) -> None:
    agent = folder / "AgentProfile" / "A2.json"
    whole = agent.read_text()
    agent.write_text("{")
    with pytest.raises(RequestError, match=r"A2.json' is not JSON"):
        read_sotopia(folder)
    agent.write_text("[]")
    with pytest.raises(RequestError, match=r"A2.json' holds list where a record is expected"):
        read_sotopia(folder)
    agent.unlink()
    with pytest.raises(
        RequestError, match="combination 'C1' names agent 'A2', which the folder does not hold"
    ):
        read_sotopia(folder)
    agent.write_text(whole)
    (folder / "EnvAgentComboStorage" / "C1.json").write_text(
        '{"pk": "C1", "env_id": "E1", "agent_ids": ["A1"]}'
    )
    with pytest.raises(RequestError, match="combination 'C1' has 1 agents and 2 goals"):
        read_sotopia(folder)


def test_a_folder_without_combinations_says_what_it_needs(folder: Path) -> None:
    shutil.rmtree(folder / "EnvAgentComboStorage")
    with pytest.raises(RequestError, match="has no combination of SOTOPIA: it needs EnvAgentComboStorage"):
        read_sotopia(folder)


def test_two_agents_of_one_name_make_no_scenario(folder: Path) -> None:
    path = folder / "AgentProfile" / "A1.json"
    twin = json.loads((folder / "AgentProfile" / "A2.json").read_text())
    path.write_text(json.dumps({**twin, "pk": "A1"}))
    with pytest.raises(RequestError, match=r"combination 'C1' makes no scenario: .*both people are called"):
        read_sotopia(folder)
