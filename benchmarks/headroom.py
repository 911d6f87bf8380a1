"""Prints what there is to gain by advice in the tasks of ``epo-quickstart``, for ``docs/strategist.md``.

    OMP_NUM_THREADS=1 python benchmarks/headroom.py

Scripted strategists advise the recipe's actors on the deals on which the recipe judges: each kind of advice
always, a kind drawn uniformly at every turn, and rules that look at the situation.
"""

from __future__ import annotations

from collections.abc import Callable

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.prompts.phrasings import phrasings
from equipoise.training.epo.recipe import EpoTask, load_epo
from equipoise.training.epo.wording import drawn_text
from equipoise.types import Decision

Says = Callable[[Decision], str]


def kinds(game: str) -> dict[str, Says]:
    """Return strategists that always give one kind of advice, in ever other words."""
    return {
        f"always {name}": lambda d, some=some: some[int(d.draws.uniform("way") * len(some))]  # type: ignore[misc]
        for name, some in phrasings(game).items()
    }


def at_random(game: str) -> Says:
    """Return a strategist that draws kind and words."""
    texts = phrasings(game)
    return lambda d: drawn_text(texts, d.draws.uniform("kind"), d.draws.uniform("way"))


def by_family(decision: Decision) -> str:
    """Hold firm where a price is bargained over, ask where there is something to learn."""
    wanted = "You want to learn" in str(decision.info["private"])
    return "Ask what they know." if wanted else "Hold firm."


def to_the_end(decision: Decision) -> str:
    """Reciprocate, and defect in the last round."""
    last = decision.info["round"] == decision.rules.info_record.rounds - 1
    return "Defect this round." if last else "Play tit for tat."


RULES: dict[str, dict[str, Says]] = {
    "social": {"firm or ask, by situation": by_family},
    "ipd": {"reciprocate, defect at the end": to_the_end},
}


def table(game: str, task: EpoTask, episodes: int) -> None:
    """Print the goal score under every strategist."""
    rules = load_game(game, {**task.options, **task.held_out})
    config = AuditConfig(episodes, pools=default_pools(game).replace(task.pools))
    actor = load_policy(task.actor, rules)
    strategists = {"at random": at_random(game), **kinds(game), **RULES[game]}
    print(f"\n| {game}: advice | score |\n|---|---|")
    print(f"| none | {audit_game(rules, actor, config).metrics['utility']} |")
    for name, says in strategists.items():
        policy = advised(FunctionAdviser(says, name, name), actor)
        print(f"| {name} | {audit_game(rules, policy, config).metrics['utility']} |")


if __name__ == "__main__":
    recipe = load_epo("epo-quickstart")
    for name, one in recipe.tasks.items():
        table(name, one, recipe.audit.episodes)
