package dev.holdfast.backupstore.layout;

import dev.holdfast.backupstore.internal.packed.EncryptedObjectStore;
import dev.holdfast.backupstore.internal.packed.TargetKeys;
import dev.holdfast.backupstore.internal.packed.WrappingKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.Map;

/** Targets whose packed backups are encrypted. Thread-safe. */
public final class EncryptedTargets {
  private EncryptedTargets() {}

  /**
   * Returns whether a target has a data key, so that its packed backups are encrypted.
   *
   * @param store the target without encryption, not null
   * @throws StorageException the failure of the target
   */
  public static boolean isEncrypted(ObjectStore store) throws StorageException {
    return TargetKeys.isPresent(store);
  }

  /**
   * Returns a view of a target that encrypts and decrypts the content of packed backups and of
   * system backups. The target has a data key, wrapped by each key of the secret; the first write
   * creates it, and later writes wrap it by the keys that the secret has then. Calls fail with
   * FORBIDDEN if the secret has none of the keys, and with IO for altered bytes. Writes of the
   * layout of Longhorn fail with UNSUPPORTED.
   *
   * @param store the target, closed with the view, not null
   * @param secret name of the secret, for messages, not null
   * @param keys the values of the secret by their names, of which the last one is the newest; not
   *     null
   * @return the view, never null
   * @throws StorageException INVALID for a secret without suitable keys
   */
  public static ObjectStore encrypted(ObjectStore store, String secret, Map<String, byte[]> keys)
      throws StorageException {
    return new EncryptedObjectStore(store, new WrappingKeys(secret, keys));
  }
}
