"""What a person is shown of a bundle: games by replay, seats in words, reports as text and as pages."""
