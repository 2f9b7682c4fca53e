package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the content of all objects below {@code holdfast/v1/}. Their keys and, nearly, their
 * sizes stay visible. Refuses to write backups in Longhorn's layout, which has no encryption; reads
 * those that the target has. Reads the data key when it is first needed. Thread-safe.
 */
public final class EncryptedObjectStore extends ForwardingObjectStore {
  /** Objects by which nodes test the target. */
  private static final String PROBES = "backupstore/probe-";

  private static final String LOCKS = ".lck";
  private static final int MOST_KNOWN = 10_000;

  private final ObjectStore store;
  private final TargetKeys keys;
  private final Map<String, Opened> known = new LinkedHashMap<>();
  private SealedObjects objects;
  private boolean writable;

  /** Size and key of a stored object. */
  private record Opened(long stored, SecretKeySpec key) {}

  /**
   * Creates a filter.
   *
   * @param store the target; closed with the filter
   */
  public EncryptedObjectStore(ObjectStore store, WrappingKeys secret) {
    super(store);
    this.store = store;
    this.keys = new TargetKeys(store, secret);
  }

  private static boolean isEncrypted(String key) {
    return key.startsWith(TargetKeys.FOLDER) && !key.equals(TargetKeys.KEY);
  }

  private synchronized SealedObjects objects() throws StorageException {
    if (objects == null) {
      objects = new SealedObjects(keys.read());
    }
    return objects;
  }

  private synchronized SealedObjects objectsForWrites() throws StorageException {
    if (!writable) {
      objects = new SealedObjects(keys.readForWrites());
      writable = true;
    }
    return objects;
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    if (!isEncrypted(key)) {
      requireUnencrypted(key);
      return super.put(key, content, options);
    }
    StoredObject stored = super.put(key, objectsForWrites().seal(key, content), options);
    forget(key);
    return plain(stored);
  }

  private static void requireUnencrypted(String key) throws StorageException {
    if (!key.endsWith(LOCKS) && !key.startsWith(PROBES)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          key
              + ": the layout of Longhorn has no encryption, which spec.encryptionSecret of the"
              + " target demands: use a target without it for images, and for volumes whose first"
              + " backup there has this layout");
    }
  }

  private static StoredObject plain(StoredObject stored) {
    return isEncrypted(stored.key())
        ? new StoredObject(
            stored.key(), SealedObjects.plainSize(stored.size()), stored.tag(), stored.modified())
        : stored;
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    return super.stat(key).map(EncryptedObjectStore::plain);
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    super.list(prefix, after, object -> visitor.object(plain(object)));
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    if (!isEncrypted(key)) {
      super.get(key, offset, target);
      return;
    }
    SealedObjects sealed = objects();
    int start = target.position();
    boolean cached = isKnown(key);
    try {
      read(sealed, key, offset, target);
    } catch (StorageException e) {
      forget(key);
      if (!cached || e.code() != ErrorCode.IO) {
        throw e;
      }
      // Another writer may have replaced the object.
      target.position(start);
      read(sealed, key, offset, target);
    }
  }

  private void read(SealedObjects sealed, String key, long offset, ByteBuffer target)
      throws StorageException {
    Opened opened = opened(sealed, key);
    long end = offset + target.remaining();
    if (end > SealedObjects.plainSize(opened.stored())) {
      throw new StorageException(ErrorCode.IO, key + ": is shorter than " + end + " bytes");
    }
    long last = SealedObjects.parts(opened.stored()) - 1;
    long first = offset / SealedObjects.PART;
    // An empty range reads a part too, so that an altered empty object is found.
    long behind = Math.max(first + 1, (end + SealedObjects.PART - 1) / SealedObjects.PART);
    long from = SealedObjects.HEADER + first * SealedObjects.STORED_PART;
    long to = Math.min(opened.stored(), SealedObjects.HEADER + behind * SealedObjects.STORED_PART);
    if (first > last) {
      return;
    }
    ByteBuffer stored = ByteBuffer.allocate((int) (to - from));
    super.get(key, from, stored);
    stored.flip();
    long next = offset;
    for (long number = first; number < behind && number <= last; number++) {
      int length = Math.min(SealedObjects.STORED_PART, stored.remaining());
      ByteBuffer part = stored.slice().limit(length);
      stored.position(stored.position() + length);
      ByteBuffer plain = sealed.open(opened.key(), key, number, number == last, part);
      plain.position((int) Math.min(plain.limit(), next - number * SealedObjects.PART));
      plain.limit(Math.min(plain.limit(), plain.position() + target.remaining()));
      next += plain.remaining();
      target.put(plain);
    }
  }

  private synchronized boolean isKnown(String key) {
    return known.containsKey(key);
  }

  private synchronized void forget(String key) {
    known.remove(key);
  }

  private Opened opened(SealedObjects sealed, String key) throws StorageException {
    synchronized (this) {
      Opened opened = known.get(key);
      if (opened != null) {
        return opened;
      }
    }
    StoredObject object =
        store
            .stat(key)
            .orElseThrow(() -> new StorageException(ErrorCode.NOT_FOUND, key + ": is missing"));
    if (object.size() < SealedObjects.HEADER + SealedObjects.TAG) {
      throw new StorageException(
          ErrorCode.IO, key + ": has " + object.size() + " bytes, fewer than an encrypted object");
    }
    ByteBuffer header = ByteBuffer.allocate(SealedObjects.HEADER);
    super.get(key, 0, header);
    Opened opened = new Opened(object.size(), sealed.objectKey(key, header.flip()));
    synchronized (this) {
      if (known.size() >= MOST_KNOWN) {
        Iterator<String> oldest = known.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
      known.put(key, opened);
    }
    return opened;
  }
}
