package dev.holdfast.backupstore.internal.packed;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;

/** Names of objects that sort by the time at which they were made. */
final class Ulid {
  static final int LENGTH = 26;
  private static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BITS = 5;

  private Ulid() {}

  /** Returns a new one. */
  static String of(Instant time) {
    byte[] random = new byte[10];
    RANDOM.nextBytes(random);
    byte[] bytes = new byte[16];
    ByteBuffer.wrap(bytes).putLong(time.toEpochMilli() << 16).position(6).put(random);
    BigInteger value = new BigInteger(1, bytes);
    StringBuilder text = new StringBuilder();
    for (int i = LENGTH - 1; i >= 0; i--) {
      text.append(DIGITS.charAt(value.shiftRight(BITS * i).intValue() & (DIGITS.length() - 1)));
    }
    return text.toString();
  }

  static boolean isValid(String text) {
    return text.length() == LENGTH && text.chars().allMatch(c -> DIGITS.indexOf(c) >= 0);
  }
}
