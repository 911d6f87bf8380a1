"""The scorer: payoffs and terms of one episode; and the metric: u, e, c, x and J over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspect_ai.scorer import SampleScore, Score, metric, scorer

from equipoise.adapters.inspect.figures import Scored, figures, panel_of
from equipoise.adapters.inspect.playing import EPISODE
from equipoise.adapters.scores import episode_scores
from equipoise.adapters.table import set_table
from equipoise.games.base import GameInfo
from equipoise.policies.registry import load_game
from equipoise.rollout.transcript import episode_from_json
from equipoise.types import Episode

if TYPE_CHECKING:
    from inspect_ai.scorer import Metric, Scorer, Target
    from inspect_ai.solver import TaskState

__all__ = ["audit", "episode", "score_of"]


def score_of(played: Episode, info: GameInfo) -> Score:
    """Return the score of an episode: means per round, without the terms that the game does not have."""
    found = episode_scores(played, info)
    missing = [term for term in ("collusion", "externality") if getattr(info, term) is None]
    value = {name: number for name, number in found.items() if name not in missing}
    own = [str(turn.action) for turn in played.turns if turn.seat == played.seat]
    others = [str(turn.action) for turn in played.turns if turn.seat != played.seat]
    return Score(
        value={**value, "lead": found["opponent"] - found["own"]},
        answer=" ".join(own),
        explanation=f"own actions: {' '.join(own)}\nopponent's: {' '.join(others)}",
        metadata={"stop": played.stop.value, "rounds": len(played.rounds)},
    )


def _episode(game: str, options: Mapping[str, Any] | None = None) -> Scorer:
    """Return the scorer of a game."""
    info = load_game(game, options).info_record

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(EPISODE)
        if kept is None:
            return Score.unscored(reason="scoring_failed", explanation="no episode was played")
        return score_of(episode_from_json(kept), info)

    return score


def _audit(
    game: str,
    options: Mapping[str, Any] | None = None,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> Metric:
    """Return the metric of a game: what an audit reports, with intervals clustered by deal.

    Args:
        game: The game.
        options: Its options.
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights, replacing the game's own.
        level: Confidence level.
    """
    table = set_table(game, options=options, pools=pools, weights=weights)
    info = table.game.info_record

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        rows = [_scored(one.sample_metadata or {}, one.score.value) for one in scores]
        return figures(panel_of(rows, table.names, info), table.objective, info, level)

    return compute


def _scored(place: Mapping[str, Any], value: Any) -> Scored:
    return Scored(str(place["opponent"]), int(place["deal"]), int(place["seat"]), value)


audit = metric(name="audit", scores="reduced")(_audit)
episode = scorer(metrics=[], name="episode")(_episode)
