"""Model servers and engines behind ports, one file each: each turns foreign words and exceptions into ours."""
