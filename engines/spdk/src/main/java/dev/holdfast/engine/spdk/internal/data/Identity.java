package dev.holdfast.engine.spdk.internal.data;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/**
 * Identity of a subsystem for hosts. All follows from its name, by the rule that the NVMe frontend
 * has too, so that a volume keeps its identity however it is served.
 *
 * @param serial serial number, not null
 * @param uuid of the namespace, not null
 */
public record Identity(String serial, UUID uuid) {
  private static final String PREFIX = "nqn.2026-11.dev.holdfast:";
  private static final String INTERNAL = "spdk-";
  private static final int SERIAL = 20;
  private static final int MIRROR = 16;

  /** Returns the name of the subsystem that shows a volume. */
  public static String subsystem(String volume) {
    return PREFIX + volume;
  }

  /** Returns the name of a subsystem that this engine alone uses. */
  public static String internal(String kind, String name) {
    return PREFIX + INTERNAL + kind + ":" + name;
  }

  /** Returns whether a subsystem has a name of {@link #internal}. */
  public static boolean isInternal(String nqn) {
    return nqn.startsWith(PREFIX + INTERNAL) && nqn.indexOf(':', PREFIX.length()) > 0;
  }

  /** Returns the name of the mirror of a volume. */
  public static String mirror(String volume) {
    return "hf-" + digits(volume, MIRROR) + "-mirror";
  }

  /** Returns what the names of the controllers begin with that are legs of a volume. */
  public static String controllers(String volume) {
    return "hf-" + digits(volume, MIRROR) + "-leg-";
  }

  /** Returns the identity of a subsystem. */
  public static Identity of(String nqn) {
    byte[] hash = hash(nqn);
    ByteBuffer bytes = ByteBuffer.wrap(hash);
    long high = (bytes.getLong() & ~0xf000L) | 0x8000L; // version 8
    long low = (bytes.getLong() & ~(3L << 62)) | (2L << 62);
    return new Identity(HexFormat.of().formatHex(hash).substring(0, SERIAL), new UUID(high, low));
  }

  /** Returns the NGUID of the namespace as 32 hexadecimal digits. */
  public String nguid() {
    return uuid.toString().replace("-", "").toUpperCase(Locale.ROOT);
  }

  /** Returns a number of hexadecimal digits that follow from a text. */
  public static String digits(String text, int count) {
    return HexFormat.of().formatHex(hash(text)).substring(0, count);
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
