"""Names of the 169 classes of hole cards."""


def class_name(number: int) -> str:
    """Name of a class as players write it: AA, AKs, AKo."""
    first, second = divmod(number, 13)
    ranks = "23456789TJQKA"
    high, low = ranks[max(first, second)], ranks[min(first, second)]
    return high + low + ("" if first == second else "s" if first > second else "o")
