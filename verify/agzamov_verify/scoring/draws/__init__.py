"""Seeded draws in integers and counts over them: by numpy where it is installed, else by Python alone.

Both give the same integers, so a bundle has the same figures in a browser, where there is no numpy:

- resampled_sums: sums of the resamples of a bootstrap, whose words `inference.resampling` specifies;
- flipped_sums: sums with random signs. Flip r reads n bits of SHAKE-256(seed + "flip" + r as 4 bytes big-endian), first
  byte first, lowest bit first; a value counts as it is where its bit is 1, else with the other sign;
- ordered_extremes: values in random orders, summed along rows. Order r sorts by keys from SHAKE-256(seed + r as 4 bytes
  big-endian), read as little-endian 64-bit words; of equal keys the earlier one comes first.

All sums must be below 2^62; whoever asks sees to it.
"""

try:
    from .by_numpy import flipped_sums, ordered_extremes, resampled_sums
except ImportError:
    from .by_python import flipped_sums, ordered_extremes, resampled_sums

__all__ = ["flipped_sums", "ordered_extremes", "resampled_sums"]
