"""How soon the first screen of a report is drawn in both browsers, by each browser's own clock (Performance API).

    python bench/first_screen.py REPORT/index.html

First contentful paint (W3C Paint Timing) counts from the start of the navigation; the median of nine pages, each opened
in a browser that is warm. Wall times: read them beside the load of the machine. Bar: 300 ms.
"""

import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import PROGRAMS, started

ROUNDS = 9
PAINT = """() => new Promise((resolve) => {
  const paint = () => performance.getEntriesByName("first-contentful-paint")[0];
  const look = () => (paint() ? resolve(paint().startTime) : setTimeout(look, 10));
  look();
})"""


def main() -> None:
    address = Path(sys.argv[1]).resolve().as_uri()
    for name in PROGRAMS:
        with started(name) as browsers:
            paints = []
            for _ in range(ROUNDS + 1):
                page = browsers.page(viewport={"width": 1280, "height": 900})
                page.goto(address)
                paints.append(page.evaluate(PAINT))
                page.close()
        warm, load = paints[1:], os.getloadavg()[0]
        spread = f"least {min(warm):.0f}, most {max(warm):.0f}; load {load:.1f}"
        print(f"{name}: {statistics.median(warm):.0f} ms (bar 300; {spread})")


if __name__ == "__main__":
    main()
