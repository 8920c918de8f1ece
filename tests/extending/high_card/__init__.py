"""High card for two to twelve seats: a game with more than two participants."""
