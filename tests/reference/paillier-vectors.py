#!/usr/bin/env python3
"""Known answers for core/crypto, by Python's integers and nothing of Assay's.

usage: paillier-vectors.py > paillier-vectors.h

Philox, the draws from it, primes, Paillier's cryptosystem, DJN's short randomness and the encodings
are written out as their papers and core/crypto/*.h have them.
"""
import fractions
import hashlib
import math

MASK = 0xffffffff
WEIGHTS = [0.0, 1.0, -1.0, 0.5, -2.25, 1 / 3, -1e-3, 1e6, -123456.789, 2.0**-40, -2.0**-41,
           3 * 2.0**-41, 1e-30, 7.25]
FRACTION = 11  # of packed weights, up to 1e6
SLOT = 41


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & MASK, a >> 32 ^ c[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


class Stream:
    def __init__(self, trial, settings, item):
        text = f"assay-stream/1\n20\n{trial}\npaillier\n{settings}"
        digest = hashlib.sha256(text.encode()).digest()
        self.key = [int.from_bytes(digest[4 * i:4 * i + 4], "little") for i in range(2)]
        self.item = item
        self.block = 0
        self.words = []

    def take(self, count):
        data = b""
        while len(data) < count:
            if not self.words:
                self.words = philox([self.block & MASK, self.block >> 32, self.item & MASK,
                                     self.item >> 32], self.key)
                self.block += 1
            data += self.words.pop(0).to_bytes(4, "little")
        return data[:count]

    def below(self, bound):
        bits = (bound - 1).bit_length()
        while True:
            number = int.from_bytes(self.take((bits + 7) // 8), "little") & ((1 << bits) - 1)
            if number < bound:
                return number


def is_prime(n):
    """Miller and Rabin with the first 40 primes as bases."""
    small = [p for p in range(2, 174) if all(p % d for d in range(2, p))]
    if any(n % p == 0 for p in small):
        return False
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in small:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def draw_prime(stream, bits):
    while True:
        p = stream.below(1 << bits) | 3 << bits - 2 | 3
        if is_prime(p):
            return p


def draw_key(bits):
    stream = Stream(bits, "key", 0)
    while True:
        p, q = draw_prime(stream, bits // 2), draw_prime(stream, bits // 2)
        n = p * q
        if p != q and math.gcd(p - 1, q - 1) == 2 and math.gcd(n, (p - 1) * (q - 1)) == 1:
            return p, q


def fixed(weight, n):
    return round(fractions.Fraction(weight) * 2**40) % n


def floating(weight, n):
    """EncodedNumber.encode of python-paillier 1.4 for a float without a precision."""
    exponent = math.floor((math.frexp(weight)[1] - 53) / 4)
    return round(fractions.Fraction(weight) * fractions.Fraction(16) ** -exponent) % n, exponent


def pack(weights, n):
    return sum(round(fractions.Fraction(w) * 2**FRACTION) << SLOT * i
               for i, w in enumerate(weights)) % n


def encrypt(message, n, factor):
    return pow(1 + n, message, n * n) * factor % (n * n)


def encrypt_all(messages, n, bits, randomness):
    if randomness == "short":
        y = Stream(bits, "encryption", 2**64 - 1).below(n)
        base = pow(-y * y % n, n, n * n)
    for item, message in enumerate(messages):
        stream = Stream(bits, "encryption", item)
        if randomness == "textbook":
            yield encrypt(message, n, pow(stream.below(n), n, n * n))
        elif randomness == "short":
            exponent = int.from_bytes(stream.take(bits // 16), "little")
            yield encrypt(message, n, pow(base, exponent, n * n))
        else:
            yield encrypt(message, n, 1)


def digest(numbers, size):
    return hashlib.sha256(b"".join(x.to_bytes(size, "little") for x in numbers)).hexdigest()


def quote(text):
    """As a string of C, in lines of 64."""
    return "\n    ".join(f'"{text[i:i + 64]}"' for i in range(0, len(text), 64))


def print_case(bits):
    p, q = draw_key(bits)
    n = p * q
    messages = [fixed(w, n) for w in WEIGHTS]
    numbers = [floating(w, n) for w in WEIGHTS]
    textbook = list(encrypt_all(messages, n, bits, "textbook"))
    sums = [c * c % (n * n) for c in textbook]
    values = [str(bits), quote(f"{p:x}"), quote(f"{q:x}")]
    values += [quote(digest(*what)) for what in (
        (messages, bits // 8), ([m for m, _ in numbers], bits // 8),
        ([pack(WEIGHTS, n)], bits // 8), (textbook, bits // 4),
        (list(encrypt_all(messages, n, bits, "short")), bits // 4),
        (list(encrypt_all(messages, n, bits, "none")), bits // 4), (sums, bits // 4))]
    print("  { " + ",\n    ".join(values) + " },")


def main():
    print("/* Made by paillier-vectors.py, which says what is what. */\n#pragma once\n")
    print(f"#define VECTOR_FRACTION {FRACTION}\n")
    print("static const double vector_weights[] = {")
    for weight in WEIGHTS:
        print(f"  {weight.hex()}, /* {weight} */")
    print("};\n\nstatic const long vector_exponents[] = {")
    for weight in WEIGHTS:
        print(f"  {floating(weight, 1 << 1024)[1]},")
    print("};\n")
    print("/* Factors, and SHA-256 of numbers as bytes. */")
    print("typedef struct {\n  unsigned bits;\n  const char *p, *q;")
    print("  const char *fixed, *floating, *packed;")
    print("  const char *textbook, *short_exponents, *none, *doubled;\n} PaillierVector;\n")
    print("/* clang-format off */\nstatic const PaillierVector paillier_vectors[] = {")
    for bits in (1024, 2048, 3072):
        print_case(bits)
    print("};\n/* clang-format on */")


main()
