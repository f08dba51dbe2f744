"""Series of `benchmarks/scale.py`, each of which lets one thing grow and keeps the others."""
