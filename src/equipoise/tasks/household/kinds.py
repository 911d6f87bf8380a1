"""What kinds of things can do: which appliances heat, cool and clean, and what gives light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["APPLIANCES", "FAMILIES", "PROCESSES", "TRAITS", "Family", "Process", "is_light", "serves"]

Family = Literal["place", "examine", "clean", "heat", "cool", "two"]
"""The six families of ALFWorld's tasks; place, examine in light, clean / heat / cool and place, place two."""

FAMILIES: tuple[Family, ...] = ("place", "examine", "clean", "heat", "cool", "two")

Process = Literal["clean", "heat", "cool"]

PROCESSES: tuple[Process, ...] = ("clean", "heat", "cool")

TRAITS: Mapping[str, str] = {"clean": "clean", "heat": "hot", "cool": "cold"}
"""What a thing is afterwards."""

APPLIANCES: Mapping[str, tuple[str, ...]] = {
    "clean": ("sink", "basin", "washbasin", "bathtub", "dishwasher", "rain barrel"),
    "heat": ("microwave", "stove", "oven", "range", "cooker", "gas ring", "gas burner"),
    "cool": ("fridge", "freezer", "ice chest", "wine cooler", "cool box", "cool bag"),
}
"""The ends of the names of places at which a thing in hand can be cleaned, heated or cooled."""


def serves(kind: str, verb: str) -> bool:
    """Tell whether a kind of place cleans, heats or cools: ``camping stove`` does what any ``stove`` does."""
    return any(kind == name or kind.endswith(f" {name}") for name in APPLIANCES[verb])


def is_light(kind: str) -> bool:
    """Tell whether a kind of thing gives light: it stays where it is and can be toggled."""
    return kind.split(" ")[-1] in ("lamp", "lantern", "torch")
