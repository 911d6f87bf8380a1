"""Moves that are read off what an environment shows, and draws that episodes do not take from each other."""

from __future__ import annotations

import random

import numpy as np
import pytest

from equipoise.adapters.textarena.actors import listed
from equipoise.adapters.textarena.library import Randomness


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        (
            "- '[check]': pass\n- '[bet]': add\nYour available actions are: '[call]', '[fold]'",
            ("[call]", "[fold]"),
        ),
        ("Please reply with '[Cooperate]' or '[Defect]'.", ("[Cooperate]", "[Defect]")),
        ("'[Accept]': To accept.\n'[Deny]': To deny.", ("[Accept]", "[Deny]")),
        ("[GAME] nothing is listed [here]", ()),
    ],
)
def test_the_moves_listed_last_are_found(text: str, moves: tuple[str, ...]) -> None:
    assert listed(text) == moves


def test_each_episode_has_draws_of_its_own_and_leaves_the_global_ones_alone() -> None:
    def draws(which: Randomness) -> tuple[float, float]:
        with which():
            return random.random(), float(np.random.random())

    random.seed(5)
    np.random.seed(5)
    alone = [draws(one) for one in (Randomness(1),) for _ in range(3)]
    first, second = Randomness(1), Randomness(2)
    mixed, other = [], []
    for _ in range(3):
        mixed.append(draws(first))
        other.append(draws(second))
    assert mixed == alone
    assert other != alone
    expected = random.Random(5).random(), float(np.random.RandomState(5).random_sample())
    assert (random.random(), float(np.random.random())) == expected
