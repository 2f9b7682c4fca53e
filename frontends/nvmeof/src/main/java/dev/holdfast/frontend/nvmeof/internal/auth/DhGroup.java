package dev.holdfast.frontend.nvmeof.internal.auth;

import java.math.BigInteger;
import java.util.Optional;

/**
 * Diffie-Hellman groups by the numbers of Base 2.0 (8.13.5), in order of preference: 128 bits of
 * strength are sufficient, and larger groups cost the host more. The primes follow from the formula
 * of RFC 7919, appendix A.
 */
enum DhGroup {
  FFDHE_3072(2, 3072, 275, 2_625_351),
  FFDHE_4096(3, 4096, 325, 5_736_041),
  FFDHE_6144(4, 6144, 375, 15_705_020),
  FFDHE_8192(5, 8192, 400, 10_965_728),
  FFDHE_2048(1, 2048, 225, 560_316),
  /** Challenges without a key exchange. */
  NONE(0, 0, 0, 0);

  private static final int GUARD = 64;

  private final int id;
  private final int bits;
  private final int exponentBits;
  private final int constant;

  DhGroup(int id, int bits, int exponentBits, int constant) {
    this.id = id;
    this.bits = bits;
    this.exponentBits = exponentBits;
    this.constant = constant;
  }

  static Optional<DhGroup> of(int id) {
    for (DhGroup group : values()) {
      if (group.id == id) {
        return Optional.of(group);
      }
    }
    return Optional.empty();
  }

  int id() {
    return id;
  }

  /** Returns the size of a public value in bytes. */
  int length() {
    return bits / Byte.SIZE;
  }

  /** Returns the number of random bits of an exponent, as RFC 7919 requires. */
  int exponentBits() {
    return exponentBits;
  }

  /** Returns {@code 2^b - 2^(b-64) + (floor(2^(b-130) e) + X) 2^64 - 1}. */
  BigInteger prime() {
    BigInteger one = BigInteger.ONE;
    BigInteger middle = e(bits - 130).add(BigInteger.valueOf(constant));
    return one.shiftLeft(bits)
        .subtract(one.shiftLeft(bits - 64))
        .add(middle.shiftLeft(64))
        .subtract(one);
  }

  /** Returns {@code floor(2^shift e)}, computed from the series of e. */
  private static BigInteger e(int shift) {
    BigInteger term = BigInteger.ONE.shiftLeft(shift + GUARD);
    BigInteger sum = BigInteger.ZERO;
    for (int k = 1; term.signum() > 0; k++) {
      sum = sum.add(term);
      term = term.divide(BigInteger.valueOf(k));
    }
    return sum.shiftRight(GUARD);
  }
}
