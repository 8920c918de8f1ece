"""The plan of a run: the manifest, problems of a plan, and the streams that it is cut into."""
