"""A local model that is asked in other words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.registry import get_strategy
from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.policies.local import writing as writing_module
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.registry import load_policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.worded import Worded, in_words
from equipoise.prompts.registry import get_renderer, wordings
from equipoise.types import Decision, StopReason
from tests.policies.local.conftest import play_randomly


def test_a_language_model_reads_words_and_a_strategy_does_not(tiny: LoadedModel) -> None:
    assert isinstance(LocalPolicy(tiny), Worded)
    assert not isinstance(StrategyPolicy(get_strategy("ipd", "tit_for_tat")), Worded)
    assert in_words("smollm2", "anonymous") == "smollm2 [anonymous]"


@pytest.mark.parametrize("mode", ["choose", "free"])
def test_name_and_fingerprint_tell_wordings_apart_and_leave_the_plain_one_as_it_was(
    tiny: LoadedModel, mode: str
) -> None:
    policies = [LocalPolicy(tiny, mode, wording=name) for name in wordings("ipd")]
    assert len({policy.name for policy in policies}) == len(policies)
    assert len({policy.fingerprint for policy in policies}) == len(policies)
    assert policies[0].name == "tiny-random"
    assert policies[0].fingerprint == f"{tiny.fingerprint}/float32/{mode}/1" + (
        "/32" if mode == "free" else ""
    )
    assert policies[-1].name == "tiny-random [anonymous]"
    assert LocalPolicy(tiny, name="mine", wording="formal").name == "mine [formal]"


def test_the_same_model_in_other_words_keeps_settings_and_shares_weights_but_no_table(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    policy = LocalPolicy(
        tiny, "choose", 0.5, 7, "mine", deduplicate=False, prefix_cache=False, max_rows=3, wording="listed"
    )
    policy.version = 4
    other = policy.in_wording("formal")
    assert other.loaded is policy.loaded
    assert (other.name, other.wording, other.version) == ("mine [formal]", "formal", 4)
    assert (other.mode, other.temperature, other.deduplicate) == ("choose", 0.5, False)
    assert (other.scorer.prefix_cache, other._free.writer.max_rows, other._free.max_new_tokens) == (
        False,
        3,
        7,
    )
    assert other.in_wording("listed").fingerprint == policy.fingerprint
    first = LocalPolicy(tiny)
    first.probabilities(decisions[:3])
    second = first.in_wording("formal")
    assert second.known(first.question(decisions[0])) is None


@pytest.mark.parametrize("game", game_names())
def test_every_wording_is_asked_as_it_renders_and_answered_in_the_game_s_own_actions(
    tiny: LoadedModel, game: str
) -> None:
    some = play_randomly(game, 1)[:3]
    seen = []
    for name in wordings(game):
        policy = LocalPolicy(tiny, wording=name)
        renderer = get_renderer(game, name)
        for decision, choice in zip(some, policy.act(some), strict=True):
            question = policy.question(decision)
            assert question.prompt == renderer.prompt(decision)
            assert question.words == tuple(renderer.say(action) for action in decision.legal or ())
            assert choice.action in (decision.legal or ())
            assert choice.generations[0].text == renderer.say(choice.action)  # type: ignore[arg-type]
            assert choice.probabilities is not None
            assert tuple(choice.probabilities) == decision.legal
            assert math.fsum(choice.probabilities.values()) == pytest.approx(1.0, abs=1e-12)
        seen.append(tuple(policy.probabilities(some[:1])[0].values()))
    assert len(set(seen)) == len(seen)


def test_exchanged_words_exchange_the_actions_that_a_word_stands_for(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    """Ask a question about words whose meaning the model cannot know: only the mapping back differs."""
    first = next(decision for decision in decisions if decision.rules.name == "ipd")
    swapped = LocalPolicy(tiny, wording="swapped_labels")
    question = swapped.question(first)
    (row,) = swapped.probabilities([first])
    by_word = dict(zip(question.words, swapped.known(question) or (), strict=True))
    assert question.words == ("DEFECT", "COOPERATE")
    assert row == {"COOPERATE": by_word["DEFECT"], "DEFECT": by_word["COOPERATE"]}


@pytest.mark.parametrize(
    ("wording", "text", "action"),
    [
        ("anonymous", "Well.\nAction: B", "DEFECT"),
        ("anonymous", "Action: DEFECT", None),
        ("swapped_labels", "Action: DEFECT", "COOPERATE"),
        ("plain", "Action: B", None),
    ],
)
def test_free_text_is_read_in_the_words_that_were_asked_for(
    tiny: LoadedModel,
    decisions: list[Decision],
    monkeypatch: pytest.MonkeyPatch,
    wording: str,
    text: str,
    action: str | None,
) -> None:
    ids = tuple(tiny.tokenizer(text, add_special_tokens=False)["input_ids"])
    said = Sampled(ids, (0.0,) * len(ids), StopReason.FINISHED)
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(
        writing_module, "generate", lambda backbone, prompts, *args, **kw: asked.extend(prompts) or [said]
    )
    (choice,) = LocalPolicy(tiny, mode="free", wording=wording).act(decisions[:1])
    assert choice.action == action
    read = tiny.tokenizer.decode(list(asked[0]))
    assert get_renderer("ipd", wording).situation(decisions[0]) in read


def test_an_unknown_wording_is_named_with_the_nearest_before_a_model_is_loaded(
    tiny: LoadedModel, decisions: list[Decision], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RequestError, match=r"unknown wording of ipd 'formel': did you mean 'formal'\?"):
        LocalPolicy(tiny, wording="formel").act(decisions[:1])

    def load(*args: object, **settings: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(LocalPolicy, "from_spec", load)
    with pytest.raises(RequestError, match="did you mean 'casual'"):
        load_policy("tiny-random", make_game("kuhn"), wording="causal")


def test_the_state_of_one_wording_answers_no_question_of_another(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    policy = LocalPolicy(tiny, wording="record")
    before = policy.probabilities(decisions[:2])
    again = policy.in_wording("record")
    again.load_state_dict(policy.state_dict())
    again.scorer.model = None  # nothing may be scored again
    assert again.probabilities(decisions[:2]) == before
    other = replace(decisions[0], episode="another")
    assert policy.in_wording("listed").known(policy.question(other)) is None
