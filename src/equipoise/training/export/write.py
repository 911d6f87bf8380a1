"""Writes exported models; a folder appears under its name only after what is in it has been checked."""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.files import appearing, write_json, write_text
from equipoise.policies.local.loading import LoadedModel, load_model, load_spec, progress_bars
from equipoise.training.export.card import adapter_card, public_name
from equipoise.training.export.check import TOLERANCES, LogitCheck, read
from equipoise.training.export.find import TrainedAdapter
from equipoise.training.provenance import provenance
from equipoise.training.sample_decisions import sample_decisions
from equipoise.types import Decision

__all__ = ["ExportSettings", "Exported", "export_adapter", "export_merged"]


@dataclass(frozen=True)
class ExportSettings:
    """How to export.

    Attributes:
        prompts: Prompts of the game that are compared.
        tolerance: Largest difference of logits that is accepted; None chooses by number format.
        dtype: Number format of the weights; None takes that of the training.
        device: Where to compute; None takes where it was trained.
        quiet: Show no progress.
    """

    prompts: int = 24
    tolerance: float | None = None
    dtype: str | None = None
    device: str | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        folder: Where.
        kind: ``merged`` or ``adapter``.
        check: How far it is from the model in training form.
    """

    folder: Path
    kind: str
    check: LogitCheck

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"schema": 1, "kind": self.kind, "folder": str(self.folder), "check": self.check.to_json()}


def export_merged(adapter: TrainedAdapter, out: Path, settings: ExportSettings) -> Exported:
    """Write the model with the adapter added to its weights: safetensors, tokenizer, generation settings.

    Raises:
        RequestError: The folder is taken, or model and adapter do not fit.
        EquipoiseError: What was written answers differently from model and adapter.
    """

    def write(loaded: LoadedModel, part: Path) -> None:
        merged = loaded.model.merge_and_unload(safe_merge=True)
        # Where the model lay on this machine is nobody's business.
        merged.config._name_or_path = ""
        with progress_bars(not settings.quiet):
            merged.save_pretrained(part)
        loaded.tokenizer.save_pretrained(part)

    def load(part: Path, dtype: str, device: str) -> LoadedModel:
        return load_model(part, None, dtype, device, quiet=True)

    return _export(adapter, out, settings, "merged", write, load)


def export_adapter(adapter: TrainedAdapter, out: Path, settings: ExportSettings) -> Exported:
    """Write the adapter in PEFT's form, with the public name of its model, its tokenizer and a card.

    Raises:
        RequestError: The folder is taken, or model and adapter do not fit.
        EquipoiseError: What was written answers differently from model and adapter.
    """

    def write(loaded: LoadedModel, part: Path) -> None:
        shutil.copyfile(adapter.folder / "adapter_model.safetensors", part / "adapter_model.safetensors")
        config = json.loads((adapter.folder / "adapter_config.json").read_text(encoding="utf-8"))
        write_json(
            part / "adapter_config.json",
            {**config, "base_model_name_or_path": public_name(adapter.model), "inference_mode": True},
        )
        loaded.tokenizer.save_pretrained(part)
        write_text(part / "README.md", adapter_card(adapter, config))

    def load(part: Path, dtype: str, device: str) -> LoadedModel:
        return load_spec(f"{adapter.model}+{part}", dtype, device, quiet=True)

    return _export(adapter, out, settings, "adapter", write, load)


def _export(
    adapter: TrainedAdapter,
    out: Path,
    settings: ExportSettings,
    kind: str,
    write: Callable[[LoadedModel, Path], None],
    load: Callable[[Path, str, str], LoadedModel],
) -> Exported:
    dtype, device = settings.dtype or adapter.dtype, settings.device or adapter.device
    tolerance = TOLERANCES[dtype] if settings.tolerance is None else settings.tolerance
    decisions = _decisions(adapter, settings.prompts)
    with appearing(out) as part:
        loaded = load_spec(adapter.spec, dtype, device, quiet=settings.quiet)
        before = read(loaded, decisions, adapter.strategist)
        write(loaded, part)
        # Two copies of a model need not fit into memory together.
        del loaded
        gc.collect()
        after = read(load(part, dtype, device), decisions, adapter.strategist)
        check = after.compare(before, tolerance)
        if not check.passed:
            raise EquipoiseError(
                f"nothing was exported: the {kind} model differs from model and adapter, {check}"
            )
        write_json(part / "equipoise.json", _about(adapter, kind, dtype, check))
    return Exported(out, kind, check)


def _decisions(adapter: TrainedAdapter, count: int) -> list[Decision]:
    """Return decisions to compare on, as many in each of the games."""
    each = -(-count // len(adapter.games))
    return [one for game in adapter.games for one in sample_decisions(game, each)]


def _about(adapter: TrainedAdapter, kind: str, dtype: str, check: LogitCheck) -> dict[str, Any]:
    return {
        "schema": 1,
        "kind": kind,
        "model": public_name(adapter.model) or "a local folder",
        "recipe": adapter.recipe,
        "role": "strategist" if adapter.strategist else "player",
        "game": adapter.games[0].info_record.key,
        "games": [game.info_record.key for game in adapter.games],
        "dtype": dtype,
        "check": check.to_json(),
        "made_with": provenance(),
    }
