"""The policy in ``think`` mode."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.policies.local import LoadedModel, LocalPolicy, load_spec
from equipoise.policies.local import writing as writing_module
from equipoise.policies.local.chat import prompt_ids
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.local.think import ASK, Thinking, ThinkText
from equipoise.prompts.base import MARKER
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Choice, Decision, Generation, StopReason, Validity


def thinking(tiny: LoadedModel, tokens: int = 6, **settings: Any) -> LocalPolicy:
    return LocalPolicy(tiny, mode="think", thought_tokens=tokens, **settings)


def parts(choice: Choice) -> tuple[Generation, Generation]:
    thought, action = choice.generations
    return thought, action


def ids_of(choices: Sequence[Choice]) -> list[Any]:
    return [(*(made.ids for made in choice.generations), choice.action) for choice in choices]


def saying(monkeypatch: pytest.MonkeyPatch, ids: Sequence[int], stop: StopReason) -> None:
    """Let every thought be the same tokens."""

    def fake(backbone: Any, prompts: list[Any], *given: Any, **named: Any) -> list[Sampled]:
        return [Sampled(tuple(ids), (-1.0,) * len(ids), stop) for _ in prompts]

    monkeypatch.setattr(writing_module, "generate", fake)


def tokens(tiny: LoadedModel, text: str) -> tuple[int, ...]:
    return tuple(tiny.tokenizer(text, add_special_tokens=False)["input_ids"])


def test_a_choice_is_a_thought_and_an_action(tiny: LoadedModel, decisions: list[Decision]) -> None:
    for decision, choice in zip(decisions[::3], thinking(tiny).act(decisions[::3]), strict=True):
        thought, action = parts(choice)
        assert (choice.validity, choice.action in (decision.legal or ())) == (Validity.VALID, True)
        assert choice.probabilities is None
        assert (thought.role, action.role) == ("thought", "action")
        assert thought.allowed == ()
        assert thought.mask == (1,) * len(thought.ids)
        prompt = get_renderer(decision.rules.name).prompt(decision)
        asked = prompt_ids(replace(prompt, situation=prompt.situation + ASK), tiny.tokenizer)
        assert thought.prompt_ids == asked
        assert action.prompt_ids[: len(asked)] == asked
        assert any(among is not None for among in action.allowed)
        assert all(
            (among is None) == (bit == 0) for among, bit in zip(action.allowed, action.mask, strict=True)
        )
        assert action.text == get_renderer(decision.rules.name).say(choice.action)


def test_tokens_and_actions_do_not_depend_on_the_batch(tiny: LoadedModel, decisions: list[Decision]) -> None:
    some = decisions[::4]
    policy = thinking(tiny)
    together = ids_of(policy.act(some))
    assert ids_of(policy.act(some[::-1]))[::-1] == together
    assert [ids_of(policy.act([decision]))[0] for decision in some] == together
    assert ids_of(thinking(tiny, prefix_cache=False, max_rows=3).act(some)) == together
    assert len(set(together)) > len(some) // 2


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_the_model(
    tiny: LoadedModel, decisions: list[Decision], temperature: float
) -> None:
    """The thought's over the vocabulary, the action's over what was allowed at each token."""
    for choice in thinking(tiny, temperature=temperature).act(decisions[::6]):
        for made in choice.generations:
            ids = torch.tensor([made.prompt_ids + made.ids])
            with torch.no_grad():
                logits = tiny.model(ids).logits[0, len(made.prompt_ids) - 1 : -1] / temperature
            for i, (token, logprob) in enumerate(zip(made.ids, made.logprobs, strict=True)):
                among = made.allowed[i] if made.allowed else tuple(range(logits.shape[1]))
                if among is None:
                    assert (made.mask[i], logprob) == (0, 0.0)
                    continue
                row = torch.log_softmax(logits[i, list(among)], -1)
                assert logprob == pytest.approx(float(row[among.index(token)]), abs=1e-4)


def test_words_of_several_branches_are_tempered_at_each(tiny: LoadedModel) -> None:
    """Tuples of numbers branch more than once; nothing but local softmaxes then gives the probabilities."""
    from tests.policies.local.conftest import play_randomly

    decision = play_randomly("multi_issue", 1)[0]
    policy = thinking(tiny, temperature=0.5)
    (choice,) = policy.act([decision])
    _, action = parts(choice)
    assert sum(action.mask) > 1
    ids = torch.tensor([action.prompt_ids + action.ids])
    with torch.no_grad():
        logits = tiny.model(ids).logits[0, len(action.prompt_ids) - 1 : -1] / 0.5
    for i, among in enumerate(action.allowed):
        if among is not None:
            row = torch.log_softmax(logits[i, list(among)], -1)
            assert action.logprobs[i] == pytest.approx(float(row[among.index(action.ids[i])]), abs=1e-4)


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("They will defect.\nAction:", "They will defect.\nAction:"),
        ("They will defect.", "They will defect.<|end|>\n<|start|>assistant\nAction:"),
        ("Action:\n", "Action:\n\nAction:"),
    ],
    ids=["marker", "turn ended", "token goes on after the marker"],
)
def test_what_lies_between_thought_and_action(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch, text: str, lead: str
) -> None:
    ends = not text.startswith("Action") and not text.endswith(MARKER)
    said = tokens(tiny, text) + ((tiny.tokenizer.eos_token_id,) if ends else ())
    saying(monkeypatch, said, StopReason.FINISHED)
    thought, action = parts(thinking(tiny).act(decisions[:1])[0])
    assert thought.ids == said
    assert (thought.text, thought.stop) == (text, StopReason.FINISHED)
    read = action.prompt_ids[len(thought.prompt_ids) :]
    assert tiny.tokenizer.decode(list(read)) == lead
    # All that was sampled is read.
    assert read[: len(said)] == said


def test_without_turns_a_text_that_ended_goes_on(
    decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = load_spec("tiny-random", threads=1)
    plain.tokenizer.chat_template = None
    said = (*tokens(plain, "They will defect."), plain.tokenizer.eos_token_id)
    saying(monkeypatch, said, StopReason.FINISHED)
    thought, action = parts(thinking(plain).act(decisions[:1])[0])
    assert (thought.ids, thought.mask) == (said, (1,) * len(said))
    read = action.prompt_ids[len(thought.prompt_ids) :]
    assert plain.tokenizer.decode(list(read)) == "They will defect.\nAction:"


def test_a_thought_that_runs_out_is_cut_and_never_invalid(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    choices = thinking(tiny, tokens=3).act(decisions)
    cut = [parts(c) for c in choices if c.generations[0].stop is StopReason.LENGTH]
    assert len(cut) > len(choices) // 2
    assert {choice.validity for choice in choices} == {Validity.VALID}
    for thought, action in cut:
        assert len(thought.ids) == 3
        assert action.prompt_ids == thought.prompt_ids + thought.ids + tokens(tiny, f"\n{MARKER}")


def test_the_marker_ends_a_thought_whatever_tokens_it_comes_in(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is made to write one character a token: the marker then never is a token of its own."""
    script = [tokens(tiny, c)[0] for c in "ok Action: DEFECT"]

    policy = thinking(tiny, tokens=40, prefix_cache=False)
    (start,) = [parts(c)[0].prompt_ids for c in policy.act(decisions[:1])]
    real = tiny.model.forward

    def forward(*args: Any, **named: Any) -> Any:
        output = real(*args, **named)
        step = forward.step  # type: ignore[attr-defined]
        if step < len(script) and named.get("use_cache", True):
            output.logits[:, -1, :] = -50.0
            output.logits[:, -1, script[step]] = 50.0
            forward.step = step + 1  # type: ignore[attr-defined]
        return output

    forward.step = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(tiny.model, "forward", forward)
    thought, action = parts(policy.act(decisions[:1])[0])
    assert thought.prompt_ids == start
    assert (thought.text, thought.stop) == ("ok Action:", StopReason.FINISHED)
    assert thought.ids == tuple(script[: len("ok Action:")])
    assert action.prompt_ids == start + thought.ids


def test_tags_of_a_model_s_own_end_its_thoughts(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = Thinking("</t>", f"\n\n{MARKER}", f"\n</t>\n\n{MARKER}")
    policy = thinking(tiny)
    writer = ThinkText(
        tiny, policy.scorer, temperature=1.0, thought_tokens=6, max_rows=8, chats=policy._chats, form=tagged
    )
    for text, lead in [("a Action: b</t>", "a Action: b</t>\n\nAction:"), ("a", "a\n</t>\n\nAction:")]:
        saying(monkeypatch, tokens(tiny, text), StopReason.FINISHED)
        thought, action = parts(writer.answer(decisions[:1], [policy.question(decisions[0])])[0])
        assert tiny.tokenizer.decode(list(action.prompt_ids[len(thought.prompt_ids) :])) == lead


def test_actions_are_drawn_as_often_as_their_probabilities_say(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch, tokens(tiny, "so"), StopReason.LENGTH)
    n = 400
    many = [replace(decisions[0], draws=DecisionDraws.of_policy(3, f"{i}", 0, 0, 0)) for i in range(n)]
    choices = thinking(tiny).act(many)
    counts = Counter(choice.action for choice in choices)
    for action, count in counts.items():
        p = next(math.exp(sum(parts(c)[1].logprobs)) for c in choices if c.action == action)
        assert 0.01 < p < 0.99
        assert count / n == pytest.approx(p, abs=4.0 * math.sqrt(p * (1.0 - p) / n))


def test_temperature_zero_takes_the_likeliest(tiny: LoadedModel, decisions: list[Decision]) -> None:
    policy = thinking(tiny, temperature=0.0)
    again = [replace(d, draws=DecisionDraws.of_policy(9, "x", 0, 0, 0)) for d in decisions[:4]]
    assert ids_of(policy.act(decisions[:4])) == ids_of(policy.act(again))
    for choice in policy.act(decisions[:4]):
        assert math.exp(sum(parts(choice)[1].logprobs)) >= 0.5


def test_it_gives_no_probabilities_and_is_told_apart(tiny: LoadedModel, decisions: list[Decision]) -> None:
    policy = thinking(tiny, tokens=9)
    with pytest.raises(NoProbabilitiesError):
        policy.probabilities(decisions[:1])
    assert (policy.always_legal, policy.exact_states) == (True, 0)
    assert policy.fingerprint.endswith("/think/1/9")
    assert policy.in_wording("formal")._think.thought_tokens == 9
    with pytest.raises(RequestError, match="a budget of 0 tokens"):
        thinking(tiny, tokens=0)
    with pytest.raises(RequestError, match="no legal actions to choose from"):
        policy.act([replace(decisions[0], legal=None)])
