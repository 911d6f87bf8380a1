"""Who demonstrates in the supervised warm start: scripted teachers, and the mixtures they are drawn from."""

from equipoise.training.teachers.mixtures import RECIPES, Mixture, mixture_of, teacher_games

__all__ = ["RECIPES", "Mixture", "mixture_of", "teacher_games"]
