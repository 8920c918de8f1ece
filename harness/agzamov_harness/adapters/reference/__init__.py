"""The reference seats: offline players that read the same prompt as a model and answer in its format."""
