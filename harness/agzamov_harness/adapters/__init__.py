"""One file per outside thing: each turns foreign words and exceptions into ours."""
