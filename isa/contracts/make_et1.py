#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes et1.json, the contract of the reference hardware's functions: piecewise polynomials in fixed point.

usage: make_et1.py [--check]
  --check  writes nothing; exit status 1 if the file beside this script is not what it would write

Everything is computed in decimals of 60 digits, so that every host writes the same file.
"""
import json
import pathlib
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
FILE = pathlib.Path(__file__).with_name("et1.json")
TITLE = "Reference hardware: canonical sums, functions by cubic polynomials of 30 fraction bits"
DEGREE, FRACTION_BITS = 3, 30
ONE, TWO = Decimal(1), Decimal(2)
LN2 = TWO.ln()


def cos_quarters(n, k):
    """cos((2k + 1) pi / 2n) for the nodes of n = 4: half-angle formulas."""
    root = TWO.sqrt()
    outer, inner = (TWO + root).sqrt() / 2, (TWO - root).sqrt() / 2
    return [outer, inner, -inner, -outer][k]


NODES = [(1 - cos_quarters(4, k)) / 2 for k in range(DEGREE + 1)]  # Chebyshev's, in 0..1


def polynomial(f):
    """Integer coefficients, constant term first, of the cubic that meets f (on 0..1) at the Chebyshev nodes."""
    differences = [f(x) for x in NODES]
    for step in range(1, DEGREE + 1):
        for i in range(DEGREE, step - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (NODES[i] - NODES[i - step])
    terms = [Decimal(0)] * (DEGREE + 1)
    for i in range(DEGREE, -1, -1):  # Horner: terms = terms * (x - node) + difference
        terms = [(terms[k - 1] if k else 0) - terms[k] * NODES[i] for k in range(DEGREE + 1)]
        terms[0] += differences[i]
    return [int((t * 2**FRACTION_BITS).to_integral_value()) for t in terms]


def segments(count, place, f):
    """One polynomial a segment; place(position in segments) is the argument of f there."""
    return [polynomial(lambda w, s=s: f(place(s + w))) for s in range(count)]


def erf(x):
    if x > 8:
        return ONE  # 1 - 1e-29
    term, total, n = x, x, 0
    while abs(term) > Decimal(10) ** -50:
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    return total * TWO_OVER_ROOT_PI


def tanh(x):
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


# pi by Machin's formula.
def arctan_of_inverse(n):
    power, total, k = ONE / n, ONE / n, 1
    while abs(power) > Decimal(10) ** -58:
        power /= -n * n
        k += 2
        total += power / k
    return total


PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)
TWO_OVER_ROOT_PI = 2 / PI.sqrt()


def exponential(multiplier, bits):
    count = 5
    pieces = segments(2**count, lambda s: s / 2**count, lambda x: TWO**x)
    pieces[0][0] = 2**FRACTION_BITS  # powers of two are exact
    return {"segment_bits": count, "argument_bits": 30, "multiplier": multiplier, "multiplier_bits": bits, "coefficients": pieces}


def logarithm(scale):
    """log(1 + t) / (t ln base), -1/4 <= t < 1/2; scale = log of 2."""
    count = 6
    slope = lambda t: (1 + t).ln() / t * scale / LN2 if t else scale / LN2
    pieces = segments(2**count * 3 // 4, lambda s: s / 2**count - ONE / 4, slope)
    multiplier = int((scale * 2 ** (24 + FRACTION_BITS)).to_integral_value())
    return {"segment_bits": count, "multiplier": multiplier, "coefficients": pieces}


def reciprocal_square_root():
    """The first half of the positions is 1 <= m < 2, the second 2 <= m < 4."""
    count = 7
    half = 2 ** (count - 1)
    place = lambda s: 1 + s / half if s < half else 2 * (1 + (s - half) / half)
    pieces = segments(2**count, place, lambda m: 1 / m.sqrt())
    pieces[0][0] = 2**FRACTION_BITS  # powers of four are exact
    return {"segment_bits": count, "coefficients": pieces}


def odd(f, slope, first, last):
    count, pieces = 4, []
    for exponent in range(first, last + 1):
        scale = TWO**exponent
        pieces += segments(2**count, lambda s: (1 + s / 2**count) * scale, lambda x: f(x) / scale)
    linear = int((slope * 2**FRACTION_BITS).to_integral_value())
    return {"segment_bits": count, "first_exponent": first, "last_exponent": last, "linear": linear, "limit": "3f800000",
            "coefficients": pieces}


def functions():
    log2_e = int((2**38 / LN2).to_integral_value())
    return {"exp": exponential(log2_e, 38), "exp2": exponential(1, 0), "log": logarithm(LN2), "log2": logarithm(ONE),
            "rsqrt": reciprocal_square_root(), "tanh": odd(tanh, ONE, -12, 3), "sigmoid": exponential(log2_e, 38),
            "erf": odd(erf, TWO_OVER_ROOT_PI, -12, 3)}


def document():
    lines = ["{", f'  "name": "et1",', f'  "title": {json.dumps(TITLE)},', '  "functions": {']
    entries = []
    for name, parts in functions().items():
        rows = ",\n".join("        " + json.dumps(row) for row in parts.pop("coefficients"))
        fields = {"fraction_bits": FRACTION_BITS, "degree": DEGREE, **parts}
        entries.append(f'    "{name}": {{"piecewise": {{\n      ' + ", ".join(f'"{k}": {json.dumps(v)}' for k, v in fields.items()) +
                       f',\n      "coefficients": [\n{rows}\n      ]\n    }}}}')
    return "\n".join(lines) + "\n" + ",\n".join(entries) + "\n  }\n}\n"


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() == text:
            return 0
        print(f"{FILE} is not what {pathlib.Path(__file__).name} writes", file=sys.stderr)
        return 1
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
