"""Prompts as one growing chat an episode."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.policies.local import chats as chats_module
from equipoise.policies.local.chat import end_of_turn, next_turn_ids
from equipoise.policies.local.think import ASK
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, DecisionDraws, Split
from equipoise.types import Choice, Decision

GAMES: dict[str, dict[str, Any]] = {"ipd": {"rounds": 3}, "kuhn": {"rounds": 2, "memory": True}}


def talking(tiny: LoadedModel, mode: str = "think", **settings: Any) -> LocalPolicy:
    given = {"thought_tokens": 5, "max_new_tokens": 5, "history": "chat", **settings}
    return LocalPolicy(tiny, mode, **given)


def played(
    policy: LocalPolicy, game: str, episodes: int = 2, **options: Any
) -> list[list[tuple[Decision, Choice]]]:
    """Play episodes of a policy with itself at once; return what each seat was asked and answered."""
    rules = make_game(game, **{**GAMES[game], **options})
    matches = [Match(rules, Deal(0, Split.TRAIN, rules.info_record.key, i).chance) for i in range(episodes)]
    found: dict[tuple[int, int], list[tuple[Decision, Choice]]] = {}
    while opened := [i for i, match in enumerate(matches) if not match.is_over]:
        asked = []
        for i in opened:
            for seat in matches[i].players_to_move:
                index = len(found.get((i, seat), []))
                draws = DecisionDraws.of_policy(0, f"{i}", seat, index, 0)
                asked.append((i, matches[i].decision(seat, f"{i}", draws, 0)))
        choices = policy.act([decision for _, decision in asked])
        actions: dict[int, dict[int, Any]] = {i: {} for i in opened}
        for (i, decision), choice in zip(asked, choices, strict=True):
            found.setdefault((i, decision.seat), []).append((decision, choice))
            legal = decision.legal or ()
            actions[i][decision.seat] = legal[0] if choice.action is None else choice.action
        for i in opened:
            matches[i].apply(actions[i])
    return list(found.values())


@pytest.mark.parametrize("mode", ["think", "free"])
@pytest.mark.parametrize("game", list(GAMES))
def test_every_prompt_goes_on_from_the_answer_before_it(tiny: LoadedModel, game: str, mode: str) -> None:
    lengths = set()
    end = end_of_turn(tiny.tokenizer)
    for turns in played(talking(tiny, mode), game):
        lengths.add(len(turns))
        for _, choice in turns:
            for thought, action in pairwise(choice.generations):
                said = thought.prompt_ids + thought.ids
                assert action.prompt_ids[: len(said)] == said
        for (_, before), (decision, choice) in pairwise(turns):
            last, first = before.generations[-1], choice.generations[0]
            said = last.prompt_ids + last.ids
            assert first.prompt_ids[: len(said)] == said
            # The turn ends once, then comes what is the case now.
            added = first.prompt_ids[len(said) - (said[-1] == end) :]
            assert added.count(end) == 2
            text = tiny.tokenizer.decode(list(added))
            situation = get_renderer(game).prompt(decision).situation
            assert situation + (ASK if mode == "think" else "") in text
            assert text.startswith("<|end|>")
            assert text.endswith("<|start|>assistant\n")
            assert get_renderer(game).prompt(decision).rules not in text
    assert max(lengths) > 1


def test_the_first_prompt_is_the_usual_one(tiny: LoadedModel) -> None:
    one = played(talking(tiny), "ipd")[0][0]
    (again,) = LocalPolicy(tiny, "think", thought_tokens=5).act([one[0]])
    assert [(m.prompt_ids, m.ids) for m in one[1].generations] == [
        (m.prompt_ids, m.ids) for m in again.generations
    ]


def test_independent_hands_know_nothing_of_each_other(tiny: LoadedModel) -> None:
    """A later hand begins with the rules again, and says nothing of the one before it."""
    begun = 0
    for turns in played(talking(tiny), "kuhn", memory=False):
        for decision, choice in turns:
            text = tiny.tokenizer.decode(list(choice.generations[0].prompt_ids))
            prompt = get_renderer("kuhn").prompt(decision)
            assert text.count(prompt.rules) == 1
            assert text.count("You hold the") == decision.index + 1
            begun += decision.index == 0
    assert begun == 2 * 2 * 2


def test_conversations_do_not_depend_on_the_batch_or_on_caches(tiny: LoadedModel) -> None:
    together = played(talking(tiny), "ipd", 3)
    policy = talking(tiny, prefix_cache=False, max_rows=2)
    for turns, alone in zip(together, played(policy, "ipd", 3), strict=True):
        for (_, a), (_, b) in zip(turns, alone, strict=True):
            assert [made.ids for made in a.generations] == [made.ids for made in b.generations]


def test_a_decision_that_is_asked_again_begins_where_the_one_before_it_ended(tiny: LoadedModel) -> None:
    policy = talking(tiny)
    rules = make_game("ipd", rounds=3)
    match = Match(rules, Deal(0, Split.TRAIN, rules.info_record.key, 0).chance)
    draws = DecisionDraws.of_policy(0, "e", 0, 0, 0)
    policy.act([match.decision(0, "e", draws, 0)])
    match.apply({0: "COOPERATE", 1: "DEFECT"})
    second = match.decision(0, "e", draws, 0)
    (first_try,) = policy.act([second])
    (again,) = policy.act([replace(second, retry=1)])
    assert again.generations[0].prompt_ids == first_try.generations[0].prompt_ids


def test_what_was_not_seen_from_the_start_is_asked_like_a_first_decision(tiny: LoadedModel) -> None:
    policy = talking(tiny)
    turns = played(policy, "ipd")[0]
    policy.forget()
    (choice,) = policy.act([turns[2][0]])
    (fresh,) = LocalPolicy(tiny, "think", thought_tokens=5).act([turns[2][0]])
    assert choice.generations == fresh.generations
    # Nor does an episode go on from another of the same name.
    again = played(policy, "ipd")[0]
    assert [c.generations for _, c in again] == [c.generations for _, c in turns]


def test_prompts_are_built_anew_unless_asked_for(tiny: LoadedModel) -> None:
    for turns in played(talking(tiny, history="state"), "ipd"):
        for decision, choice in turns:
            (fresh,) = LocalPolicy(tiny, "think", thought_tokens=5).act([decision])
            assert choice.generations[0].prompt_ids == fresh.generations[0].prompt_ids


def test_only_so_many_conversations_are_kept(tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chats_module, "MOST", 3)
    policy = talking(tiny)
    played(policy, "ipd", 4)
    assert len(policy._chats._after) == 3


def test_tokenizers_without_a_template_get_lines(tiny: LoadedModel) -> None:
    class Plain:
        chat_template = None

        def __call__(self, text: str, **given: Any) -> Any:
            return tiny.tokenizer(text, **given)

    assert tiny.tokenizer.decode(list(next_turn_ids("Now round 2.", Plain()))) == "\nNow round 2.\n"


def test_settings_that_cannot_be_are_named(tiny: LoadedModel) -> None:
    with pytest.raises(RequestError, match="unknown history 'log': choose one of state, chat"):
        talking(tiny, history="log")
    with pytest.raises(RequestError, match="mode 'choose' writes nothing"):
        talking(tiny, "choose")
    policy = talking(tiny)
    assert policy.fingerprint.endswith("/think/1/5/chat")
    assert policy.in_wording("formal").history == "chat"
