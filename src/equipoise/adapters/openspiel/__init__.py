"""Two-player games of OpenSpiel as ``openspiel:NAME(key=value, ...)``; begin reading at ``rules``."""
