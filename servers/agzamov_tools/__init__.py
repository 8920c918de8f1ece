"""The tools of the test, each an MCP server over stdio: `python -m agzamov_tools chess960 --engine PATH`, or `holdem`.

engine_server       Stockfish in Chess960: evaluate_position, compare_moves, best_lines
calculator_server   odds in hold'em: calculate_odds

The law: an answer depends on its question alone. A server keeps nothing between calls and is told nothing of game, seat
or opponent, so whoever verifies can make every answer again without it. What cannot be answered is an error of the tool
in one line.
"""
