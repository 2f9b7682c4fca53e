package dev.holdfast.backupstore.internal.packed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The packs and maps of a volume that no listed backup needed. They are deleted after a grace time
 * if a second look at the target confirms that, because a list may be stale or lack an object.
 */
final class PackedTrash {
  /** Longer than a lease, and than the delay of any list. */
  static final Duration GRACE = Duration.ofMinutes(10);

  private static final int LARGEST = 16 << 20;

  private final ObjectStore store;
  private final String volume;
  private final Instant now;
  private final Set<String> known = new HashSet<>();
  private final Set<String> due = new HashSet<>();
  private final List<String> read = new ArrayList<>();

  private PackedTrash(ObjectStore store, String volume, Instant now) {
    this.store = store;
    this.volume = volume;
    this.now = now;
  }

  /** Returns whether the grace time of a part of the trash has ended. */
  static boolean isDue(ObjectStore store, String volume, Instant now) throws StorageException {
    for (StoredObject object : list(store, volume)) {
      if (isDue(object, now)) {
        return true;
      }
    }
    return false;
  }

  private static List<StoredObject> list(ObjectStore store, String volume) throws StorageException {
    List<StoredObject> objects = new ArrayList<>();
    store.list(PackedKeys.trash(volume), "", objects::add);
    return objects;
  }

  private static boolean isDue(StoredObject object, Instant now) {
    return object.modified().plus(GRACE).isBefore(now);
  }

  /**
   * Reads the trash. A damaged list of it is dropped: its keys then wait for another grace time.
   *
   * @param now time of the target
   */
  static PackedTrash read(ObjectStore store, String volume, Instant now) throws StorageException {
    PackedTrash trash = new PackedTrash(store, volume, now);
    for (StoredObject object : list(store, volume)) {
      trash.read(object);
    }
    return trash;
  }

  private void read(StoredObject object) throws StorageException {
    List<String> keys;
    try {
      keys = SealedText.read(store, object, LARGEST, "trash of volume " + volume).texts("keys");
    } catch (StorageException e) {
      if (e.code() != ErrorCode.IO && e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      read.add(object.key());
      return;
    }
    known.addAll(keys);
    if (isDue(object, now)) {
      due.addAll(keys);
      read.add(object.key());
    }
  }

  /** Records objects that no backup needs, and that the trash did not have. */
  void add(Collection<String> unused) throws StorageException {
    Set<String> fresh = new TreeSet<>(unused);
    fresh.removeAll(known);
    if (fresh.isEmpty()) {
      return;
    }
    ObjectNode fields = SealedText.create().put("version", PackedFormat.VERSION);
    ArrayNode keys = fields.putArray("keys");
    fresh.forEach(keys::add);
    store.put(
        PackedKeys.trash(volume) + Ulid.of(now) + ".json",
        List.of(SealedText.seal(fields)),
        PutOptions.REPLACE);
  }

  /** Returns those of the objects that were in the trash for the grace time. */
  List<String> dueOf(Collection<String> unused) {
    return unused.stream().filter(due::contains).sorted().toList();
  }

  /** Returns the parts of the trash that are settled after the objects were deleted. */
  List<String> settled() {
    return List.copyOf(read);
  }
}
