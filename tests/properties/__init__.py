"""Properties of random statements, checked against other engines and models."""
