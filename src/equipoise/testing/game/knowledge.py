"""Rules about what a seat knows: information states, labels, info, and words for actions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from equipoise.errors import RequestError
from equipoise.prompts.base import MARKER, Renderer
from equipoise.prompts.registry import get_renderer
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.bench import GameBench
from equipoise.types import Action

__all__ = [
    "info_keys",
    "labels_unique",
    "legal_is_known",
    "nothing_hidden",
    "parse_inverse",
    "parse_strict",
]

KEYS = ("game", "seat", "round", "rounds")


def info_keys(bench: GameBench) -> str:
    """``info`` has game, seat, round and rounds, and is the same where a seat knows the same."""
    found: dict[Hashable, object] = {}
    for node, seat in bench.asked:
        observation, history = node.state.observation(seat), node.histories[seat]
        info = bench.game.info(seat, observation, history)
        if missing := [key for key in KEYS if key not in info]:
            raise Violation(f"info {shown(dict(info))} lacks {missing[0]!r}", f"give {', '.join(KEYS)}")
        right = {"game": bench.game.name, "seat": seat}
        for key, value in right.items():
            if info[key] != value:
                raise Violation(f"info has {key} = {info[key]!r} at seat {seat}", f"give {value!r}")
        round_, rounds = info["round"], info["rounds"]
        if not (isinstance(round_, int) and round_ >= 0 and (rounds is None or isinstance(rounds, int))):
            raise Violation(
                f"info has round = {round_!r} and rounds = {rounds!r}",
                "count from 0, and give the number of rounds or None",
            )
        again = bench.game.info(seat, observation, history)
        if found.setdefault((seat, observation, history), info) != info or again != info:
            raise Violation(
                f"info differs where seat {seat} knows the same: {shown(observation)}",
                "compute it from seat, observation and history alone",
            )
    return f"{len(found)} information states"


def labels_unique(bench: GameBench) -> str:
    """Every information state has one label, and no two share one."""
    owners: dict[str, Hashable] = {}
    labels: dict[Hashable, str] = {}
    for node, seat in bench.asked:
        known = node.information_state(seat)
        label = bench.game.label(node.state.observation(seat), node.histories[seat])
        if not isinstance(label, str) or "\n" in label:
            raise Violation(f"label {label!r} of {shown(known)}", "return a str on one line")
        if labels.setdefault(known, label) != label:
            raise Violation(
                f"{shown(known)} has the labels {labels[known]!r} and {label!r}",
                "compute the label from observation and history alone",
            )
        if owners.setdefault(label, known) != known:
            raise Violation(
                f"label {label!r} names {shown(owners[label])} and {shown(known)}",
                "put everything a seat knows into the label",
            )
    return f"{len(labels)} information states"


def legal_is_known(bench: GameBench) -> str:
    """Where a seat knows the same, the same actions are legal."""
    found: dict[Hashable, tuple[Action, ...]] = {}
    for asked in bench.asked:
        known = asked.node.information_state(asked.seat)
        if found.setdefault(known, asked.legal) != asked.legal:
            raise Violation(
                f"{shown(known)} has {shown(found[known])} and {shown(asked.legal)} as legal actions",
                "the observation must tell what is legal, and legal actions nothing that it hides",
            )
    return f"{len(found)} information states"


def nothing_hidden(bench: GameBench) -> str:
    """Where complete information is declared, a seat that is to move knows the state."""
    if bench.record.information != "complete":
        raise NotApplicable("imperfect information is declared")
    found: dict[Hashable, Hashable] = {}
    for node, seat in bench.asked:
        known = (seat, node.information_state(seat))
        if found.setdefault(known, node.state) != node.state:
            raise Violation(
                f"{shown(known)} is the same at {shown(found[known])} and at {shown(node.state)}",
                'show the difference or declare information="imperfect"',
            )
    return f"{len(found)} information states"


def parse_inverse(bench: GameBench) -> str:
    """What is said for a legal action is read as that action."""
    renderer = _renderer(bench)
    sets = dict.fromkeys(asked.legal for asked in bench.asked)
    for legal in sets:
        for action in legal:
            word = renderer.say(action)
            for text in (word, f"{MARKER} {word}", f"Let me think.\n{MARKER} {word}"):
                if (read := renderer.parse(text, legal)) != action:
                    raise Violation(
                        f"{action!r} is said as {text!r} and read as {read!r}",
                        "let say and parse be inverse for every legal action",
                    )
    return f"{len(sets)} sets of legal actions"


def parse_strict(bench: GameBench) -> str:
    """A text that names no legal action, or two, is read as none."""
    renderer = _renderer(bench)
    for legal in dict.fromkeys(asked.legal for asked in bench.asked):
        for text in _unclear(renderer, legal):
            if (read := renderer.parse(text, legal)) is not None:
                raise Violation(
                    f"{text!r} names no action, or two, and is read as {read!r}",
                    "return None unless the last line names exactly one legal action",
                )
    return bench.extent


def _unclear(renderer: Renderer, legal: Sequence[Action]) -> list[str]:
    words = [renderer.say(action) for action in legal]
    none = ["", "\n", MARKER, f"{MARKER} ?", "no action at all"]
    return none + [f"{MARKER} {one} or {MARKER} {other}" for one, other in pairwise(words)]


def _renderer(bench: GameBench) -> Renderer:
    bench.need_structure()
    try:
        return get_renderer(bench.game.name)
    except RequestError:
        raise NotApplicable("the game has no renderer: language models cannot play it") from None
