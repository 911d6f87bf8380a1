"""Scenarios from SOTOPIA's own data: environments, agents, relationships and who meets where.

Read are the folder that SOTOPIA's local storage writes (``EnvironmentProfile/PK.json`` and so on), its JSONL
exports (``environment_profiles.jsonl`` …) and JSON lists under the same names; written against sotopia 0.1.5.
Such goals are free text: their scenarios have no truth to compute a score from, and are n/a without an
evaluator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from equipoise.errors import RequestError
from equipoise.tasks.social.scenarios import Person, Scenario, Split

__all__ = ["read_sotopia"]

Record = Mapping[str, Any]

_KINDS = {
    "environment": ("EnvironmentProfile", "environment_profiles", ("pk", "env_id")),
    "agent": ("AgentProfile", "agent_profiles", ("pk", "agent_id")),
    "relationship": ("RelationshipProfile", "relationship_profiles", ("pk", "relationship_id")),
    "combination": ("EnvAgentComboStorage", "env_agent_combo_storage", ("pk", "combo_id")),
}
"""By kind: the folder of the local store, the name of an exported file, and where its key may stand."""

_LEVELS = (
    "They are strangers.",
    "They know each other by name.",
    "They are acquaintances.",
    "They are friends.",
    "They are a couple.",
    "They are family.",
)
"""Relationships by their numbers, in words."""

_KNOWN, _CLOSE = 2, 3
"""The relationships from which on one knows who the other is, and what it is like."""

_VIEWER = re.compile(r"<p viewer=['\"]agent_(\d)['\"]>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"</?\w+[^<>]*>")


def read_sotopia(folder: Path, split: Split = "train") -> tuple[Scenario, ...]:
    """Return one scenario for each combination of an environment and two agents.

    Args:
        folder: Where the data are.
        split: The split the scenarios are put into.

    Raises:
        RequestError: The folder holds no such data, or a record is missing or broken; the message names it.
    """
    found = {kind: _load(folder, kind) for kind in _KINDS}
    for kind in ("environment", "agent", "combination"):
        if not found[kind]:
            store, exported, _ = _KINDS[kind]
            raise RequestError(
                f"{str(folder)!r} has no {kind} of SOTOPIA: it needs {store}/*.json, {exported}.jsonl "
                f"or {exported}.json"
            )
    background = {
        frozenset(
            (
                str(one.get("agent_1_id") or one.get("agent1_id")),
                str(one.get("agent_2_id") or one.get("agent2_id")),
            )
        ): one
        for one in found["relationship"].values()
    }
    return tuple(
        _scenario(key, combination, found, background, split)
        for key, combination in sorted(found["combination"].items())
    )


def _load(folder: Path, kind: str) -> dict[str, Record]:
    store, exported, keys = _KINDS[kind]
    records: list[Record] = []
    for path in sorted((folder / store).glob("*.json")):
        records.append(_object(path.read_text(encoding="utf-8"), path))
    for path in (folder / f"{exported}.jsonl", folder / f"{exported}.json"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".jsonl":
                records += [_object(line, path) for line in text.splitlines() if line.strip()]
            else:
                records += [_checked(one, path) for one in _parsed(text, path)]
    return {
        next((str(one[key]) for key in keys if one.get(key)), str(n)): one for n, one in enumerate(records)
    }


def _parsed(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise RequestError(f"{str(path)!r} is not JSON: {error}") from None


def _object(text: str, path: Path) -> Record:
    return _checked(_parsed(text, path), path)


def _checked(found: Any, path: Path) -> Record:
    if not isinstance(found, dict):
        raise RequestError(f"{str(path)!r} holds {type(found).__name__} where a record is expected")
    return found


def _scenario(
    key: str,
    combination: Record,
    found: Mapping[str, Mapping[str, Record]],
    background: Mapping[frozenset[str], Record],
    split: Split,
) -> Scenario:
    environment = _record(found, "environment", combination.get("env_id"), key)
    identifiers = [str(one) for one in combination.get("agent_ids", ())]
    agents = [_record(found, "agent", one, key) for one in identifiers]
    goals = environment.get("agent_goals", ())
    if len(agents) != 2 or len(goals) != 2:
        raise RequestError(
            f"combination {key!r} has {len(agents)} agents and {len(goals)} goals: there must be two of both"
        )
    text = str(environment.get("scenario", ""))
    level = int(environment.get("relationship", 0) or 0)
    people = [
        _person(
            agent, str(goals[seat]), level, [part for who, part in _VIEWER.findall(text) if int(who) == seat]
        )
        for seat, agent in enumerate(agents)
    ]
    story = str(background.get(frozenset(identifiers), {}).get("background_story") or "")
    known = _LEVELS[level] if 0 <= level < len(_LEVELS) else ""
    setting = " ".join(part for part in (_plain(_VIEWER.sub("", text)), known, _plain(story)) if part)
    name = f"{_slug(str(environment.get('codename', '')))}-{_slug(key)}".strip("-")
    try:
        return Scenario(id=name, family="open", split=split, setting=setting, people=(people[0], people[1]))
    except ValidationError as error:
        raise RequestError(f"combination {key!r} makes no scenario: {error.errors()[0]['msg']}") from None


def _record(found: Mapping[str, Mapping[str, Record]], kind: str, wanted: object, key: str) -> Record:
    known = found[kind]
    if str(wanted) not in known:
        raise RequestError(f"combination {key!r} names {kind} {wanted!r}, which the folder does not hold")
    return known[str(wanted)]


def _person(agent: Record, goal: str, level: int, seen: Sequence[str]) -> Person:
    """Return a side; what the other knows of it grows with the relationship, as in SOTOPIA."""
    name = _plain(f"{agent.get('first_name', '')} {agent.get('last_name', '')}")
    life = _plain(f"{agent.get('age', '')}, {agent.get('gender_pronoun', '')}, {agent.get('occupation', '')}")
    public = f"{life}; {_plain(str(agent.get('public_info', '')))}"
    inner = _plain(f"{agent.get('personality_and_values', '')} {agent.get('decision_making_style', '')}")
    secret = _plain(str(agent.get("secret", "")))
    known, close = level >= _KNOWN, level >= _CLOSE
    private = [
        *([] if known else [f"You are: {public}"]),
        *([] if close or not inner else [f"Your character: {inner}"]),
        *([f"Your secret: {secret}"] if secret else []),
        *(_plain(part) for part in seen),
    ]
    try:
        return Person(
            name=name,
            role=public if known else "",
            character=inner if close else "",
            goal=_plain(goal),
            knows=tuple(private),
        )
    except ValidationError as error:
        raise RequestError(f"agent {name!r} makes no side: {error.errors()[0]['msg']}") from None


def _plain(text: str) -> str:
    """Return text on one line, without tags: hints and remarks stay, as SOTOPIA shows them to the agent."""
    return " ".join(_TAG.sub(" ", text).split())


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")
