"""Several processes play, credit and train as one."""

from __future__ import annotations

from collections import Counter

import pytest

from equipoise.rollout.engine import play
from equipoise.training.batch import SampledStep
from equipoise.training.config import SepoConfig
from equipoise.training.samples import decision_samples
from equipoise.training.trl.ranks import Ranks, share
from tests.training.trl.runs import arena_of, policy_of


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_group_is_played_by_one_rank_whole(count: int) -> None:
    policy = policy_of("choose")
    arena = arena_of(policy, SepoConfig(deals=2, rollouts=3))
    asked = arena.requests(policy, 4)
    shares = [share(asked, Ranks(i, count)) for i in range(count)]
    assert Counter(one.id for mine in shares for one in mine) == Counter(one.id for one in asked)
    for mine in shares:
        groups = Counter((one.pool, one.opponent, one.seat, one.deal.index) for one in mine)
        assert set(groups.values()) <= {3}
    sizes = [len(mine) for mine in shares]
    assert max(sizes) - min(sizes) <= 3


def test_episodes_that_come_from_elsewhere_are_credited_as_if_played_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = policy_of("free")
    arena = arena_of(policy, SepoConfig(deals=2, rollouts=2))
    asked = arena.requests(policy, 0)
    played = play(asked)
    ranks = Ranks(0, 2)
    # The other rank's lines come after ours, so nothing is in the order of the requests.
    monkeypatch.setattr(Ranks, "gather", lambda self, mine: mine[::-1])
    found = ranks.exchange(played, asked)
    assert [one.episode for one in found] == [one.episode for one in played]

    def samples(episodes: list[object]) -> object:
        from equipoise.objective.groups import group_episodes

        fresh = arena_of(policy, arena.config)
        groups = group_episodes([one.episode for one in episodes])  # type: ignore[attr-defined]
        step: SampledStep = fresh.credit(policy, episodes, groups, {})  # type: ignore[arg-type]
        return decision_samples(step)

    assert samples(list(found)) == samples(list(played))


def test_a_decision_of_elsewhere_cannot_be_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policy_of("choose")
    asked = arena_of(policy, SepoConfig(deals=1, rollouts=2)).requests(policy, 0)[:1]
    monkeypatch.setattr(Ranks, "gather", lambda self, mine: mine)
    found = Ranks(0, 2).exchange(play(asked), asked)
    with pytest.raises(RuntimeError, match="not played again"):
        found[0].decisions[0].draws.uniform("action")


def test_the_launcher_says_which_process_this_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert Ranks.here() == Ranks(0, 1)
    assert Ranks.here().main
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert Ranks.here("cuda") == Ranks(3, 4, cpu=False)
    assert not Ranks.here().main
