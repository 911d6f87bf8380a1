"""Goal-driven dialogue between two people, after SOTOPIA (Zhou et al., ICLR 2024, arXiv 2310.11667)."""
