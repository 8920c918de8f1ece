"""High card for three seats: a game with more than two participants."""
