"""Level V3: ask the same open weights again for whole games of a bundle, drawn at random, and compare the answers."""
