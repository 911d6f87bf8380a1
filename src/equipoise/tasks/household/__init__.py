"""A household in text, after ALFWorld: worlds, rules, scores, actors, advice."""
