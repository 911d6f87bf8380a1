"""Reading many rows as one tree."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from equipoise.policies.local import LoadedModel
from equipoise.policies.local.backbone import Backbone, Row
from equipoise.policies.local.tree import TokenTree
from equipoise.policies.local.treecache import TreeCache, takes_trees

ROWS = [
    Row((5, 6, 7, 8, 9), (4,)),
    Row((5, 6, 7, 1), (2, 3)),
    Row((5, 6), (1,)),
    Row((3, 6, 7, 8), (0, 3)),
    Row((5, 6, 7, 8, 9, 10, 11, 12), (7,)),
]


def test_shared_beginnings_are_there_once() -> None:
    tree = TokenTree()
    assert tree.add((5, 6, 7)) == [0, 1, 2]
    assert tree.add((5, 6, 8)) == [0, 1, 3]
    assert tree.add((5, 6)) == [0, 1]
    assert (tree.tokens, tree.parents, tree.depths) == ([5, 6, 7, 8], [-1, 0, 1, 1], [0, 1, 2, 2])


sequences = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8)


@given(sequences, st.integers(1, 5))
def test_a_node_sees_its_ancestors_and_itself(found: list[list[int]], step: int) -> None:
    tree = TokenTree()
    paths = [tree.add(ids) for ids in found]
    above = {path[i]: set(path[: i + 1]) for path in paths for i in range(len(path))}
    for start in range(0, len(tree), step):
        stop = min(start + step, len(tree))
        older, sees = tree.context(start, stop)
        columns = np.array(older + list(range(start, stop)))
        for row, node in enumerate(range(start, stop)):
            assert set(columns[sees[row]].tolist()) == above[node]


@pytest.mark.parametrize("max_tokens", [1, 3, 100])
def test_a_tree_gives_the_same_logits_as_rows(tiny: LoadedModel, max_tokens: int) -> None:
    backbone = Backbone(tiny.model)
    with torch.no_grad():
        expected = backbone.logits(ROWS)
        cache = TreeCache(backbone, max_tokens=max_tokens)
        for rows, logits in ((ROWS[:2], expected[:2]), (ROWS[2:], expected[2:]), (ROWS, expected)):
            found = cache.logits(rows)
            assert found is not None
            for a, b in zip(found, logits, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
    assert len(cache.tree) == len({row.ids[: i + 1] for row in ROWS for i in range(len(row.ids))})
    assert cache.size > 0


def test_an_interrupted_pass_is_made_up_for(tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    backbone = Backbone(tiny.model)
    cache = TreeCache(backbone, max_tokens=4)
    passes = []
    real = TreeCache._extend

    def interrupted(self: TreeCache, start: int, stop: int) -> bool:
        passes.append(start)
        if len(passes) == 2:
            raise KeyboardInterrupt
        return real(self, start, stop)

    monkeypatch.setattr(TreeCache, "_extend", interrupted)
    with torch.no_grad():
        with pytest.raises(KeyboardInterrupt):
            cache.logits(ROWS)
        found = cache.logits(ROWS)
        assert found is not None
        for a, b in zip(found, backbone.logits(ROWS), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_a_model_in_gradient_checkpointing_gives_no_tree(tiny: LoadedModel) -> None:
    from equipoise.policies.local.tiny import tiny_model

    model = tiny_model(tiny.tokenizer)
    backbone = Backbone(model)
    assert takes_trees(backbone)
    model.gradient_checkpointing_enable()
    model.train()
    assert TreeCache(backbone).logits(ROWS) is None
    assert len(backbone.logits(ROWS)) == len(ROWS)
