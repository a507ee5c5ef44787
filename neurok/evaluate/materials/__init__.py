"""How well materials are told: figures, baselines, and the parts whose materials are known."""
