"""A run on several machines: in shares that see one folder, or on the workers of a Dask cluster."""
