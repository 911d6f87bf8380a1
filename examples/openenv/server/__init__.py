"""A game of equipoise as a package of OpenEnv."""
