"""A wording as data: the sentences of one way of putting a game, and the renderer that fills them in.

A game may be put in many words; a policy that is safe in one of them only is not safe. What changes from
wording to wording is text, so a :class:`Wording` is text, with fields in braces as :meth:`str.format` takes
them. What the fields hold belongs to the game: its renderer says so once, for all wordings (see
``prompts/ipd.py`` for the fields and ``prompts/panels/ipd.py`` for the texts).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Action, Decision

__all__ = ["WordedRenderer", "Wording"]

Fields = Mapping[str, Any]
"""What a text's braces stand for."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way of putting a game into words.

    Attributes:
        name: Short name, unique in the game's panel.
        rules: The rules and the form of an answer; ``{marker}`` is what an answer begins with.
        situation: What the seat knows now; ``{past}`` is the list of past rounds, oldest first, and
            ``{every[KEY]}`` one column of it, separated by commas.
        row: One past round; ``{t}`` is its number, from 1.
        between: What stands between past rounds.
        none: What stands for the past before the first round.
        words: The word for each action, card or quantity that is not said as the rules say it.
        parts: Sentences that depend on options or on the situation, by a name that the game gives.
    """

    name: str
    rules: str
    situation: str
    row: str = ""
    between: str = " "
    none: str = "none"
    words: Mapping[Hashable, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)

    def but(self, name: str, *, parts: Mapping[str, str] | None = None, **changes: Any) -> Wording:
        """Return a wording that differs in some texts only; ``parts`` are added to those there are."""
        return replace(self, name=name, parts={**self.parts, **(parts or {})}, **changes)


class WordedRenderer(Renderer):
    """A renderer whose text is a :class:`Wording`; subclasses say what the fields are.

    Attributes:
        panel: The game's wordings, the plain one first.
        text: The wording in use.
    """

    panel: ClassVar[tuple[Wording, ...]]

    def __init__(self, wording: Wording | None = None) -> None:
        """Take a wording; the plain one if None."""
        self.text = self.panel[0] if wording is None else wording
        self.wording = self.text.name

    @abstractmethod
    def terms(self, options: Any) -> Fields:
        """Return the fields of the rules, given the game's options."""

    @abstractmethod
    def state(self, info: Any) -> Fields:
        """Return the fields of the situation, given what the seat knows."""

    @abstractmethod
    def rows(self, info: Any) -> Sequence[Fields]:
        """Return the fields of every past round, oldest first."""

    def rules(self, game: Rules) -> str:
        """Return the rules with the options in force."""
        return self.text.rules.format(marker=MARKER, **self.terms(game.options)) + "\n\n"

    def situation(self, decision: Decision) -> str:
        """Return what the seat knows now."""
        info = decision.info
        rows = self.rows(info)
        past = self.text.between.join(self.text.row.format(t=t, **row) for t, row in enumerate(rows, 1))
        return self.text.situation.format(
            past=past or self.text.none, every=_Columns(rows), **self.state(info)
        )

    def say(self, action: Action) -> str:
        """Return the word for an action."""
        return self.word(action)

    def word(self, thing: Hashable) -> str:
        """Return the word for an action, a card or a quantity."""
        return self.text.words.get(thing, str(thing))

    def part(self, name: str, **fields: Any) -> str:
        """Return a sentence of the wording, filled in; nothing if the wording has none of that name."""
        return self.text.parts.get(name, "").format(**fields)


class _Columns(dict[str, str]):
    """The columns of a table of rows, written when a text asks for them."""

    def __init__(self, rows: Sequence[Fields]) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, key: str) -> str:
        return ", ".join(str(row[key]) for row in self._rows)
