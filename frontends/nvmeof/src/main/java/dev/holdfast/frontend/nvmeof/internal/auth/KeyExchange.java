package dev.holdfast.frontend.nvmeof.internal.auth;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * One side of a key exchange. Used once.
 *
 * @param group group of the exchange
 * @param exponent secret exponent of this side
 */
record KeyExchange(DhGroup group, BigInteger exponent) {
  private static final BigInteger GENERATOR = BigInteger.TWO;

  static KeyExchange begin(DhGroup group, SecureRandom random) {
    return new KeyExchange(group, new BigInteger(group.exponentBits(), random).setBit(0));
  }

  /** Returns this side's public value: big-endian, empty without a group. */
  byte[] publicValue() {
    return group == DhGroup.NONE
        ? new byte[0]
        : bytes(GENERATOR.modPow(exponent, group.prime()), group.length());
  }

  /** Returns the shared key, with the size of the prime; empty without a group. */
  byte[] agree(byte[] other) throws AuthenticationException {
    if (other.length != group.length()) {
      throw new AuthenticationException(
          AuthenticationException.INCORRECT_PAYLOAD, "the host's public value has a wrong length");
    }
    if (group == DhGroup.NONE) {
      return new byte[0];
    }
    BigInteger prime = group.prime();
    BigInteger value = new BigInteger(1, other);
    if (value.compareTo(BigInteger.ONE) <= 0
        || value.compareTo(prime.subtract(BigInteger.ONE)) >= 0) {
      throw new AuthenticationException(
          AuthenticationException.GROUP_UNUSABLE, "the host's public value is outside the group");
    }
    return bytes(value.modPow(exponent, prime), group.length());
  }

  private static byte[] bytes(BigInteger value, int length) {
    byte[] shortest = value.toByteArray();
    byte[] bytes = new byte[length];
    int from = shortest[0] == 0 ? 1 : 0;
    byte[] digits = Arrays.copyOfRange(shortest, from, shortest.length);
    System.arraycopy(digits, 0, bytes, length - digits.length, digits.length);
    return bytes;
  }

  /** Omits the exponent. */
  @Override
  public String toString() {
    return group.name();
  }
}
