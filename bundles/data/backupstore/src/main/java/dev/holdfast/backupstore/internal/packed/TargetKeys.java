package dev.holdfast.backupstore.internal.packed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The data key of a target in {@code holdfast/v1/keys.json}, wrapped by each key of a secret. The
 * data key never changes. A rotation replaces this one object, so that the target is readable with
 * the former keys or with the new ones at each step.
 */
public final class TargetKeys {
  static final String FOLDER = "holdfast/v1/";
  static final String KEY = FOLDER + "keys.json";
  private static final int DATA_KEY = 32;
  private static final int LARGEST = 64 << 10;
  private static final int MOST_COPIES = 100;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ObjectStore store;
  private final WrappingKeys secret;

  /** A wrapped copy of the data key, as hex digits. */
  private record Copy(String nonce, String wrapped) {
    Optional<byte[]> unwrap(WrappingKeys secret, String id) {
      HexFormat hex = HexFormat.of();
      return secret.unwrap(id, hex.parseHex(nonce), hex.parseHex(wrapped));
    }
  }

  TargetKeys(ObjectStore store, WrappingKeys secret) {
    this.store = store;
    this.secret = secret;
  }

  /** Returns whether a target has a data key. */
  public static boolean isPresent(ObjectStore store) throws StorageException {
    return store.stat(KEY).isPresent();
  }

  /**
   * Returns the data key.
   *
   * @throws StorageException FORBIDDEN if no key of the secret wraps it
   */
  byte[] read() throws StorageException {
    StoredObject object = store.stat(KEY).orElseThrow(TargetKeys::missing);
    return unwrapped(copies(object));
  }

  /** Returns the data key after it was created, and wrapped by the keys that the secret has now. */
  byte[] readForWrites() throws StorageException {
    Optional<StoredObject> object = store.stat(KEY);
    if (object.isEmpty()) {
      create();
      return read();
    }
    Map<String, Copy> copies = copies(object.get());
    byte[] dataKey = unwrapped(copies);
    rewrap(object.get(), copies, dataKey);
    return dataKey;
  }

  private void create() throws StorageException {
    if (!store.capabilities().contains(StoreCapability.CREATE_IF_ABSENT)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the target cannot create an object exclusively, which encryption needs: use another"
              + " target, or none of spec.encryptionSecret");
    }
    List<String> present = new ArrayList<>();
    store.list(FOLDER, "", object -> present.add(object.key()));
    if (!present.isEmpty()) {
      throw missing();
    }
    byte[] dataKey = random(DATA_KEY);
    try {
      put(wrapped(dataKey), PutOptions.IF_ABSENT);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      // Another node created it.
    }
  }

  private static StorageException missing() {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "the target has objects below "
            + FOLDER
            + " and no keys.json: they are not encrypted, or their key is lost: use another"
            + " target, put a copy of keys.json there, or remove spec.encryptionSecret");
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private Map<String, Copy> wrapped(byte[] dataKey) {
    Map<String, Copy> copies = new TreeMap<>();
    for (String id : secret.ids()) {
      byte[] nonce = random(WrappingKeys.NONCE);
      byte[] wrapped = secret.wrap(id, nonce, dataKey);
      copies.put(id, new Copy(SealedText.hex(nonce), SealedText.hex(wrapped)));
    }
    return copies;
  }

  /**
   * Wraps the data key by new keys of the secret, and drops copies of keys that it has no more. A
   * copy of a newer key stays, because this node may have an old secret.
   */
  private void rewrap(StoredObject object, Map<String, Copy> copies, byte[] dataKey)
      throws StorageException {
    Map<String, Copy> next = new TreeMap<>(copies);
    next.keySet().removeIf(id -> !secret.ids().contains(id) && id.compareTo(secret.newest()) < 0);
    for (Map.Entry<String, Copy> fresh : wrapped(dataKey).entrySet()) {
      Copy present = copies.get(fresh.getKey());
      boolean right = present != null && present.unwrap(secret, fresh.getKey()).isPresent();
      if (!right) {
        next.put(fresh.getKey(), fresh.getValue());
      }
    }
    if (next.equals(copies)) {
      return;
    }
    boolean exclusive = store.capabilities().contains(StoreCapability.REPLACE_IF_SAME);
    try {
      put(
          next,
          exclusive
              ? new PutOptions(false, Optional.of(object.tag()), Optional.empty())
              : PutOptions.REPLACE);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      // Another node wrapped it; both have the same data key.
    }
  }

  private void put(Map<String, Copy> copies, PutOptions options) throws StorageException {
    ObjectNode fields = SealedText.create().put("version", PackedFormat.VERSION);
    ArrayNode list = fields.putArray("keys");
    copies.forEach(
        (id, copy) ->
            list.addObject()
                .put("id", id)
                .put("nonce", copy.nonce())
                .put("wrapped", copy.wrapped()));
    store.put(KEY, List.of(SealedText.seal(fields)), options);
  }

  private Map<String, Copy> copies(StoredObject object) throws StorageException {
    SealedText text = SealedText.read(store, object, LARGEST, KEY);
    if (text.number("version", 1, Integer.MAX_VALUE) != PackedFormat.VERSION) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, KEY + ": has another version than 1: update Holdfast");
    }
    Map<String, Copy> copies = new TreeMap<>();
    for (SealedText part : text.parts("keys")) {
      if (copies.size() == MOST_COPIES) {
        throw text.damaged("has more than " + MOST_COPIES + " keys");
      }
      copies.put(part.text("id"), new Copy(hex(part, "nonce"), hex(part, "wrapped")));
    }
    return copies;
  }

  private static String hex(SealedText part, String field) throws StorageException {
    String text = part.text(field);
    if (!text.matches("([0-9a-f]{2}){1,256}")) {
      throw part.damaged("field " + field + " is not a text of hex digits");
    }
    return text;
  }

  private byte[] unwrapped(Map<String, Copy> copies) throws StorageException {
    for (String id : secret.ids()) {
      Copy copy = copies.get(id);
      if (copy != null) {
        Optional<byte[]> dataKey = copy.unwrap(secret, id);
        if (dataKey.isPresent() && dataKey.get().length == DATA_KEY) {
          return dataKey.get();
        }
      }
    }
    throw new StorageException(
        ErrorCode.FORBIDDEN,
        KEY
            + ": the backups are encrypted by the keys "
            + Printable.of(String.join(", ", copies.keySet()))
            + "; secret "
            + secret.secret()
            + " has "
            + String.join(", ", secret.ids())
            + ", with other values or names: add one of the former keys to the secret");
  }
}
