"""Two-player text games of TextArena as tasks, ``textarena:NAME``; begin reading at ``episode``."""
