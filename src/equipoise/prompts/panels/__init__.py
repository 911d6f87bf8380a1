"""The wordings of each game, as text; what the fields in braces hold is said in ``prompts/GAME.py``.

Every panel has ``plain``, four paraphrases (``formal``, ``casual``, ``listed``, ``record``),
``swapped_labels`` (the words for the actions exchanged), ``swapped_order`` (actions and items listed the
other way round) and ``anonymous`` (nothing that names or suggests the game).
"""
