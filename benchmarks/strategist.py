"""Prints the tables of ``docs/strategist.md`` from a finished run of ``epo-quickstart``.

    equipoise run epo-quickstart out=runs/coach
    python benchmarks/strategist.py runs/coach

*Taught* is the share of strategies that are word for word among the texts of the warm start, *understood* the
share that the scripted actor's parser maps to an intent, *followed* the share of understood ones after which
the actor did what they ask (games only: in a dialogue a scripted actor follows what it understands).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from equipoise.games.registry import make_game
from equipoise.policies.phrasebook import intended
from equipoise.prompts.phrasings import phrasings
from equipoise.rollout.transcript import read_episodes
from equipoise.tasks.social.advice import intents as social_intents
from equipoise.types import STRATEGIST, Decision, Episode, Turn


def advised_turns(episodes: list[Episode]) -> Iterator[tuple[Episode, Turn, str]]:
    """Yield every advised turn with its strategy."""
    for episode in episodes:
        for turn in episode.turns:
            for made in turn.choice.generations:
                if made.role == STRATEGIST and turn.seat == episode.seat:
                    yield episode, turn, made.text


def meaning(episode: Episode, turn: Turn, text: str) -> str:
    """Return what a strategy asks for: intents of a dialogue, the action in a game; empty if nothing."""
    if episode.game.startswith("social"):
        return "+".join(sorted(intent.value for intent in social_intents(text)))
    action = intended(text, _decision(episode, turn))
    return "" if action is None else str(action)


def _decision(episode: Episode, turn: Turn) -> Decision:
    """Return the decision of a turn of the iterated prisoner's dilemma, from what was played before it."""
    rules = make_game("ipd", **episode.options)
    state = rules.start(episode.deal, lambda round_, purpose: 0.0)
    for number in range(turn.round):
        state.apply({one.seat: one.action for one in episode.turns if one.round == number})
    return state.decision(turn.seat, episode.id, NO_DRAWS, 0)


class _NoDraws:
    """Draws nobody looks at."""

    def uniform(self, purpose: str) -> float:
        """Return 0."""
        return 0.0

    once = uniform


NO_DRAWS = _NoDraws()


def main(folder: Path) -> None:
    """Print one block for each policy of each task."""
    for path in sorted(folder.glob("*/*/audit/transcript.jsonl")):
        game, policy = path.parts[-4], path.parts[-3]
        rows = list(advised_turns(list(read_episodes(path))))
        if not rows:
            continue
        texts = [text for _, _, text in rows]
        taught = {text for some in phrasings(game).values() for text in some}
        asked = [meaning(*row) for row in rows]
        kinds, n = Counter(kind or "(nothing)" for kind in asked), len(rows)
        followed = [kind == turn.action for (_, turn, _), kind in zip(rows, asked, strict=True) if kind]
        words = sum(len(text.split()) for text in texts) / n
        print(f"\n{game} {policy}: {n} strategies, {words:.1f} words, {len(set(texts)) / n:.2f} different")
        print(f"  taught {sum(t in taught for t in texts) / n:.2f}, understood {len(followed) / n:.2f}")
        if game != "social" and followed:
            print(f"  followed {sum(followed) / len(followed):.2f}")
        print("  asks for " + ", ".join(f"{kind} {count / n:.2f}" for kind, count in kinds.most_common(8)))
        print("  " + " | ".join(f"{text!r} {count}" for text, count in Counter(texts).most_common(8)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
