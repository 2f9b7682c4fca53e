package dev.holdfast.certificates.files;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * Secrets with which the kernel of a node and the nodes that serve one volume authenticate each
 * other. Each connection of the kernel to a volume has its own secrets.
 *
 * @param initiator name of the kernel's initiator, an IQN or an NQN, not null
 * @param chap secret of the initiator for CHAP of iSCSI, not null
 * @param chapOfTarget secret of the target for CHAP of iSCSI, not null
 * @param dhchap key of the host for DH-HMAC-CHAP of NVMe, not null
 * @param dhchapOfController key of the controller for DH-HMAC-CHAP of NVMe, not null
 */
public record InitiatorCredential(
    String initiator, String chap, String chapOfTarget, String dhchap, String dhchapOfController) {
  /** Name of the targets in CHAP, which they use when the initiator authenticates the target. */
  public static final String TARGET_USER = "holdfast";

  private static final int CHAP_BYTES = 16;
  private static final int DHCHAP_BYTES = 32;
  private static final String INITIATOR = "initiator";
  private static final String CHAP = "chap";
  private static final String CHAP_OF_TARGET = "chap-of-target";
  private static final String DHCHAP = "dhchap";
  private static final String DHCHAP_OF_CONTROLLER = "dhchap-of-controller";

  /** Checks that all parts are present. */
  public InitiatorCredential {
    Objects.requireNonNull(initiator, INITIATOR);
    Objects.requireNonNull(chap, CHAP);
    Objects.requireNonNull(chapOfTarget, CHAP_OF_TARGET);
    Objects.requireNonNull(dhchap, DHCHAP);
    Objects.requireNonNull(dhchapOfController, DHCHAP_OF_CONTROLLER);
  }

  /**
   * Creates new secrets.
   *
   * @param initiator name of the kernel's initiator, not null
   */
  public static InitiatorCredential create(String initiator) {
    return new InitiatorCredential(
        initiator, newChapSecret(), newChapSecret(), newDhchapKey(), newDhchapKey());
  }

  /** Creates a secret for CHAP: 32 hexadecimal digits. */
  public static String newChapSecret() {
    return HexFormat.of().formatHex(random(CHAP_BYTES));
  }

  /** Creates a key for DH-HMAC-CHAP in the form of nvme-cli: 32 bytes without a transformation. */
  public static String newDhchapKey() {
    byte[] key = random(DHCHAP_BYTES);
    CRC32 check = new CRC32();
    check.update(key);
    ByteBuffer whole = ByteBuffer.allocate(DHCHAP_BYTES + Integer.BYTES);
    whole.order(ByteOrder.LITTLE_ENDIAN).put(key).putInt((int) check.getValue());
    String text = "DHHC-1:00:" + Base64.getEncoder().encodeToString(whole.array()) + ":";
    Arrays.fill(key, (byte) 0);
    return text;
  }

  private static byte[] random(int count) {
    byte[] bytes = new byte[count];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /** Returns the text form in which nodes store and send a credential; {@link #parse} reads it. */
  public String text() {
    return line(INITIATOR, initiator)
        + line(CHAP, chap)
        + line(CHAP_OF_TARGET, chapOfTarget)
        + line(DHCHAP, dhchap)
        + line(DHCHAP_OF_CONTROLLER, dhchapOfController);
  }

  private static String line(String key, String value) {
    return key + " = " + value + "\n";
  }

  /**
   * Reads the lines of {@link #text}. Ignores unknown keys.
   *
   * @param where name of the source for the message, not null
   * @param text not null
   * @throws StorageException INVALID when a value is missing; the message has no secret
   */
  public static InitiatorCredential parse(String where, String text) throws StorageException {
    Map<String, String> values = new HashMap<>();
    text.lines()
        .map(line -> line.split(" = ", 2))
        .filter(parts -> parts.length == 2)
        .forEach(parts -> values.put(parts[0], parts[1].strip()));
    return new InitiatorCredential(
        value(where, values, INITIATOR),
        value(where, values, CHAP),
        value(where, values, CHAP_OF_TARGET),
        value(where, values, DHCHAP),
        value(where, values, DHCHAP_OF_CONTROLLER));
  }

  private static String value(String where, Map<String, String> values, String key)
      throws StorageException {
    String value = values.get(key);
    if (value == null || value.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, where + ": " + key + " is missing: connect the volume again");
    }
    return value;
  }

  /** Omits the secrets. */
  @Override
  public String toString() {
    return "secrets of " + initiator;
  }
}
