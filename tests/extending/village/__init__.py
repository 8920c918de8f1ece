"""A village of five to nine: hidden roles, two teams, private and public messages, votes that nobody sees."""
