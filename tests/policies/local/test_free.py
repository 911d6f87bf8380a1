"""The policy in ``free`` mode."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.policies.local import writing as writing_module
from equipoise.policies.local.sampling import Sampled
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Choice, Decision, StopReason, Validity


def ids_of(choices: list[Choice]) -> list[tuple[int, ...]]:
    return [choice.generations[0].ids for choice in choices]


def test_tokens_do_not_depend_on_the_batch(tiny: LoadedModel, decisions: list[Decision]) -> None:
    some = decisions[::4]
    policy = LocalPolicy(tiny, mode="free", max_new_tokens=8)
    together = ids_of(policy.act(some))
    assert ids_of(policy.act(some[::-1]))[::-1] == together
    assert [ids_of(policy.act([decision]))[0] for decision in some] == together
    plain = LocalPolicy(tiny, mode="free", max_new_tokens=8, prefix_cache=False, max_rows=3)
    assert ids_of(plain.act(some)) == together


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_the_model(
    tiny: LoadedModel, decisions: list[Decision], temperature: float
) -> None:
    policy = LocalPolicy(tiny, mode="free", max_new_tokens=6, temperature=temperature)
    for choice in policy.act(decisions[::6]):
        (made,) = choice.generations
        ids = torch.tensor([made.prompt_ids + made.ids])
        with torch.no_grad():
            logits = tiny.model(ids).logits[0, len(made.prompt_ids) - 1 : -1]
        rows = torch.log_softmax(logits / temperature, -1)
        expected = [float(row[token]) for row, token in zip(rows, made.ids, strict=True)]
        assert made.logprobs == pytest.approx(expected, abs=1e-4)
        assert made.mask == (1,) * len(made.ids)


def test_temperature_zero_takes_the_likeliest_token(tiny: LoadedModel, decisions: list[Decision]) -> None:
    policy = LocalPolicy(tiny, mode="free", max_new_tokens=4, temperature=0.0)
    (made,) = policy.act(decisions[:1])[0].generations
    ids = torch.tensor([made.prompt_ids + made.ids])
    with torch.no_grad():
        best = tiny.model(ids).logits[0, len(made.prompt_ids) - 1 : -1].argmax(-1)
    assert tuple(best.tolist()) == made.ids


def test_first_tokens_follow_their_probabilities(tiny: LoadedModel, decisions: list[Decision]) -> None:
    # The mean log-probability of drawn tokens is minus the entropy.
    policy = LocalPolicy(tiny, mode="free", max_new_tokens=1, max_rows=512)
    made = [choice.generations[0] for choice in policy.act(decisions[:1])]
    with torch.no_grad():
        p = torch.softmax(tiny.model(torch.tensor([made[0].prompt_ids])).logits[0, -1].double(), -1)
    n = 512
    many = [replace(decisions[0], draws=DecisionDraws.of_policy(3, f"{i}", 0, 0, 0)) for i in range(n)]
    drawn = [choice.generations[0].logprobs[0] for choice in policy.act(many)]
    mean, square = float((p * p.log()).sum()), float((p * p.log() ** 2).sum())
    assert sum(drawn) / n == pytest.approx(mean, abs=4.0 * math.sqrt((square - mean**2) / n))


@pytest.mark.parametrize(
    ("text", "stop", "action", "validity"),
    [
        ("I think so.\nAction: DEFECT", StopReason.FINISHED, "DEFECT", Validity.VALID),
        ("Action: COOPERATE", StopReason.LENGTH, "COOPERATE", Validity.VALID),
        ("COOPERATE or DEFECT", StopReason.FINISHED, None, Validity.INVALID),
        ("Let me think about", StopReason.LENGTH, None, Validity.TRUNCATED),
    ],
)
def test_text_is_read_strictly_and_failure_is_data(
    tiny: LoadedModel,
    decisions: list[Decision],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    stop: StopReason,
    action: str | None,
    validity: Validity,
) -> None:
    ids = tuple(tiny.tokenizer(text)["input_ids"])

    def fake(_: Any, prompts: list[Any], *args: Any, **kwargs: Any) -> list[Sampled]:
        return [Sampled(ids, (-1.0,) * len(ids), stop) for _ in prompts]

    monkeypatch.setattr(writing_module, "generate", fake)
    (choice,) = LocalPolicy(tiny, mode="free").act(decisions[:1])
    assert (choice.action, choice.validity) == (action, validity)
    assert choice.generations[0].text == text
    assert bool(choice.detail) == (action is None)


def test_a_turn_ends_with_its_token_and_a_budget_is_a_budget(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    end = tiny.tokenizer.eos_token_id
    for choice in LocalPolicy(tiny, mode="free", max_new_tokens=24).act(decisions):
        (made,) = choice.generations
        assert end not in made.ids[:-1]
        assert (made.ids[-1] == end) == (made.stop is StopReason.FINISHED)
        assert len(made.ids) == 24 or made.stop is StopReason.FINISHED
