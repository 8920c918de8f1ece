"""A seat of a plan as a UCI engine, which any chess program can play.

position_line   `position` and `setoption` as programs write them
move_clock      how long a move may take, from `go`
uci_output      the protocol alone on standard output, all else on standard error and in a log
uci_front       the conversation: answers at once, whatever the seat is doing
desk            where the conversation's thread hands positions to the script's
seat_world      answers the script: the program by the desk, the seat in time or not at all
exhibition_run  seal, play, pack
"""
