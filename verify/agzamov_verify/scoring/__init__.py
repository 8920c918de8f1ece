"""The one scorer: pure functions of replayed games. The harness never computes a metric itself."""
