"""The data card as a page: the README.md of a data set, with the front matter that `datasets` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["page"]

SHOWN = 12
"""Actions that the page names; the JSON has all."""
Card = Mapping[str, Any]


def page(card: Card) -> str:
    """Return a data card as Markdown."""
    lines = [*_front_matter(card), "", "# SFT examples of scripted teachers", "", *_summary(card), ""]
    for name, game in card["games"].items():
        lines += [*_game(name, game), ""]
    lines += ["## Limits", "", *(f"- {limit}" for limit in card["limits"]), ""]
    lines += ["## Licence", "", f"{card['licence']}. Prompts and moves are made by the package itself."]
    return "\n".join(lines) + "\n"


def _front_matter(card: Card) -> Iterator[str]:
    """Yield YAML; what is quoted is written as JSON, which is YAML too."""
    yield "---"
    yield f"license: {card['licence'].lower()}"
    yield "language: [en]"
    yield "task_categories: [text-generation]"
    yield f"size_categories: [{_size(sum(game['examples'] for game in card['games'].values()))}]"
    if card["format"] == "datasets":
        yield "configs:"
        for name, game in card["games"].items():
            yield f"- config_name: {json.dumps(name)}"
            yield "  data_files:"
            for file in game["files"]:
                split = re.split(r"[/.]", file)[-2]
                yield f"  - split: {split}"
                yield f"    path: {json.dumps(file)}"
    yield "---"


def _size(examples: int) -> str:
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((name for bound, name in bounds.items() if examples < bound), "n>1M")


def _summary(card: Card) -> Iterator[str]:
    yield (
        f"Moves of scripted teachers in repeated games, recipe `{card['recipe']}`, seed {card['seed']}, in "
        "prompt/completion chat form"
        + (", with one sentence of reason before the action." if card["reasons"] else ".")
    )
    yield ""
    yield f"Made with equipoise {card['equipoise']}:"
    yield ""
    yield f"    {_flat(card['command'])}"
    yield ""
    head = ("game", "episodes", "examples", "train", "validation", "test", "distinct examples", "files")
    yield from _table(head, [_row(name, game) for name, game in card["games"].items()])
    if card["left_out"]:
        yield ""
        yield f"Left out, as the recipe has no teachers for it: {', '.join(card['left_out'])}."


def _row(name: str, game: Card) -> tuple[object, ...]:
    splits = [game["splits"][split]["examples"] for split in ("train", "validation", "test")]
    distinct = game["duplicates"]["distinct_examples"]
    return (name, game["episodes"], game["examples"], *splits, distinct, ", ".join(game["files"]))


def _game(name: str, game: Card) -> Iterator[str]:
    yield f"## {_flat(name)}"
    yield ""
    options = ", ".join(f"{key} = {value}" for key, value in game["options"].items())
    deals, twice = game["deals"], game["duplicates"]
    yield (
        f"`{game['game']}`, {f'options {_flat(options)}' if options else 'default options'}. Deals "
        f"{deals['first']} to {deals['last']} of the split `{deals['split']}`, which nothing else plays. "
        f"Held out: {', '.join(map(_flat, game['held_out_opponents'])) or 'nobody'}. Of {game['examples']} "
        f"examples {twice['duplicates']} are equal to an earlier one; there are "
        f"{twice['distinct_prompts']} distinct prompts. Held-out examples that the training split holds too: "
        f"{twice['held_out_seen_in_train']}."
    )
    yield ""
    teachers = [
        (key, f"{one['weight']:.4g}", one["episodes"], one["examples"], one["source"])
        for key, one in game["teachers"].items()
    ]
    yield from _table(("teacher", "weight", "episodes", "examples", "source"), teachers)
    yield ""
    opponents = [(key, one["episodes"], one["examples"]) for key, one in game["opponents"].items()]
    yield from _table(("opponent", "episodes", "examples"), opponents)
    yield ""
    actions = sorted(game["actions"].items(), key=lambda pair: (-pair[1], pair[0]))
    more = f", and {len(actions) - SHOWN} more" if len(actions) > SHOWN else ""
    yield f"Actions: {', '.join(f'{word} {count}' for word, count in actions[:SHOWN])}{more}."


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_flat(str(cell)) for cell in row)} |"


def _flat(text: str) -> str:
    """Return text on one line that ends no cell of a table and begins no tag."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
