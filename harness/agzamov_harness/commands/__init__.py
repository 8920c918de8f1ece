"""The commands of `agzamov`, each imported when it is used."""
