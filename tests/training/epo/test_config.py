"""Settings of EPO that do not go together are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from equipoise.training.epo.config import EpoConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"advantage": "loo", "rollouts": 1}, "use rollouts = 2 or more"),
        ({"epochs": 2}, "set offline = true"),
        ({"judge_model": "smollm2"}, "belongs to judge = 'llm'"),
        ({"gamma": 1.5}, "less than or equal to 1"),
        ({"judge": "oracle"}, "'rule', 'llm' or 'none'"),
        ({"stepz": 3}, "Extra inputs"),
    ],
)
def test_they_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        EpoConfig(**settings)  # type: ignore[arg-type]


def test_the_papers_setting_is_allowed() -> None:
    EpoConfig(
        advantage="maxabs", rollouts=1, token_reduction="mean", offline=True, epochs=3, judge="llm",
        judge_model="hf:org/judge", self_play=True, lr=1e-6, warmup=0.03, decay="cosine",
    )  # fmt: skip


def test_the_rate_rises_then_falls_on_a_cosine() -> None:
    one = EpoConfig(rounds=2, steps=10, lr=1.0, warmup=0.2, decay="cosine")
    rates = [one.rate(k) for k in range(one.updates)]
    assert rates[:4] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert rates[4] == 1.0
    # Half-way down between update 4 and the end, 20.
    assert rates[12] == pytest.approx(0.5)
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0.0 < rates[-1] < 0.02
    plain = EpoConfig(rounds=2, steps=10, lr=0.3)
    assert {plain.rate(k) for k in range(20)} == {0.3}


def test_updates_count_passes_over_the_data() -> None:
    assert EpoConfig(rounds=2, steps=3).updates == 6
    assert EpoConfig(rounds=2, steps=3, offline=True, epochs=4).updates == 24
