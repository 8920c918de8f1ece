"""No-limit hold'em for three to nine seats, on pokerkit."""
