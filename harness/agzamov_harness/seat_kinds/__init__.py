"""The rows of the kinds of seat that have an outside world: see `seat_kind`. Only it imports them, by their names."""
