"""The environment: an agent at a seat plays an opponent of the pools, or a second agent in self-play."""

from __future__ import annotations

import uuid
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import verifiers.v1 as vf

from equipoise.adapters.scores import episode_scores, open_components
from equipoise.adapters.table import SELF
from equipoise.adapters.verifiers.taskset import GameTaskset
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.reply import Reply, judge
from equipoise.policies.endpoint.words import writable
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.running import RunningEpisode
from equipoise.rollout.transcript import episode_from_json, episode_to_json
from equipoise.types import Choice, Decision, Episode, Validity

__all__ = ["EPISODE", "GameEnv", "GameEnvConfig", "episode_of"]

EPISODE = "equipoise_episode"
"""Key of ``trace.info`` under which the episode is kept, in the form of a transcript, from that seat."""


def _seat() -> vf.AgentConfig:
    # Its harness is the one that comes with the taskset; it runs here and needs no sandbox.
    return vf.AgentConfig(runtime=vf.SubprocessConfig())


class GameEnvConfig(vf.EnvConfig):
    """Who sits where.

    Attributes:
        player: The policy under study, at the seat of the task.
        other: The other seat where the opponent is ``self``; unused elsewhere.
        wording: How the game is put.
    """

    player: vf.AgentConfig = _seat()
    other: vf.AgentConfig = _seat()
    wording: str = PLAIN


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays episodes under the rules, retries and fallbacks of an audit."""

    taskset: GameTaskset

    async def run(self, task: Any, agents: Any) -> None:
        """Play the task's episode, and leave it in the trace of every agent that played."""
        place, table = task.data.place, self.taskset.table
        get_renderer(table.game.name, self.config.wording)
        async with AsyncExitStack() as stack:
            own = await self._seated(stack, agents.player, task)
            other = await self._seated(stack, agents.other, task) if place.opponent == SELF else None
            tag = uuid.uuid4().hex[:12]
            running = RunningEpisode(table.request(place, own, other=other, tag=tag), table.rule)
            while pending := running.pending():
                for decision in pending:
                    player = running.request.players[decision.seat]
                    if isinstance(player, AsyncPolicy):
                        running.answer(decision, await player.decide(decision))
                    else:
                        running.answer(decision, player.act([decision])[0])
            episode = running.finish().episode
            own.keep(episode)
            if other is not None:
                other.keep(replace(episode, seat=1 - place.seat))

    async def finalize(self, task: Any, episode: Any) -> None:
        """Record what each seat got: its reward by component, and payoffs and terms as metrics."""
        table = self.taskset.table
        for trace in episode.traces:
            played = episode_of(trace)
            if played is None:
                continue
            found = episode_scores(played, table.game.info_record)
            trace.record_metrics({**found, "lead": found["opponent"] - found["own"]})
            parts = open_components(played, table.objective, table.game.info_record)
            for name, value in parts.items():
                trace.record_reward(name, value)

    async def _seated(self, stack: AsyncExitStack, agent: Any, task: Any) -> _Seat:
        return _Seat(await stack.enter_async_context(agent.interaction(task)), self.config.wording)


class _Seat(AsyncPolicy):
    """An agent's open exchange as a policy."""

    def __init__(self, interaction: Any, wording: str) -> None:
        self.name = str(interaction.trace.agent.config.model)
        self._interaction, self._wording, self._over = interaction, wording, False

    async def decide(self, decision: Decision) -> Choice:
        """Ask the agent once."""
        renderer = get_renderer(decision.rules.name, self._wording)
        prompt = renderer.prompt(decision)
        if not self._over:
            segment = await self._interaction.turn(prompt.rules + prompt.situation)
            self._over = segment.terminated
            if not self._over:
                calls = self._interaction.trace.calls
                finish = str(calls[-1].finish_reason or "stop") if calls else "stop"
                return judge(Reply(writable(segment.last_reply), finish), decision, renderer)
        return Choice(None, Validity.TRUNCATED, detail="the agent's run had ended")

    def keep(self, episode: Episode) -> None:
        """Put the episode into the trace."""
        self._interaction.trace.info[EPISODE] = episode_to_json(episode)


def episode_of(trace: Any) -> Episode | None:
    """Return the episode that a trace was played in, seen from its seat; None if it was not finished."""
    kept = trace.info.get(EPISODE)
    return None if kept is None else episode_from_json(kept)
