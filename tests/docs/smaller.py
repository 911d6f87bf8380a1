"""How documented commands and recipes are made small enough to be run on every commit.

What is changed is size alone: the model, how many deals, steps, seeds or examples. Everything else is run
as it stands in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SMALL: dict[str, dict[str, str]] = {
    "solve": {"--steps": "10", "--seeds": "1"},
    "study": {"--samples": "2"},
    "data": {"--examples": "12"},
    "check": {"--walks": "2"},
}
"""Flags that are set, whatever the page says, by command."""
LONG_GAMES = ("commons",)
"""Games whose exact values take long: played for two rounds."""
SHORT = {"-n": "--episodes"}
STRATEGIES = ("scripted:", "tabular:", "frozen:")
PLACES = re.compile(r"openai:(?P<model>[\w.-]+)(@[^\s>]+)?|http://[\w.:]+/?$")
RECIPE_SIZES = {"steps": 60, "episodes": 2, "select_episodes": 2}


def smaller_text(text: str) -> str:
    """Put the tiny random model in the place of the embedded one, in code and in commands."""
    return re.sub(r"\bsmollm2\b", "tiny-random", text)


def smaller_recipe(text: str) -> str:
    """Cut the numbers of steps and deals of a recipe down."""

    def cut(found: re.Match[str]) -> str:
        return f"{found['key']} = {min(int(found['value']), RECIPE_SIZES[found['key']])}"

    keys = "|".join(RECIPE_SIZES)
    return smaller_text(re.sub(rf"^(?P<key>{keys}) = (?P<value>\d+)", cut, text, flags=re.MULTILINE))


def smaller(words: Sequence[str], server: str) -> list[str]:
    """Return the arguments of ``equipoise`` in a small size.

    Args:
        words: What follows the program's name.
        server: Address of a server that plays: it takes the place of every endpoint.
    """
    name, *rest = (smaller_text(word) for word in words)
    given = [_place(SHORT.get(word, word), server) for word in rest]
    for flag, value in SMALL.get(name, {}).items():
        given = _set(given, flag, value)
    if any("strategist:tiny-random" in word for word in given):
        given = _set(given, "--max-new-tokens", "4")
    if name in ("audit", "solve") and any(game in given for game in LONG_GAMES):
        given = [*given, "--option", "rounds=2"]
    if name == "audit":
        given = _small_audit(given)
    return [name, *given]


def _place(word: str, server: str) -> str:
    def local(found: re.Match[str]) -> str:
        return f"openai:{found['model']}@{server}/v1" if found["model"] else f"{server}/agent"

    return PLACES.sub(local, word)


def _small_audit(given: list[str]) -> list[str]:
    scripted = "--policy" in given and given[given.index("--policy") + 1].startswith(STRATEGIES)
    if "ipd" in given and any("python:" in word for word in given) and not {"--sample", "--out"} & {*given}:
        given = [*given, "--option", "rounds=4"]  # a best reply asks a function in every history
    if "--budget" in given:
        given = _set(given, "--budget", "20")
    if not scripted or "--sample" in given:
        given = _set(given, "--episodes", "2")
    return ["kuhn" if word == "all" else word for word in given]


def _set(given: list[str], flag: str, value: str) -> list[str]:
    if flag not in given:
        return [*given, flag, value]
    place = given.index(flag)
    return [*given[: place + 1], value, *given[place + 2 :]]
