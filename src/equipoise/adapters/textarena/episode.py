"""One play of an environment of TextArena.

A seat is shown what the environment's wrappers make of its observations, as one text; by default that is the
whole play so far. What it answers goes to the environment as it is. Whose turn it is, and whether a bad move
may be made again, is for the environment to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.adapters.textarena.library import Randomness, refused
from equipoise.errors import EquipoiseError, RequestError
from equipoise.tasks.base import Line, TextEnvironment, View
from equipoise.types import Action, Seat

if TYPE_CHECKING:
    from equipoise.adapters.textarena.task import TextArenaTask

__all__ = ["TextArenaEpisode"]

_SEATS = 2


class TextArenaEpisode(TextEnvironment):
    """A play from reset to reward."""

    def __init__(self, task: TextArenaTask, env: Any, randomness: Randomness, seed: int) -> None:
        """Reset the environment.

        Args:
            task: The task.
            env: The environment, new.
            randomness: The draws of this play.
            seed: The seed of its reset.

        Raises:
            RequestError: The environment is not for two players.
        """
        super().__init__(task, task.short, _SEATS, task.options.most_turns)
        self._env, self._randomness = env, randomness
        self._bound = float(task.options.payoff_bound)
        self._shown = [""] * _SEATS
        self._paid: tuple[float, ...] | None = None
        self._reasons: Mapping[str, Any] = {}
        try:
            with randomness():
                env.reset(num_players=_SEATS, seed=seed)
        except Exception as error:
            raise refused(task.short, error) from None
        self._look()

    def view(self, seat: Seat) -> View:
        """Return what a seat was shown last."""
        return View(
            scenario=self.scenario,
            name=f"Player {seat}",
            others=(f"Player {1 - seat}",),
            setting=f"{self.scenario}, a text game of TextArena",
            goal="Get the largest reward.",
            private=(),
            lines=(Line("", self._shown[seat]),),
            options=(),
            turn=self.taken[seat],
            turns=self.turns,
        )

    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Let the seat speak; the environment says who is next."""
        super().apply(actions)
        if not self.is_over:
            self._look()

    def act(self, seat: Seat, text: str) -> None:
        """Hand the text on."""
        try:
            with self._randomness():
                done, _ = self._env.step(action=text)
        except Exception as error:
            # A defect of the environment: its own checks answer bad moves with words.
            said = " ".join(str(error).split())[:200]
            raise EquipoiseError(f"{self.task.name} broke on {text[:80]!r}: {said}") from error
        if done:
            self._settle()

    def scores(self) -> Sequence[float]:
        """Return the rewards; 0 for both while there are none."""
        return self._paid or (0.0,) * _SEATS

    def achievable(self, seat: Seat) -> float:
        """Return what can still be won: the bound, until the environment has paid."""
        return self._bound if self._paid is None else self._paid[seat]

    def forfeit(self, seat: Seat) -> None:
        """End the play as lost for a seat."""
        self._paid = tuple(-self._bound if one == seat else self._bound for one in range(_SEATS))
        super().forfeit(seat)

    @property
    def notes(self) -> Mapping[str, object]:
        """The usual notes, and what the environment says of the end."""
        return {**super().notes, "textarena": self._reasons}

    def _look(self) -> None:
        with self._randomness():
            seat, shown = self._env.get_observation()
        self._mover = int(seat)
        self._shown[self._mover] = shown if isinstance(shown, str) else _spoken(shown)

    def _settle(self) -> None:
        """Take the rewards.

        Raises:
            RequestError: A reward is larger than declared.
        """
        rewards, info = self._env.close()
        paid = tuple(float((rewards or {}).get(seat, 0.0)) for seat in range(_SEATS))
        if max(map(abs, paid)) > self._bound:
            raise RequestError(
                f"{self.task.name} paid {paid}, more than payoff_bound = {self._bound:g}: raise it"
            )
        self._paid, self.ended = paid, "result"
        self._reasons = {str(key): _plain(one) for key, one in (info or {}).items()}


def _spoken(messages: Any) -> str:
    """Return the messages of an environment without wrappers as text: who, then what."""
    return "\n".join(f"[{'GAME' if who < 0 else f'Player {who}'}] {what}" for who, what, *_ in messages)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
