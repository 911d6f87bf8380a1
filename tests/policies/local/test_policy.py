"""The policy in ``choose`` mode."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import pytest

from equipoise.errors import PolicyError, RequestError
from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, StopReason, Validity


def test_probabilities_are_over_the_legal_actions(tiny: LoadedModel, decisions: list[Decision]) -> None:
    for decision, row in zip(decisions, LocalPolicy(tiny).probabilities(decisions), strict=True):
        assert tuple(row) == decision.legal
        assert math.fsum(row.values()) == pytest.approx(1.0, abs=1e-12)
        assert min(row.values()) > 0.0


def test_a_choice_carries_its_distribution_and_one_generation(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    policy = LocalPolicy(tiny)
    for choice in policy.act(decisions):
        assert choice.validity is Validity.VALID
        (made,) = choice.generations
        assert made.role == "action"
        assert made.stop is StopReason.FINISHED
        assert tiny.tokenizer.decode(list(made.ids)).strip() == choice.action == made.text
        assert tiny.tokenizer.decode(list(made.prompt_ids)).endswith("Action:")
        assert len(made.ids) == len(made.logprobs) == len(made.mask)
        assert choice.probabilities is not None
        expected = math.log(choice.probabilities[choice.action])
        assert math.fsum(made.logprobs) == pytest.approx(expected, abs=1e-9)
        assert 1 <= sum(made.mask) <= len(made.ids)


def test_draws_do_not_depend_on_the_batch(tiny: LoadedModel, decisions: list[Decision]) -> None:
    together = [choice.action for choice in LocalPolicy(tiny).act(decisions)]
    reverse = [choice.action for choice in LocalPolicy(tiny).act(decisions[::-1])][::-1]
    alone = [LocalPolicy(tiny).act([decision])[0].action for decision in decisions]
    assert together == reverse == alone


def test_de_duplication_and_the_prefix_cache_change_no_number(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    fast = LocalPolicy(tiny).probabilities(decisions)
    slow = LocalPolicy(tiny, deduplicate=False, prefix_cache=False).probabilities(decisions)
    for a, b in zip(fast, slow, strict=True):
        assert a == pytest.approx(b, abs=1e-5)


def test_a_question_is_scored_once_until_the_weights_change(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = LocalPolicy(tiny)
    asked: list[int] = []
    real = policy.scorer.log_probabilities
    monkeypatch.setattr(
        policy.scorer, "log_probabilities", lambda q, **kw: asked.append(len(q)) or real(q, **kw)
    )
    distinct = len({policy.question(decision) for decision in decisions})
    policy.act(decisions)
    policy.act(decisions)
    assert asked == [distinct]
    assert distinct < len(decisions)
    question = policy.question(decisions[0])
    assert policy.known(question) == tuple(policy.probabilities(decisions[:1])[0].values())
    policy.clear()
    assert policy.known(question) is None
    policy.act(decisions)
    assert asked == [distinct, distinct]
    assert policy.version == 1


def test_actions_are_drawn_as_often_as_their_probabilities_say(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    policy = LocalPolicy(tiny)
    n = 4000
    many = [replace(decisions[0], draws=DecisionDraws.of_policy(1, f"e{i}", 0, 0, 0)) for i in range(n)]
    counts = Counter(choice.action for choice in policy.act(many))
    for action, p in policy.probabilities(decisions[:1])[0].items():
        assert counts[action] / n == pytest.approx(p, abs=4.0 * math.sqrt(p * (1.0 - p) / n))


def test_temperature_sharpens_and_flattens(tiny: LoadedModel, decisions: list[Decision]) -> None:
    (p,) = LocalPolicy(tiny).probabilities(decisions[:1])
    (flat,) = LocalPolicy(tiny, temperature=2.0).probabilities(decisions[:1])
    weights = {action: math.sqrt(q) for action, q in p.items()}
    total = math.fsum(weights.values())
    assert flat == pytest.approx({a: w / total for a, w in weights.items()}, abs=1e-6)


def test_state_survives_json_bit_for_bit(tiny: LoadedModel, decisions: list[Decision]) -> None:
    policy = LocalPolicy(tiny)
    before = policy.probabilities(decisions)
    policy.version = 7
    state = json.loads(json.dumps(policy.state_dict()))
    other = LocalPolicy(tiny)
    other.load_state_dict(state)
    other.scorer.model = None  # nothing may be scored again
    assert other.probabilities(decisions) == before
    assert other.version == 7
    assert json.dumps(other.state_dict()) == json.dumps(policy.state_dict())


def test_a_resumed_policy_goes_on_with_the_same_bits(tiny: LoadedModel, decisions: list[Decision]) -> None:
    half = len(decisions) // 2
    straight, first, second = LocalPolicy(tiny), LocalPolicy(tiny), LocalPolicy(tiny)
    straight.act(decisions[:half])
    straight.state_dict()
    first.act(decisions[:half])
    second.load_state_dict(first.state_dict())
    assert straight.probabilities(decisions[half:]) == second.probabilities(decisions[half:])


def test_settings_out_of_range_are_named(tiny: LoadedModel) -> None:
    with pytest.raises(RequestError, match="unknown mode 'chose': choose one of choose, think, free"):
        LocalPolicy(tiny, mode="chose")
    with pytest.raises(RequestError, match="temperature 0"):
        LocalPolicy(tiny, temperature=0.0)


def test_free_text_decisions_and_free_mode_give_no_probabilities(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    with pytest.raises(RequestError, match="no legal actions"):
        LocalPolicy(tiny).act([replace(decisions[0], legal=None)])
    free = LocalPolicy(tiny, mode="free")
    assert free.exact_states == 0
    with pytest.raises(PolicyError, match="no action probabilities"):
        free.probabilities(decisions[:1])
