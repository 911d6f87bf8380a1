"""One session: episodes of a game, one after the other, between a client and the pools' opponents."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

import equipoise
from equipoise.adapters.openenv.models import GameAction, GameObservation, GameState
from equipoise.adapters.openenv.tasks import SPLITS, Tasks, number
from equipoise.adapters.scores import episode_scores, open_components, report
from equipoise.adapters.seats import SeatEpisode
from equipoise.adapters.table import Place
from equipoise.errors import RequestError, unknown
from equipoise.policies.endpoint.reply import Reply, judge
from equipoise.policies.endpoint.words import writable
from equipoise.rollout.transcript import episode_to_json

__all__ = ["GameEnvironment"]

_CHOOSING = ("split", "index", "opponent", "pool", "seat")


class GameEnvironment(Environment[GameAction, GameObservation, GameState]):
    """Plays episodes under the rules, retries and fallbacks of an audit; the other seat is a policy's."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, tasks: Tasks) -> None:
        """Take what all sessions share."""
        super().__init__()
        self._tasks, self._next = tasks, 0
        self._episode: SeatEpisode | None = None
        self._state = GameState()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **chosen: Any) -> GameObservation:
        """Begin a task, and return its first decision.

        Args:
            seed: Number of the task: the same seed is the same opponent, seat and deal. Beside ``index`` or
                ``opponent`` the number of the deal. None goes on to the session's next task.
            episode_id: A name of your own; by default pool, opponent, deal and seat.
            chosen: ``split`` (``train`` unless said), and ``index``, the number of a task, or ``opponent``
                with ``pool`` and ``seat``.

        Raises:
            RequestError: There is no such task.
        """
        split, place = self._chosen(seed, chosen)
        self._episode = self._tasks.begin(split, place)
        self._state = GameState(
            episode_id="/".join(map(str, place)) if episode_id is None else episode_id,
            split=split,
            task=self._tasks.index(split, place),
            **place._asdict(),
        )
        return self._told()

    def step(self, action: GameAction, timeout_s: float | None = None, **_: Any) -> GameObservation:
        """Take an answer, and let the opponent act until the player is asked again.

        Raises:
            RequestError: No episode is open.
        """
        episode = self._episode
        if episode is None or episode.decision is None:
            raise RequestError("no episode is open: call reset")
        asked, before = episode.decision, len(episode.outcomes)
        said = Reply(writable(action.text), "length" if action.truncated else "stop")
        choice = judge(said, asked, self._tasks.renderer)
        with self._tasks.lock:
            episode.answer(choice)
        self._state.step_count += 1
        ended = episode.outcomes[before:]
        told = self._told(choice.detail)
        told.reward = float(sum(outcome.payoffs[episode.seat] for outcome in ended))
        told.metadata = {**report(ended, episode.seat), **self._finished()}
        return told

    @property
    def state(self) -> GameState:
        """The task in play, and its scores once it is over."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Say which game is served."""
        record = self._tasks.game.info_record
        return EnvironmentMetadata(
            name=f"equipoise-{self._tasks.game.name}",
            description=f"{record.key} against opponents of its pools; the reward is the own payoff",
            version=equipoise.__version__,
        )

    def web_actions(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return the legal actions as buttons."""
        return [(word, {"text": word}) for word in observation.get("legal", ())]

    def list_splits(self) -> list[dict[str, str]]:
        """Return the splits; ``report`` is for judging, and never trained on."""
        return [{"name": name, "type": "train" if name == "train" else "test"} for name in SPLITS]

    def num_tasks(self, split: str) -> int:
        """Return how many tasks a split lists."""
        return self._tasks.count(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a listed task.

        Raises:
            IndexError: It is not listed.
        """
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(index)
        place = self._tasks.place(split, index)
        return {"id": f"{split}/{'/'.join(map(str, place))}", "index": index, **place._asdict()}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[Any]:
        """Return the listed tasks of a slice."""
        return [self.get_task(split, index) for index in range(self.num_tasks(split))[start:stop]]

    def list_tasks(self, split: str) -> list[Any]:
        """Return all listed tasks."""
        return self.get_task_range(split)

    def _chosen(self, seed: int | None, chosen: dict[str, Any]) -> tuple[str, Place]:
        """Return the task that a reset asks for."""
        for key in chosen:
            if key not in _CHOOSING:
                raise unknown("argument of reset", key, ("seed", "episode_id", *_CHOOSING))
        split, opponent = chosen.get("split") or SPLITS[0], chosen.get("opponent")
        if opponent is not None:
            if chosen.get("index") is not None:
                raise RequestError("index and opponent: choose a task by one of them")
            place = self._tasks.find(split, opponent, chosen.get("pool"), chosen.get("seat") or 0)
        elif stray := [key for key in ("pool", "seat") if chosen.get(key) is not None]:
            raise RequestError(f"{stray[0]} = {chosen[stray[0]]!r}: name the opponent too")
        elif (index := chosen.get("index")) is not None:
            place = self._tasks.place(split, index)
        elif seed is not None:
            return split, self._tasks.place(split, seed)
        else:
            self._next += 1
            return split, self._tasks.place(split, self._next - 1)
        return split, place if seed is None else place._replace(deal=number("seed", seed))

    def _told(self, problem: str = "") -> GameObservation:
        """Return what the player is told now."""
        episode, renderer, game = self._episode, self._tasks.renderer, self._tasks.game
        assert episode is not None
        rules, decision = renderer.rules(game), episode.decision
        key = game.info_record.key
        if decision is None:
            return GameObservation(game=key, rules=rules, problem=problem, done=True)
        return GameObservation(
            game=key,
            rules=rules,
            situation=renderer.prompt(decision).situation,
            legal=[renderer.say(action) for action in decision.legal or ()],
            info=dict(decision.info),
            retry=decision.retry,
            problem=problem,
        )

    def _finished(self) -> dict[str, Any]:
        """Keep what a finished episode was worth, and return the numbers; nothing while it is open."""
        episode, tasks = self._episode, self._tasks
        assert episode is not None
        if episode.decision is not None:
            return {}
        played, record = episode.record(), tasks.game.info_record
        self._state.scores = episode_scores(played, record)
        self._state.components = open_components(played, tasks.table.objective, record)
        self._state.episode = episode_to_json(played)
        return {"scores": self._state.scores, "components": self._state.components}
