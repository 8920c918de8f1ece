"""Tails and quantiles of the normal, Student's t, F and the noncentral t distributions.

All take and give rationals, forty digits inside. Formulas: Abramowitz and Stegun 26.2, 26.5-26.7 (tails by the
regularised incomplete beta function); the noncentral t by Lenth's series (1989, Applied Statistics 38:185,
AS 243). Oracle in the tests: scipy.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import count
from operator import sub
from typing import Final

from .exact import Real, mp, rational, real, root

_NEGLIGIBLE = mp.mpf(10) ** -30
_HALF = Fraction(1, 2)
_HALF_OF_A_STEP = mp.mpf(1) / 2
EXPANDED_FROM: Final = 5
"""Degrees of freedom from which Fisher's expansion of a t quantile begins near it."""


def normal_upper(z: Fraction) -> Fraction:
    """P(Z > z) of the standard normal distribution."""
    return rational(mp.erfc(real(z) / mp.sqrt(2)) / 2)


@lru_cache(maxsize=256)
def normal_quantile(p: Fraction) -> Fraction:
    """The z with P(Z <= z) = p, for 0 < p < 1."""
    _probability(p)
    tail = real(min(p, 1 - p))
    z = rational(mp.sqrt(2) * mp.erfinv(1 - 2 * tail))
    return -z if p < _HALF else z


def t_upper(t: Fraction, df: Fraction | int) -> Fraction:
    """P(T > t) of Student's t distribution with `df` degrees of freedom, not always whole."""
    half = rational(_t_half(real(t), real(df)))
    return half if t >= 0 else 1 - half


def t_two_sided(t_squared: Fraction, df: Fraction | int) -> Fraction:
    """P(|T| > t) from the square of t, which is rational where t is not."""
    nu = real(df)
    return rational(_beta(nu / 2, mp.mpf(1) / 2, nu / (nu + real(t_squared))))


@lru_cache(maxsize=1024)
def t_quantile(p: Fraction, df: Fraction | int) -> Fraction:
    """The t with P(T <= t) = p, for 0 < p < 1: Halley's steps from Fisher's expansion (A & S 26.7.5)."""
    _probability(p)
    if p == _HALF:
        return Fraction(0)
    tail, nu = real(min(p, 1 - p)), real(df)
    t = z = abs(real(normal_quantile(p)))
    if df >= EXPANDED_FROM:  # of fewer the normal quantile, which lies nearer to 0, is the safe beginning
        t += (z**3 + z) / (4 * nu) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * nu * nu)
    # The density is scale (1 + t^2 / nu)^(-(nu + 1) / 2). P(T > t) falls and is convex for t > 0, so Newton's steps
    # from a point left of the root never pass it. Halley's take the curvature, - (nu + 1) t / (nu + t^2), in as well,
    # once a step is so short that they are sure to go further.
    scale = mp.gamma((nu + 1) / 2) / (mp.sqrt(nu * mp.pi) * mp.gamma(nu / 2))
    for _ in range(500):
        step = (_t_half(t, nu) - tail) / (scale * (1 + t * t / nu) ** (-(nu + 1) / 2))
        bend = step * (nu + 1) * t / (nu + t * t) / 2
        t += step / (1 - bend) if abs(bend) < _HALF_OF_A_STEP else step
        if abs(step) <= _NEGLIGIBLE * t:
            break
    return rational(-t if p < _HALF else t)


def f_upper(f: Fraction, df1: int, df2: Fraction | int) -> Fraction:
    """P(F > f) of the F distribution, f >= 0."""
    d1, d2 = real(df1), real(df2)
    return rational(_beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * real(f))))


def chi_square_upper(x: Fraction, df: int) -> Fraction:
    """P(X > x) of the chi-square distribution, x >= 0; 0 where it is below 10^-1000."""
    if x > df + 10_000:
        return Fraction(0)
    return rational(mp.gammainc(mp.mpf(df) / 2, real(x) / 2, mp.inf, regularized=True))


@lru_cache(maxsize=256)
def chi_square_quantile(p: Fraction, df: int) -> Fraction:
    """The x with P(X <= x) = p of the chi-square distribution, for 0 < p < 1 - 1e-9."""
    _probability(p)
    half, target = mp.mpf(df) / 2, real(p)

    def excess(x: Real) -> Real:
        return mp.gammainc(half, 0, x / 2, regularized=True) - target

    return rational(root(excess, mp.mpf(0), df + 40 * (1 + mp.sqrt(df))))


@lru_cache(maxsize=256)
def f_quantile(p: Fraction, df1: int, df2: Fraction | int) -> Fraction:
    """The f with P(F <= f) = p, for 0 < p < 1."""
    _probability(p)
    d1, d2, tail = real(df1), real(df2), real(1 - p)

    def excess(x: Real) -> Real:
        return _beta(d2 / 2, d1 / 2, x) - tail

    x = root(excess, mp.mpf(0), mp.mpf(1))
    return rational(d2 * (1 - x) / (d1 * x))


def noncentral_cdf(t: Real, nu: Real, delta: Real) -> Real:
    """P(T <= t) of the noncentral t distribution with noncentrality `delta`: forty digits in and out."""
    if t < 0:
        return 1 - noncentral_cdf(-t, nu, -delta)
    below = mp.erfc(delta / mp.sqrt(2)) / 2
    if t == 0:
        return below
    return min(mp.mpf(1), below + _lenth(t * t / (nu + t * t), nu / 2, delta) / 2)


def _lenth(x: Real, b: Real, delta: Real) -> Real:
    """The series' sum: Poisson weights times incomplete beta functions."""
    # P(T <= t) = Phi(-delta) + 1/2 sum over j of [p I_x(j + 1/2, b) + q I_x(j + 1, b)], x = t^2 / (nu + t^2), b = nu /
    # 2, p = e^-r r^j / j!, q = delta e^-r r^j / (root 2 Gamma(j + 3/2)), r = delta^2 / 2. So q is delta root(2 / pi)
    # e^-r at j = 0, and a step to j + 1 multiplies p by r / (j + 1) and q by r / (j + 3/2).
    rate = delta * delta / 2
    even, odd = mp.exp(-rate), delta * mp.sqrt(2 / mp.pi) * mp.exp(-rate)
    total, half, weight_left, tails = mp.mpf(0), mp.mpf(1) / 2, 1 - even, _beta_tails(x, b)
    for j in count():
        at_half, at_one = tails[j]
        total += even * at_half + odd * at_one
        # From j = r on the weights fall, and I_x falls with j, so the terms to come are smaller than these.
        if j > rate and abs(at_half * weight_left) + abs(at_one * odd) < _NEGLIGIBLE:
            break
        even *= rate / (j + 1)
        odd *= rate / (j + 1 + half)
        weight_left -= even
    return total


class TwoSidedPower:
    """P(|T| > c) of the noncentral t distribution with whole `nu`, as a function of the noncentrality.

    T^2 is a noncentral F with 1 and nu degrees of freedom, so with r = delta^2 / 2 and x = c^2 / (nu + c^2)

        P(|T| > c) = 1 - sum over j of e^-r r^j / j! I_x(j + 1/2, nu / 2)

    (Lenth's series for c less that for -c). Terms are whole numbers of 2^-BITS: the sum differs from that of the
    numbers of forty digits by less than 10^-35, at a tenth of their cost.
    """

    BITS: Final = 160

    def __init__(self, critical: Real, nu: int) -> None:
        self._nu, b, half = nu, mp.mpf(nu) / 2, mp.mpf(1) / 2
        x = critical * critical / (nu + critical * critical)
        self._x = self._whole(x)
        self._tails = [self._whole(_beta(half, b, x))]
        self._step = self._whole(_beta_step(half, b, x))

    def __call__(self, delta: Real) -> Real:
        rate, bits = delta * delta / 2, self.BITS
        rate_whole, mode = self._whole(rate), int(rate)
        log_weight = (mode * mp.log(rate) if mode else 0) - rate - mp.loggamma(mode + 1)
        greatest = weight = self._whole(mp.exp(log_weight))
        total = 0
        for j in count(mode):  # on both sides of the greatest weight, as far as there is anything to add
            term = weight * self._tail(j) >> bits
            if not term:
                break
            total += term
            weight = (weight * rate_whole >> bits) // (j + 1)
        weight = greatest
        for j in range(mode, 0, -1):
            weight = (weight * j << bits) // rate_whole
            if not weight:
                break
            total += weight * self._tail(j - 1) >> bits
        return 1 - mp.ldexp(total, -bits)

    def _tail(self, j: int) -> int:
        """I_x(j + 1/2, nu / 2), each from the one before it, and kept."""
        while len(self._tails) <= j:
            last = len(self._tails) - 1
            self._tails.append(self._tails[last] - self._step)
            # By x (a + b) / (a + 1) with a = last + 1/2 and b = nu / 2.
            self._step = (self._step * self._x >> self.BITS) * (2 * last + 1 + self._nu) // (2 * last + 3)
        return self._tails[j]

    def _whole(self, value: Real) -> int:
        return int(mp.nint(mp.ldexp(value, self.BITS)))


class _BetaTails:
    """I_x(j + 1/2, b) and I_x(j + 1, b) for j = 0, 1, ..., each from the one before it, and kept."""

    def __init__(self, x: Real, b: Real) -> None:
        self._x, self._b = x, b
        firsts = (mp.mpf(1) / 2, mp.mpf(1))
        self._tails = [tuple(_beta(a, b, x) for a in firsts)]
        self._steps = [_beta_step(a, b, x) for a in firsts]

    def __getitem__(self, j: int) -> tuple[Real, ...]:
        while len(self._tails) <= j:
            last = len(self._tails) - 1
            self._tails.append(tuple(map(sub, self._tails[last], self._steps)))
            for which, a in enumerate((last + mp.mpf(1) / 2, mp.mpf(last + 1))):
                self._steps[which] *= self._x * (a + self._b) / (a + 1)
        return self._tails[j]


_beta_tails = lru_cache(maxsize=2)(_BetaTails)
"""Where the noncentrality of a t is sought, x and b stay as they are and only delta changes."""


def _beta(a: Real, b: Real, x: Real) -> Real:
    """The regularised incomplete beta function I_x(a, b)."""
    return mp.betainc(a, b, 0, x, regularized=True)


def _beta_step(a: Real, b: Real, x: Real) -> Real:
    """I_x(a, b) - I_x(a + 1, b)."""
    # x^a (1 - x)^b Gamma(a + b) / (Gamma(a + 1) Gamma(b)), Abramowitz and Stegun 26.5.16.
    return mp.exp(a * mp.log(x) + b * mp.log(1 - x) - mp.loggamma(a + 1) - mp.loggamma(b) + mp.loggamma(a + b))


def _t_half(t: Real, nu: Real) -> Real:
    """P(T > |t|)."""
    return _beta(nu / 2, mp.mpf(1) / 2, nu / (nu + t * t)) / 2


def _probability(p: Fraction) -> None:
    if not 0 < p < 1:
        raise ValueError(f"a probability between 0 and 1 was expected, not {p}")
