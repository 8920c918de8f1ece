"""Level V3: asks the same open weights again for whole games of a bundle, drawn at random, and compares the answers."""
