"""The jobs of bench/paillier.c with gmpy2, as python-paillier does them.

usage: paillier.py BITS

Prints milliseconds a weight, the best of three, to encrypt with textbook and with short randomness,
to add and to decrypt, on one core.
"""

import random
import sys
import time

import gmpy2


def draw_prime(source, bits):
    while True:
        p = gmpy2.mpz(source.getrandbits(bits) | 3 << bits - 2 | 3)
        if gmpy2.is_prime(p):
            return p


def best_of_three(count, work):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        for i in range(count):
            work(i)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times) / count


def main():
    bits = int(sys.argv[1])
    source = random.Random(1)
    p, q = draw_prime(source, bits // 2), draw_prime(source, bits // 2)
    n = p * q
    n2, p2, q2 = n * n, p * p, q * q
    inverse = gmpy2.invert(q, p)
    count = 200 if bits == 1024 else 50
    messages = [gmpy2.mpz(round(source.gauss(0, 1) * 2**40)) % n for _ in range(count)]
    numbers = [gmpy2.mpz(source.randrange(1, int(n))) for _ in range(count)]
    exponents = [gmpy2.mpz(source.getrandbits(bits // 2)) for _ in range(count)]
    base = gmpy2.powmod(numbers[0], n, n2)
    ciphertexts = [(1 + m * n) * gmpy2.powmod(r, n, n2) % n2 for m, r in zip(messages, numbers)]

    def decrypt(i):
        of_p = (gmpy2.powmod(ciphertexts[i], p - 1, p2) - 1) // p * -inverse % p
        of_q = (gmpy2.powmod(ciphertexts[i], q - 1, q2) - 1) // q * -gmpy2.invert(p, q) % q
        return of_q + q * ((of_p - of_q) * inverse % p)

    assert [decrypt(i) for i in range(3)] == messages[:3]
    print(best_of_three(count, lambda i: (1 + messages[i] * n) * gmpy2.powmod(numbers[i], n, n2)
                        % n2),
          best_of_three(count, lambda i: (1 + messages[i] * n)
                        * gmpy2.powmod(base, exponents[i], n2) % n2),
          best_of_three(count, lambda i: ciphertexts[i] * ciphertexts[i - 1] % n2),
          best_of_three(count, decrypt))


main()
