"""Werewolf for five to twelve: hidden roles, two teams, private and public speech, votes that are taken at once."""
