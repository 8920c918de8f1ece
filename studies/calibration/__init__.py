"""Calibration: does the instrument find what was planted, and nothing else? `make calibrate`; see docs/calibration.md.

suite               all of it, in processes side by side;  finding  one check with its band
error_rates         how often tests, intervals and planned power err;  plain_samples  samples without a cell around them
simulated_matches   made-up matches of chess and hold'em;  stream_matches  the sizes and worlds of streams
streams             tests, intervals and looks of one match;  stream_power  effects that a plan says it would find
careers  clusters   units that go together: careers, and observations within a game
families            many tests at once;  planned_power  what a plan promises of its whole experiment
scores              the interval of the A-Score;  time_constants  the interval of the speed of learning
planted             true and false information through the whole pipeline
variance            what variance reduction leaves;  benchmark_variance  the same against the benchmark player
"""
