"""What everything stands on: questions, scripts, journals, dice, canonical JSON, envelopes; no game, no plan."""
