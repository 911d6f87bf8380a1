"""Settings and prices, checked before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.policies.endpoint.ledger import Ledger, Usage
from equipoise.policies.endpoint.settings import EndpointSettings, Price, price_of, read_settings


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"timeot": 3}, "'timeot': did you mean 'timeout'"),
        ({"timeout": 0}, "timeout = 0"),
        ({"timeout": float("inf")}, "timeout = inf"),
        ({"tries": 0}, "tries = 0"),
        ({"retry_wait": -1}, "retry_wait = -1"),
        ({"concurrency": 0}, "concurrency = 0"),
        ({"max_tokens_total": 0}, "max_tokens_total = 0"),
        ({"top_logprobs": 21}, "top_logprobs = 21"),
        ({"api_key_env": ""}, "api_key_env = ''"),
        ({"max_cost": 1.0}, "needs prices"),
    ],
)
def test_wrong_settings(given: dict[str, Any], named: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_settings(given)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_there_is_no_setting_for_a_key() -> None:
    assert [name for name in EndpointSettings.model_fields if "key" in name] == ["api_key_env"]


def test_prices_are_a_million_tokens(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["org/model-1.5"]\ninput = 3\noutput = 15.0\n')
    assert price_of("org/model-1.5", file) == Price(3e-6, 15e-6)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[modle]\ninput = 1\noutput = 1", "did you mean 'modle'"),
        ("", "'model'"),
        ("model = 3", "input of 'model' is None"),
        ("[model]\ninput = 1", "output of 'model' is None"),
        ("[model]\ninput = -1\noutput = 1", "input of 'model' is -1"),
        ("[model]\ninput = true\noutput = 1", "input of 'model' is True"),
        ("[model]\ninput = nan\noutput = 1", "input of 'model' is nan"),
        ("[model", "no TOML"),
    ],
)
def test_wrong_prices(text: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(RequestError) as caught:
        price_of("model", file)
    assert named in str(caught.value)


def test_no_prices(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot read prices"):
        price_of("model", tmp_path / "missing.toml")


def test_a_ledger_adds_up() -> None:
    ledger = Ledger(max_cost=1.0)
    ledger.add(Usage(1000, 10), Price(3e-6, 15e-6))
    ledger.add(Usage(5, 5), None)
    # 1000 · 3e-6 + 10 · 15e-6 = 0.00315, and what has no price costs nothing.
    assert ledger.cost == pytest.approx(0.00315)
    assert ledger.tokens == 1020
    ledger.check()
