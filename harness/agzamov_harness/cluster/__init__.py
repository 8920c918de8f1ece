"""A run on the workers of a Dask cluster: `coordinator` here, `worker` there, and the run's folder between them."""
