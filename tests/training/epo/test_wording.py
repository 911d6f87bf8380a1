"""The warm start of a strategist: the form of advice is taught, and nothing of which advice pays."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.registry import make_game
from equipoise.policies.base import Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.chat import end_of_turn
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.prompts.phrasings import phrasings
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import EpisodeRequest
from equipoise.training.config import LoraSettings
from equipoise.training.epo import situations as situations_module
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.situations import drawn_text
from equipoise.training.epo.wording import Wording, situations
from equipoise.training.lora import adapted_policy
from equipoise.training.supervised import Supervised

IPD = make_game("ipd", rounds=2)
FAST: dict[str, Any] = {
    "starts": 2, "steps": 4, "batch": 2, "texts": 3, "select_every": 2, "lr": 1e-2, "warmup": 0,
    "patience": 9,
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def strategist() -> LocalStrategist:
    loaded = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "sft", quiet=True).loaded
    actor = load_policy("coached:random", IPD)
    assert isinstance(actor, Policy)
    return LocalStrategist(LocalAdviser(loaded, max_new_tokens=4, prompt="brief"), actor, "sft")


def run_of(folder: Path | None = None, **settings: Any) -> Wording:
    partners = load_opponents(["tit_for_tat", "always_defect"], IPD)
    return Wording(IPD, strategist(), partners, WordingConfig(**{**FAST, **settings}), folder)


def weights(run: Wording) -> list[bytes]:
    parameters = run.policy.loaded.model.parameters()
    return [p.detach().numpy().tobytes() for p in parameters if p.requires_grad]


def test_every_intent_is_drawn_equally_often_and_every_text_of_it() -> None:
    texts = {"a": ["1", "2"], "b": ["3", "4", "5", "6"]}
    n = 24
    found = Counter(drawn_text(texts, (i + 0.5) / n, (j + 0.5) / n) for i in range(n) for j in range(n))
    assert found["1"] == found["2"] == n * n / 4
    assert found["3"] == found["4"] == found["5"] == found["6"] == n * n / 8


def test_the_intent_is_independent_of_the_situation() -> None:
    run = run_of(texts=200, batch=3, starts=6)
    run.prepare()
    seen: list[Any] = []
    run._loss = lambda pairs, backward, share=1.0: seen.extend(pairs) or 0.0  # type: ignore[method-assign]
    for step in range(20):
        run.learn(step)
    kind = {text: name for name, texts in phrasings("ipd").items() for text in texts}
    situations_seen = {read for read, _ in seen}
    assert len(situations_seen) >= 3
    for read in situations_seen:
        counts = Counter(kind[text] for other, text in seen if other == read)
        n = counts.total()
        # A chi-squared of three degrees of freedom: 21.1 is its 0.9999 quantile.
        assert sum((counts[name] - n / 4) ** 2 / (n / 4) for name in phrasings("ipd")) < 21.1


def test_situations_are_those_of_advised_play_on_deals_of_the_sft_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[EpisodeRequest] = []
    real = situations_module.play

    def noting(requests: list[EpisodeRequest], rule: Any) -> Any:
        asked.extend(requests)
        return real(requests, rule)

    monkeypatch.setattr(situations_module, "play", noting)
    policy, partners = strategist(), load_opponents(["tit_for_tat", "always_defect"], IPD)
    config = WordingConfig(**FAST)
    found = situations(IPD, policy, partners, phrasings("ipd"), config)
    assert {(r.deal.split, r.deal.index, r.opponent, r.seat) for r in asked} == {
        (Split.SFT, index, name, seat) for index in (0, 1) for name in partners for seat in (0, 1)
    }
    assert len(set(found)) == len(found)
    assert found == situations(IPD, policy, partners, phrasings("ipd"), config)
    tokenizer = policy.loaded.tokenizer
    read = [tokenizer.decode(list(ids)) for ids in found]
    assert any("Round 1 of 2" in text for text in read)
    assert any("Round 2 of 2" in text for text in read)


def test_the_loss_is_the_mean_negative_log_likelihood_of_text_and_end_of_turn() -> None:
    run = run_of(pass_tokens=64)
    run.prepare()
    first, second = run._shares.training[:2]
    pairs = [(first, "Defect."), (first, "Defect."), (second, "Be nice.")]
    tokenizer, model = run.policy.loaded.tokenizer, run.policy.loaded.model
    expected = 0.0
    for read, text in pairs:
        ids = [*tokenizer(text, add_special_tokens=False)["input_ids"], end_of_turn(tokenizer)]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([[*read, *ids]])).logits[0, len(read) - 1 : -1].double()
        logs = torch.log_softmax(logits, dim=-1)
        expected -= float(logs[range(len(ids)), ids].sum()) / len(pairs)
    assert run._loss(pairs, False) == pytest.approx(expected, rel=1e-5)
    assert run._loss(pairs, True) == pytest.approx(expected, rel=1e-5)
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_it_learns_the_texts_and_is_selected_by_held_out_loss(tmp_path: Path) -> None:
    run = run_of(tmp_path, steps=30, select_every=10, texts=6)
    done = run.run()
    chosen = [row for row in done.history if row.get("validation_loss") is not None]
    losses = [row["validation_loss"] for row in chosen]
    assert losses[-1] < losses[0]
    assert [row["select_score"] for row in chosen] == [-loss for loss in losses]
    assert done.score == -min(losses)
    assert (tmp_path / "best" / "adapter_model.safetensors").exists()
    held, trained = set(run._shares.held_out), set(run._shares.training)
    assert held
    assert not held & trained


def test_stopping_anywhere_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_of(tmp_path / "whole")
    whole.run()
    with monkeypatch.context() as patched:
        real = Supervised._step

        def cut(self: Supervised, step: int) -> dict[str, Any]:
            if step == 3:
                raise KeyboardInterrupt
            return real(self, step)

        patched.setattr(Supervised, "_step", cut)
        with pytest.raises(KeyboardInterrupt):
            run_of(tmp_path / "cut").run()
    again = run_of(tmp_path / "cut")
    again.run()
    assert weights(again) == weights(whole)


def test_a_folder_of_other_settings_is_not_gone_on_with(tmp_path: Path) -> None:
    run_of(tmp_path)
    with pytest.raises(RequestError, match="choose another folder"):
        run_of(tmp_path, intents=["defect"])


def test_what_cannot_be_taught_is_named() -> None:
    with pytest.raises(RequestError, match="unknown intent of ipd 'defekt'"):
        run_of(intents=["defekt"])
    with pytest.raises(EquipoiseError, match="raise starts or lower validation"):
        run_of(starts=1, validation=0.99).prepare()


# --- Every setting changes something ---------------------------------------------------------------------


def outcome(**settings: Any) -> tuple[Any, ...]:
    run = run_of(**settings)
    done = run.run()
    return weights(run), [{k: v for k, v in row.items() if k != "seconds"} for row in done.history]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("intents", ["defect"]), ("starts", 1), ("validation", 0.6), ("steps", 2), ("batch", 1), ("texts", 4),
        ("lr", 1e-3), ("warmup", 2), ("select_every", 1), ("max_grad_norm", 1e-3), ("seed", 1),
    ],
)  # fmt: skip
def test_a_setting_changes_the_run(field: str, value: Any) -> None:
    assert outcome(**{field: value}) != plain()


def plain(found: list[Any] = []) -> Any:  # noqa: B006
    if not found:
        found.append(outcome())
    return found[0]


def test_patience_and_min_delta_end_a_run_early() -> None:
    small = {"steps": 6, "select_every": 1, "lr": 1e-2}
    assert len(run_of(**{**small, "patience": 1, "min_delta": 100.0}).run().history) == 2
    assert len(run_of(**{**small, "patience": 1, "min_delta": 0.0}).run().history) > 2
    assert len(run_of(**{**small, "patience": 3, "min_delta": 100.0}).run().history) == 4


def test_passes_are_as_large_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    for tokens in (1, 100_000):
        run = run_of(pass_tokens=tokens)
        run.prepare()
        real, calls = run.policy.scorer.logits, []

        def counted(rows: Any, real: Any = real, calls: Any = calls) -> Any:
            calls.append(len(rows))
            return real(rows)

        monkeypatch.setattr(run.policy.scorer, "logits", counted)
        loss, _ = run.learn(0)
        assert math.isfinite(loss)
        passes.append(calls)
    assert set(passes[0]) == {1}
    assert len(passes[1]) == 1


def test_every_setting_is_tested() -> None:
    tested = {
        "intents", "starts", "validation", "steps", "batch", "texts", "lr", "warmup", "select_every",
        "patience", "min_delta", "max_grad_norm", "pass_tokens", "seed",
    }  # fmt: skip
    assert set(WordingConfig.model_fields) == tested


def test_the_metrics_say_what_happened(tmp_path: Path) -> None:
    run_of(tmp_path).run()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert all(row["loss"] > 0.0 for row in rows)
