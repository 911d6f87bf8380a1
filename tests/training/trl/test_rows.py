"""Rows are what TRL expects, and weigh what the objective says."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from equipoise.training.samples import DecisionSample
from equipoise.training.trl.rows import chat_rows, collate, decision_rows, padded_count


def sample(
    prompt: tuple[int, ...] = (1, 2),
    completion: tuple[int, ...] = (3, 4, 5),
    advantage: float = 1.5,
    episodes: int = 3,
    episode: str = "one",
) -> DecisionSample:
    size = len(completion)
    logs = tuple(-0.5 - i for i in range(size))
    stream = ("train", "tit_for_tat")
    return DecisionSample(
        prompt,
        completion,
        logs,
        (1,) * size,
        (None,) * size,
        advantage,
        stream,
        episodes,
        episode,
        0,
        "action",
    )


def test_prompts_are_padded_on_the_left_and_completions_on_the_right() -> None:
    batch = collate(decision_rows([sample(), sample((7,), (8,))]), 2, 2, pad=0)
    assert batch["prompt_ids"].tolist() == [[1, 2], [0, 7]]
    assert batch["prompt_mask"].tolist() == [[1, 1], [0, 1]]
    assert batch["completion_ids"].tolist() == [[3, 4, 5], [8, 0, 0]]
    assert batch["completion_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert batch["tool_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert batch["old_per_token_logps"].tolist() == [[-0.5, -1.5, -2.5], [-0.5, 0.0, 0.0]]


def test_an_advantage_counts_for_its_stream_s_episodes_and_not_for_its_row() -> None:
    batch = collate(decision_rows([sample(advantage=1.5, episodes=3)] * 4), 4, decisions=4, pad=0)
    # TRL divides the sum over all tokens of all ranks by this number.
    assert batch["num_items_in_batch"] == 4.0
    assert (batch["advantages"] / batch["num_items_in_batch"]).tolist() == [0.5] * 4


def test_tokens_that_were_put_there_are_read_and_not_trained() -> None:
    batch = collate(decision_rows([replace(sample(), mask=(0, 1, 1))]), 1, 1, pad=0)
    assert batch["completion_mask"].tolist() == [[1, 1, 1]]
    assert batch["tool_mask"].tolist() == [[0, 1, 1]]


def test_rows_that_fill_up_count_for_nothing_and_hold_a_token_to_attend_to() -> None:
    batch = collate(decision_rows([sample()]), 3, 1, pad=0)
    assert batch["tool_mask"].sum(1).tolist() == [3, 0, 0]
    assert batch["advantages"].tolist()[1:] == [0.0, 0.0]
    assert batch["prompt_mask"].sum(1).tolist() == [2, 1, 1]
    assert batch["completion_mask"].sum(1).tolist() == [3, 1, 1]


def test_a_rank_without_a_row_of_its_own_gets_rows_that_count_for_nothing() -> None:
    batch = collate([], 2, 5, pad=0)
    assert batch["prompt_ids"].shape == (2, 1)
    assert not batch["tool_mask"].any()


def test_tokens_drawn_among_some_say_among_which() -> None:
    among = replace(sample(), allowed=(None, (4, 9), (5, 6, 7)))
    batch = collate(decision_rows([among, sample((7,), (8,))]), 2, 2, pad=0)
    assert batch["allowed"].tolist()[0] == [[-1, -1, -1], [4, 9, -1], [5, 6, 7]]
    assert (batch["allowed"][1] == -1).all()
    assert "allowed" not in collate(decision_rows([sample()]), 1, 1, pad=0)
    # Another rank has such a token.
    forced = collate(decision_rows([sample()]), 2, 1, pad=0, constrained=True)
    assert forced["allowed"].tolist() == [[[-1]] * 3] * 2


def test_a_chat_is_one_row_with_the_advantage_of_each_decision() -> None:
    first = sample((1, 2), (3, 4), advantage=3.0)
    second = sample((1, 2, 3, 4, 10, 11), (5,), advantage=-6.0)
    other = sample((1, 2), (3,), advantage=9.0, episode="two")
    rows = chat_rows([first, second, other])
    assert [row.completion_ids for row in rows] == [(3, 4, 10, 11, 5), (3,)]
    assert rows[0].mask == (1, 1, 0, 0, 1)
    assert rows[0].weights == (1.0, 1.0, 0.0, 0.0, -2.0)
    assert rows[0].sampled_logprobs == (-0.5, -1.5, 0.0, 0.0, -0.5)
    batch = collate(rows, 2, 3, pad=0, per_token=True)
    assert batch["advantages"].tolist() == [[3.0, 3.0, 0.0, 0.0, -6.0], [9.0, 0.0, 0.0, 0.0, 0.0]]


def test_a_prompt_that_is_made_anew_begins_another_conversation() -> None:
    rows = chat_rows([sample((1, 2), (3, 4)), sample((1, 2, 9), (5,)), sample((1, 2, 9, 5), (6,))])
    assert [row.prompt_ids for row in rows] == [(1, 2), (1, 2, 9)]
    assert rows[1].completion_ids == (5, 6)


@given(st.integers(0, 50), st.integers(1, 9))
def test_rows_are_filled_up_to_the_next_multiple(rows: int, multiple: int) -> None:
    count = padded_count(rows, multiple)
    assert count >= max(rows, 1)
    assert count % multiple == 0
    assert count - multiple < max(rows, 1)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 6), st.floats(-2, 2)), min_size=1, max_size=6))
def test_no_token_is_lost_or_made_up(shapes: list[tuple[int, int, float]]) -> None:
    rows = decision_rows([sample((1,) * p, (2,) * t, a) for p, t, a in shapes])
    batch = collate(rows, len(rows) + 2, len(rows), pad=0)
    assert int(batch["tool_mask"].sum()) == sum(t for _, t, _ in shapes)
    read = batch["prompt_mask"][: len(rows)].sum(1) + batch["completion_mask"][: len(rows)].sum(1)
    assert read.tolist() == [p + t for p, t, _ in shapes]
    total = (batch["advantages"].unsqueeze(1) * batch["tool_mask"]).sum() / batch["num_items_in_batch"]
    assert total == pytest.approx(sum(a / 3 * t for _, t, a in shapes), abs=1e-4)
    assert batch["advantages"].dtype == torch.float32
