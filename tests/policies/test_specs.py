"""The grammar of policies made of policies."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.policies.specs import Leaf, MixtureSpec, NoisySpec, fold, is_combined, parse


def shown(spec: str) -> str:
    """Return the tree of a spec, written out."""
    return fold(
        parse(spec),
        lambda node: node.text,
        lambda node, inner: f"N({node.rate:g},{inner})",
        lambda node, parts: (
            "M(" + ",".join(f"{w:g}*{p}" for w, p in zip(node.weights, parts, strict=True)) + ")"
        ),
    )


@pytest.mark.parametrize(
    ("spec", "tree"),
    [
        ("tit_for_tat", "tit_for_tat"),
        ("mixture:a+b", "M(0.5*a,0.5*b)"),
        ("mixture:0.25*a+0.75*b", "M(0.25*a,0.75*b)"),
        ("mixture:a+b+c+d", "M(0.25*a,0.25*b,0.25*c,0.25*d)"),
        ("noisy:0.05:a", "N(0.05,a)"),
        ("noisy:1:a", "N(1,a)"),
        ("frozen:smollm2+runs/a", "smollm2+runs/a"),
        ("frozen:frozen:a", "a"),
        ("noisy:0.1:mixture:a+b", "N(0.1,M(0.5*a,0.5*b))"),
        ("mixture:noisy:0.1:a+b", "M(0.5*N(0.1,a),0.5*b)"),
        ("mixture:0.5*(mixture:a+b)+0.5*c", "M(0.5*M(0.5*a,0.5*b),0.5*c)"),
        ("mixture:(smollm2+runs/a)+b", "M(0.5*smollm2+runs/a,0.5*b)"),
        ("mixture:frozen:(smollm2+runs/a)+scripted:b", "M(0.5*smollm2+runs/a,0.5*scripted:b)"),
        ("noisy:0.5:(noisy:0.5:a)", "N(0.5,N(0.5,a))"),
        ("mixture:python:a*b.py:f+c", "M(0.5*python:a*b.py:f,0.5*c)"),
        ("(mixture:(a)+(b))", "M(0.5*a,0.5*b)"),
    ],
)
def test_trees(spec: str, tree: str) -> None:
    assert shown(spec) == tree


def test_nodes_keep_their_own_text() -> None:
    node = parse("noisy:0.1:mixture:0.5*a+0.5*b")
    assert isinstance(node, NoisySpec)
    assert isinstance(node.inner, MixtureSpec)
    assert (node.text, node.inner.text) == ("noisy:0.1:mixture:0.5*a+0.5*b", "mixture:0.5*a+0.5*b")
    assert node.inner.parts == (Leaf("a"), Leaf("b"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mixture:", "has one part"),
        ("mixture:a", "'mixture:a' has one part"),
        ("mixture:a+", "a part is empty"),
        ("mixture:a+mixture:b+c", "'mixture:b' has one part"),
        ("mixture:0.5*a+0.4*b", r"sum to 0\.9, not 1: leave them out"),
        ("mixture:2*a+1*b", "weight 2 of a mixture"),
        ("mixture:0*a+1*b", "weight 0 of a mixture"),
        ("mixture:-0.5*a+1.5*b", "weight -0.5"),
        ("mixture:0.5*a+b", "'b' has no weight but others have"),
        ("mixture:half*a+half*b", "'half' in 'half\\*a' is no weight"),
        ("mixture:0.5*a + 0.5*b", "holds a space"),
        ("mixture:(a+b", "a parenthesis without its partner"),
        ("mixture:a)+(b", "a parenthesis without its partner"),
        ("noisy:a", "needs a probability and a policy"),
        ("noisy:0.1", "needs a probability and a policy"),
        ("noisy:lots:a", "'noisy:lots:a' needs a probability"),
        ("noisy:1.5:a", r"noise 1\.5 is no probability"),
        ("noisy:nan:a", "noise nan is no probability"),
        ("noisy:0.1:", "a part is empty"),
        ("frozen:", "a part is empty"),
    ],
)
def test_errors_name_the_part_and_the_whole(spec: str, message: str) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        parse(spec)
    assert repr(spec) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "combined"),
    [("mixture:a+b", True), ("noisy:0:a", True), ("frozen:a", True), ("mixtures:a", False), (None, False)],
)
def test_what_is_made_of_others(spec: object, combined: bool) -> None:
    assert is_combined(spec) is combined
