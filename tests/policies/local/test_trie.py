from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.policies.local.trie import Branch, Step, build_trie

END = 99


def test_words_that_differ_in_their_first_token_have_one_branch() -> None:
    trie = build_trie([(1, 2, 3), (4, 5)], END)
    assert trie.branches == (Branch((), (1, 4)),)
    assert trie.steps == ((Step(0, 0),), (Step(0, 1),))
    assert trie.first_tokens == (1, 4)
    assert trie.rows() == (((), (0,)),)


def test_forced_tokens_cost_nothing_and_the_branch_lies_deeper() -> None:
    trie = build_trie([(7, 1), (7, 2)], END)
    assert trie.branches == (Branch((7,), (1, 2)),)
    assert trie.first_tokens == (7,)


def test_a_word_that_begins_another_ends_in_the_end_of_turn() -> None:
    trie = build_trie([(1,), (1, 0), (2,)], END)
    assert trie.continuations == ((1, END), (1, 0), (2,))
    assert trie.branches == (Branch((), (1, 2)), Branch((1,), (END, 0)))
    assert trie.steps == ((Step(0, 0), Step(1, 0)), (Step(0, 0), Step(1, 1)), (Step(0, 1),))
    assert trie.rows() == (((1,), (0, 1)),), "the root is passed on the way to the deeper branch"


def test_every_branch_is_read_exactly_once() -> None:
    trie = build_trie([(1, 1), (1, 2), (2, 1), (2, 2)], END)
    passed = [branch for _, branches in trie.rows() for branch in branches]
    assert sorted(passed) == [0, 1, 2]
    assert len(trie.rows()) == 2


def test_a_single_word_has_no_branch() -> None:
    trie = build_trie([(1, 2)], END)
    assert trie.branches == ()
    assert trie.rows() == ()
    assert trie.token_logprobs(0, (1.0,)) == ((0.0, 0.0), (0, 0))
    assert trie.allowed(0) == (None, None)


@pytest.mark.parametrize("words", [[], [(1,), (1,)]])
def test_words_that_cannot_be_told_apart_are_an_error(words: list[tuple[int, ...]]) -> None:
    with pytest.raises(RequestError, match="do not differ"):
        build_trie(words, END)


def test_token_log_probabilities_are_conditional_and_masked() -> None:
    trie = build_trie([(1, 5), (1, 6), (2, 7)], END)
    logprobs, mask = trie.token_logprobs(1, (0.2, 0.3, 0.5))
    assert logprobs == pytest.approx((math.log(0.5), math.log(0.6)))
    assert mask == (1, 1)
    assert trie.token_logprobs(2, (0.2, 0.3, 0.5)) == ((pytest.approx(math.log(0.5)), 0.0), (1, 0))


words = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple), min_size=1, unique=True)


@given(words, st.data())
def test_token_log_probabilities_sum_to_the_action(found: list[tuple[int, ...]], data: st.DataObject) -> None:
    trie = build_trie(found, END)
    weights = data.draw(st.lists(st.floats(0.01, 1.0), min_size=len(found), max_size=len(found)))
    probabilities = [w / math.fsum(weights) for w in weights]
    for action, p in enumerate(probabilities):
        logprobs, mask = trie.token_logprobs(action, probabilities)
        assert math.fsum(logprobs) == pytest.approx(math.log(p), abs=1e-9)
        assert sum(mask) == len(trie.steps[action])
