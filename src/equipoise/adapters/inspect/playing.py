"""The solver: plays one episode, the model at its seat and an opponent of the pools at the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.model import get_model
from inspect_ai.solver import solver

from equipoise.adapters.inspect.seat import ModelSeat
from equipoise.adapters.table import Place, set_table
from equipoise.policies.base import AnyPolicy, AsyncPolicy
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.running import RunningEpisode
from equipoise.rollout.transcript import episode_to_json
from equipoise.types import Choice, Decision, Episode

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

__all__ = ["EPISODE", "play", "play_episode"]

EPISODE = "equipoise_episode"
"""Key of the store under which the episode is kept, in the form of a transcript."""


def _play(
    game: str,
    seed: int = 0,
    retries: int = 1,
    on_invalid: Literal["fallback", "forfeit"] = "fallback",
    wording: str = PLAIN,
    options: Mapping[str, Any] | None = None,
    pools: Mapping[str, Sequence[str]] | None = None,
) -> Solver:
    """Return the solver of a game; see ``game_task`` for the arguments.

    Raises:
        RequestError: A game, option, pool, opponent or wording does not exist.
    """
    rule = InvalidRule(retries, on_invalid)
    table = set_table(game, options=options, pools=pools, seed=seed, rule=rule)
    get_renderer(table.game.name, wording)
    # Whoever does not exist is better missed now than in the first sample.
    table.opponents  # noqa: B018

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        known: dict[str, Any] = state.metadata
        place = Place(known["pool"], known["opponent"], known["deal"], known["seat"])
        seat = ModelSeat(get_model(), wording)
        state.messages = []
        # A further epoch is another rollout of the same deal: chance and opponents stay, own draws change.
        request = table.request(place, seat, rollout=state.epoch - 1)
        episode = await play_episode(RunningEpisode(request, table.rule))
        state.messages = seat.messages
        if seat.output is not None:
            state.output = seat.output
        state.store.set(EPISODE, episode_to_json(episode))
        return state

    return solve


async def play_episode(running: RunningEpisode) -> Episode:
    """Play an episode to its end within the caller's event loop."""
    while pending := running.pending():
        for decision in pending:
            player = running.request.players[decision.seat]
            running.answer(decision, await _ask(player, decision))
    return running.finish().episode


async def _ask(player: AnyPolicy, decision: Decision) -> Choice:
    if isinstance(player, AsyncPolicy):
        return await player.decide(decision)
    return player.act([decision])[0]


play = solver(name="play")(_play)
