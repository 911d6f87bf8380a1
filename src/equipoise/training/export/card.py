"""The page that goes with an exported adapter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.training.export.find import TrainedAdapter

__all__ = ["adapter_card", "public_name"]

_SMOLLM2 = "HuggingFaceTB/SmolLM2-135M-Instruct"


def public_name(model: str) -> str | None:
    """Return the hub id of a model spec; None for folders and models made in memory."""
    if model == "smollm2":
        return _SMOLLM2
    name = model.removeprefix("hf:")
    return name if model.startswith("hf:") and not Path(name).expanduser().exists() else None


def adapter_card(adapter: TrainedAdapter, config: Mapping[str, Any]) -> str:
    """Return the page: what it is, how it was made, how to load it."""
    name = public_name(adapter.model)
    base = name or "the model it was trained on"
    head = [f"base_model: {name}"] if name else []
    return "\n".join(
        [
            "---",
            *head,
            "library_name: peft",
            "---",
            f"# LoRA adapter for {base}",
            "",
            f"Trained with equipoise in {_games(adapter)}"
            + (f", recipe {adapter.recipe}." if adapter.recipe else "."),
            f"Rank {config.get('r')}, alpha {config.get('lora_alpha')}.",
            "",
            "```python",
            "from peft import PeftModel",
            "from transformers import AutoModelForCausalLM",
            "",
            f'model = AutoModelForCausalLM.from_pretrained("{name or "FOLDER"}")',
            'model = PeftModel.from_pretrained(model, "THIS FOLDER")',
            "```",
            "",
            *(
                [
                    "Trained on weights that had been quantised to 4 bits (Q4_1) and expanded again; on the "
                    "original weights it answers a little differently."
                ]
                if name == _SMOLLM2
                else []
            ),
            _use(adapter),
            "",
        ]
    )


def _games(adapter: TrainedAdapter) -> str:
    names = [game.info_record.key for game in adapter.games]
    return f"the game{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _use(adapter: TrainedAdapter) -> str:
    if adapter.strategist:
        return "It writes short strategies that an agent is given as advice before it acts; it does not play."
    those = "these games as they were" if len(adapter.games) > 1 else "this game as it was"
    return f"It plays {those} put to the model, and is no adviser beyond."
