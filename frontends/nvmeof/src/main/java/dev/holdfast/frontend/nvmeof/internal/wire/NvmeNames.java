package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/** Names of a volume for hosts, derived from the export's name. */
public final class NvmeNames {
  /** NQN of the well-known discovery subsystem. */
  public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

  private static final String PREFIX = "nqn.2026-11.dev.holdfast:";
  private static final int LONGEST = 223;
  private static final int SERIAL = 20;

  private NvmeNames() {}

  /** Returns the NQN of an export. */
  public static String subsystem(String export) {
    return PREFIX + export;
  }

  /** Returns the export of an NQN, or empty for an NQN of another product. */
  public static Optional<String> export(String subsystem) {
    return subsystem.startsWith(PREFIX)
        ? Optional.of(subsystem.substring(PREFIX.length()))
        : Optional.empty();
  }

  /** Returns whether the name has the form of an NQN. */
  public static boolean valid(String name) {
    return name.startsWith("nqn.")
        && name.getBytes(StandardCharsets.UTF_8).length <= LONGEST
        && name.chars().noneMatch(c -> c < ' ' || c == 0xfffd);
  }

  /** Returns the UUID (version 8) of an export's namespace, derived from the subsystem's name. */
  public static UUID uuid(String subsystem) {
    byte[] hash = hash(subsystem);
    long high = (number(hash, 0) & ~0xf000L) | 0x8000L;
    long low = (number(hash, 8) & ~(3L << 62)) | (2L << 62);
    return new UUID(high, low);
  }

  /** Returns the serial number of a subsystem. */
  public static String serial(String subsystem) {
    return HexFormat.of().formatHex(hash(subsystem)).substring(0, SERIAL);
  }

  private static long number(byte[] bytes, int at) {
    return java.nio.ByteBuffer.wrap(bytes).getLong(at);
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
