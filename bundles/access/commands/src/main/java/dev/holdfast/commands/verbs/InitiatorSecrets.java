package dev.holdfast.commands.verbs;

import dev.holdfast.error.StorageException;
import dev.holdfast.secrets.SecretFolder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32;

/** New secrets of a client for iSCSI and NVMe/TCP, which the node on this host keeps. */
final class InitiatorSecrets {
  private static final int CHAP_BYTES = 16;
  private static final int DHCHAP_BYTES = 32;

  private final SecureRandom random = new SecureRandom();
  private final SecretFolder secrets;

  InitiatorSecrets(SecretFolder secrets) {
    this.secrets = secrets;
  }

  private static String name(String client) {
    return "client-" + client;
  }

  /** Makes a CHAP secret and returns the lines for the user. */
  String chap(String client) throws StorageException {
    String secret = HexFormat.of().formatHex(bytes(CHAP_BYTES));
    set(client, "CHAP_SECRET", secret);
    return "username = " + client + "\npassword = " + secret + "\n";
  }

  /** Makes a key for DH-HMAC-CHAP in the form of nvme-cli and returns it. */
  String dhchap(String client) throws StorageException {
    byte[] key = bytes(DHCHAP_BYTES);
    CRC32 check = new CRC32();
    check.update(key);
    ByteBuffer whole = ByteBuffer.allocate(DHCHAP_BYTES + Integer.BYTES);
    whole.order(ByteOrder.LITTLE_ENDIAN).put(key).putInt((int) check.getValue());
    String text = "DHHC-1:00:" + Base64.getEncoder().encodeToString(whole.array()) + ":";
    Arrays.fill(key, (byte) 0);
    set(client, "DHCHAP_KEY", text);
    return text + "\n";
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private void set(String client, String key, String value) throws StorageException {
    secrets.set(name(client), key, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes the secrets of a client, if the node on this host has some. */
  void delete(String client) throws StorageException {
    if (secrets.list().containsKey(name(client))) {
      secrets.delete(name(client), Optional.empty());
    }
  }
}
