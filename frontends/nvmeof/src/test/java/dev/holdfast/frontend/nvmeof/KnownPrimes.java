package dev.holdfast.frontend.nvmeof;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** The primes of the groups that DH-HMAC-CHAP uses, from another implementation. */
public final class KnownPrimes {
  private KnownPrimes() {}

  /** Returns the prime of that many bits. */
  public static BigInteger of(int bits) throws IOException {
    try (InputStream primes = KnownPrimes.class.getResourceAsStream("/ffdhe.txt")) {
      return new String(primes.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.startsWith(bits + " "))
          .map(line -> new BigInteger(line.substring(line.indexOf(' ') + 1), 16))
          .findFirst()
          .orElseThrow();
    }
  }
}
