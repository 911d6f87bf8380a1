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
        judge_model="hf:org/judge", self_play=True,
    )  # fmt: skip
