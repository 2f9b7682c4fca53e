package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.spdk.internal.calls.KeyFiles;
import dev.holdfast.engine.spdk.internal.calls.KeyringNames;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys by which targets of a cluster know each other (DH-HMAC-CHAP, both ways). Those of this node
 * follow from a secret that lives as long as the machine runs: a controller that waits for a lost
 * peer connects again by the keys with which it was attached. Other nodes get them in calls with
 * mutual TLS. Thread-safe.
 */
public final class LegKeys {
  private static final String SECRET = "legs";
  private static final int BYTES = 32;
  private static final int DIGITS = 16;
  private static final String HMAC = "HmacSHA256";

  private final KeyFiles files;

  /** Keeps keys in the keyring of the target of this node. */
  public LegKeys(KeyFiles files) {
    this.files = files;
  }

  /** Returns a host of this cluster with the keys of this node. */
  public LegHost host(String nqn) throws StorageException {
    byte[] fresh = new byte[BYTES];
    new SecureRandom().nextBytes(fresh);
    byte[] secret = files.kept(SECRET, fresh);
    return new LegHost(nqn, key(secret, "host"), key(secret, "controller"));
  }

  /** The form of nvme-cli: the key and its CRC-32 in Base64. */
  private static String key(byte[] secret, String use) {
    byte[] key = hmac(secret, use);
    CRC32 check = new CRC32();
    check.update(key);
    byte[] whole =
        ByteBuffer.allocate(BYTES + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(key)
            .putInt((int) check.getValue())
            .array();
    return "DHHC-1:00:" + Base64.getEncoder().encodeToString(whole) + ":";
  }

  private static byte[] hmac(byte[] secret, String use) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(secret, HMAC));
      return mac.doFinal(use.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** Gives the target of this node the keys of a host, and returns their names. */
  public KeyringNames named(LegHost host) throws StorageException {
    return new KeyringNames(named(host.key()), named(host.controllerKey()), "");
  }

  private String named(String key) throws StorageException {
    if (key.isEmpty()) {
      return "";
    }
    String name = "hf-leg-" + Identity.digits(key, DIGITS);
    files.add(name, key);
    return name;
  }
}
