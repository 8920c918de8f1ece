"""The commands of `agzamov-verify`, each imported when it is used."""
