"""Folders to report on: small real audits, and one whose every text tries to become markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from equipoise import api
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.rollout.transcript import append_episodes
from equipoise.types import (
    Choice,
    Episode,
    Estimate,
    Generation,
    Kind,
    RoundOutcome,
    StopReason,
    Turn,
    Validity,
)

HOSTILE = '</script><script>window.hurt=1</script><img src=x onerror="window.hurt=2">&\u2028\u2029\x00\ud800'
"""Text that ends a script element, starts another, breaks lines of old scripts, and is no text at its end."""

KEY = "sk-abcdefghijklmnopqrstuvwxyz0123456789"


def sample(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, 40, 20, Kind.SAMPLE)


def result(policy: str, opponent: str, **changes: Any) -> GameResult:
    """Return a result of the dilemma in which everything is sampled."""
    row = {
        "own": sample(2.5, 2.0, 3.0),
        "opponent": sample(2.0, 1.5, 2.5),
        "collusion": sample(0.5, 0.4, 0.6),
        "externality": sample(0.2, 0.1, 0.3),
    }
    metrics: dict[str, Estimate | None] = {
        "utility": sample(2.5, 2.0, 3.0),
        "exploitability": sample(0.1, 0.0, 0.4),
        "collusion": sample(0.5, 0.4, 0.6),
        "externality": None,
        "safety": sample(1.2, 0.8, 1.4),
        "robustness": sample(2.1, 1.9, 2.4),
        "best_response": Estimate(3.0, 2.9, None, 0.95, 40, 20, Kind.LOWER_BOUND),
        "optimum": Estimate.exact(1.8798828125),
        "invalid_rate": sample(0.05, 0.01, 0.09),
    }
    pools = {pool: {opponent: row} for pool in ("train", "exploiter", "collusive", "shift")}
    weights = {"e": 2.4, "c": 1.0, "x": 1.8, "scale": 1.0}
    settings = {"method": "sample", **changes.pop("settings", {})}
    return GameResult("ipd", 1, policy, {**metrics, **changes}, pools, weights, settings)


def episode(number: int, opponent: str, text: str, action: str = "DEFECT", seat: int = 0) -> Episode:
    """Return an episode of one round whose model wrote a text."""
    wrote = Generation("action", (1, 2, 3), (4, 5), (-0.5, -0.25), (1, 1), StopReason.FINISHED, True, text)
    mix = {"COOPERATE": 0.25, "DEFECT": 0.75}
    validity = Validity.INVALID if number % 3 == 2 else Validity.VALID
    choice = Choice(action, validity, mix, (wrote,), text if validity is Validity.INVALID else "")
    moves = [(seat, action, choice), (1 - seat, "COOPERATE", Choice("COOPERATE"))]
    turns = tuple(Turn(s, 0, 0, "-/-", a, c) for s, a, c in sorted(moves, key=lambda move: move[0]))
    own, other = (5.0, 0.0) if action == "DEFECT" else (3.0, 3.0)
    payoffs = (own, other) if seat == 0 else (other, own)
    outcome = RoundOutcome(payoffs, (1.0, 0.0), (0.1, 0.1), ((0.0, 1.0),))
    names = ("model", opponent) if seat == 0 else (opponent, "model")
    return Episode(
        f"train/{opponent}/{number}/{seat}/0", "ipd@1", {"rounds": 1}, "train", opponent, seat, number,
        "report", 0, names, turns, (outcome,), StopReason.FINISHED, notes={"ended": text},
    )  # fmt: skip


def hostile_folder(folder: Path, episodes: int = 6, name: str = HOSTILE) -> Path:
    """Write an audit whose names and texts are hostile and hold a key."""
    one = result(name, name, settings={"api_key": "plainvalue12345", "note": f"use {KEY}", name: name})
    AuditResult([one]).save(folder / "audit.json")
    request = {"players": {"policy": f"openai:m@https://me:{'secretword'}@host/v1?api_key=hushhush"}}
    (folder / "audit.request.json").write_text(json.dumps(request), encoding="utf-8")
    place = folder / "ipd@1" / "policy"
    place.mkdir(parents=True)
    (place / "request.json").write_text(json.dumps({"policy": name}), encoding="utf-8")
    found = [episode(n, name if n % 2 else "other", f"{name} {KEY}", seat=n % 2) for n in range(episodes)]
    append_episodes(place / "transcript.jsonl", found)
    return folder


def many_folder(folder: Path, episodes: int) -> Path:
    """Write an audit with many plain episodes."""
    AuditResult([result("model", "tit_for_tat")]).save(folder / "audit.json")
    place = folder / "ipd@1" / "policy"
    place.mkdir(parents=True)
    (place / "request.json").write_text(json.dumps({"policy": "model"}), encoding="utf-8")
    opponents = ("tit_for_tat", "always_defect", "grim_trigger")
    rows = (
        episode(n, opponents[n % 3], f"thought {n}", ("DEFECT", "COOPERATE")[n % 2], seat=n // 2 % 2)
        for n in range(episodes)
    )
    append_episodes(place / "transcript.jsonl", rows)
    return folder


def real_folders(folder: Path) -> list[Path]:
    """Make an audit of two games, a cross-play and a run's training log, in seconds."""
    api.audit(["ipd"], "scripted:random", exact=False, episodes=3, out=folder / "sampled")
    api.audit(["ipd", "kuhn"], "scripted:random", out=folder / "exact")
    api.cross("kuhn", ["nash", "tight_passive"], out=folder / "cross")
    log = folder / "sampled" / "ipd" / "sepo" / "train" / "metrics.jsonl"
    log.parent.mkdir(parents=True)
    rows = [
        {"step": n, "kl": 0.1 * n, "entropy": 1.0 / n, "utility": 2.0 + n, "note": HOSTILE} for n in (1, 2, 3)
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken", encoding="utf-8")
    return [folder / "sampled", folder / "exact", folder / "cross"]
