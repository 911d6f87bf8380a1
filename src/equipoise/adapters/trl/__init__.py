"""Games as environments for the tool calls of TRL's ``GRPOTrainer``; begin reading at ``environment``.

from equipoise.adapters.trl import environments

games = environments("ipd")
trainer = GRPOTrainer(
    model, environment_factory=games, train_dataset=Dataset.from_list(games.rows(deals=8)), args=...
)
"""

from __future__ import annotations

from equipoise.adapters.trl.factory import Environments, environments

__all__ = ["Environments", "environments"]
