"""``check_game``: what every game must hold."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.progress import Reporter, silent
from equipoise.testing.findings import Report, Rule, examine
from equipoise.testing.game import declaration, knowledge, outcomes, symmetry
from equipoise.testing.game.bench import GameBench, Transpose
from equipoise.testing.game.structure import STRUCTURE

__all__ = ["GAME_RULES", "check_game", "examine_game"]


def _walked(bench: GameBench) -> str:
    """Stand for a rule that was checked while walking."""
    bench.need_structure()
    return bench.extent


GAME_RULES: tuple[Rule[GameBench], ...] = (
    Rule("declaration", "the record is complete and in range", declaration.declaration),
    Rule("options", "a wrong option is a RequestError", declaration.options_in_range),
    *(Rule(name, says, _walked) for name, says in STRUCTURE.items()),
    Rule("immutable", "playing on leaves a position as it was", outcomes.immutable),
    Rule("equal-states", "the same moves lead to equal states", outcomes.equal_play_equal_states),
    Rule("same-payoffs", "the same deal and actions pay the same", outcomes.same_deal_same_payoffs),
    Rule("round-count", "as many rounds are played as declared", outcomes.round_count),
    Rule("payoffs-in-bounds", "payoffs lie within the declared bounds", outcomes.payoffs_in_bounds),
    Rule("zero-sum", "payoffs sum to 0 where declared", outcomes.zero_sum),
    Rule("terms-in-range", "c and x lie in [0, 1], None iff declared", outcomes.terms_in_range),
    Rule("diagnostics", "diagnostics are as declared", outcomes.diagnostics_as_declared),
    Rule("forfeit-in-bounds", "a forfeit keeps what outcomes keep", outcomes.forfeit_in_bounds),
    Rule("stage", "the stage game fits the game", declaration.stage_is_consistent),
    Rule("round-weights", "the weights of the rounds make a mean", declaration.round_weights),
    Rule("info-keys", "info is documented and a function of what is known", knowledge.info_keys),
    Rule("labels-unique", "labels name information states one to one", knowledge.labels_unique),
    Rule("legal-known", "a seat knows what is legal", knowledge.legal_is_known),
    Rule("nothing-hidden", "complete information hides nothing", knowledge.nothing_hidden),
    Rule("same-information", "symmetric seats face the same", symmetry.same_information_states),
    Rule("transposition", "exchanging policies exchanges payoffs", symmetry.transposition),
    Rule("parse-inverse", "what is said for an action is read as it", knowledge.parse_inverse),
    Rule("parse-strict", "no action or two are read as none", knowledge.parse_strict),
)
"""Every rule about a game, in the order of a report."""


def examine_game(
    game: Game,
    *,
    walks: int = 30,
    seed: int = 0,
    limit: int = 2000,
    transpose: Transpose | None = None,
    reporter: Reporter | None = None,
) -> Report:
    """Check every rule about a game and return what was found.

    Args:
        game: The game, with the options to check it under.
        walks: Random lines to play to their end.
        seed: Seed of the lines.
        limit: Positions up to which all of the game is looked at; `transposition` takes twice as many steps.
        transpose: Maps purpose and outcome of a draw to those of the transposed deal, for two seats: the rule
            ``transposition`` then compares single deals, also where a round has too many to compare all.
        reporter: Shows progress.
    """
    bench = GameBench(game, walks, seed, limit, transpose)
    return examine(f"game {game.name}", GAME_RULES, bench, reporter or silent())


def check_game(
    game: Game,
    *,
    walks: int = 30,
    seed: int = 0,
    limit: int = 2000,
    transpose: Transpose | None = None,
    reporter: Reporter | None = None,
) -> Report:
    """Check that a game holds what every game must hold; arguments as for :func:`examine_game`.

    Raises:
        ConformanceError: A rule is broken; the message names it, the offending value and the way out.
    """
    found = examine_game(game, walks=walks, seed=seed, limit=limit, transpose=transpose, reporter=reporter)
    return found.raise_if_failed()
