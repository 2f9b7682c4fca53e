package dev.holdfast.backupstore;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A lock of a volume at a target, in Longhorn's form: an object in the folder of locks. Backups and
 * restores admit each other; a deletion excludes them. Whether a lease has expired is decided by
 * the clock of the target alone. Thread-safe.
 */
public final class VolumeLock implements AutoCloseable {
  /** A lock that was not written for so long is dead. */
  public static final Duration LEASE = Duration.ofSeconds(150);

  private static final Duration REFRESH = Duration.ofSeconds(60);
  private static final Duration SETTLE = Duration.ofSeconds(2);

  /** A holder stops this long before others may treat its lock as expired. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final String SUFFIX = ".lck";
  private static final long LARGEST = 64 << 10;

  private final ObjectStore store;
  private final LockTiming timing;
  private final String volume;
  private final Type type;
  private final String name = "lock-" + UUID.randomUUID().toString().replace("-", "").substring(16);
  private final String key;
  private boolean acquired;
  private boolean closed;
  private StoredObject written;
  private long refreshedAt;

  /** The purposes of locks, by their numbers in objects. */
  public enum Type {
    /** Writes or reads a backup. */
    BACKUP(1),
    /** Deletes a backup or unused blocks. */
    DELETE(2);

    private final int number;

    Type(int number) {
      this.number = number;
    }
  }

  /** The lock of another holder. An object that cannot be read is taken for acquired. */
  private record Other(StoredObject object, String name, long type, boolean acquired) {}

  private VolumeLock(ObjectStore store, String volume, Type type, LockTiming timing) {
    this.store = store;
    this.volume = volume;
    this.type = type;
    this.timing = timing;
    this.key = LonghornKeys.locksFolder(volume) + name + SUFFIX;
  }

  /**
   * Acquires a lock.
   *
   * @param store the target, which the caller closes after the lock, not null
   * @param volume name of the volume, or of what the layout locks like one, not null
   * @param type purpose of the lock, not null
   * @param timing time of the holder, not null
   * @return the lock, which the caller closes, never null
   * @throws StorageException BUSY while another holder excludes it; what the target throws
   */
  public static VolumeLock acquire(ObjectStore store, String volume, Type type, LockTiming timing)
      throws StorageException {
    VolumeLock lock = begin(store, volume, type, timing);
    boolean complete = false;
    try {
      lock.complete();
      complete = true;
    } finally {
      if (!complete) {
        lock.close();
      }
    }
    return lock;
  }

  /**
   * Requests a lock, which is acquired when {@link #complete} returns. Parameters as of {@link
   * #acquire}.
   *
   * @return the lock, which the caller closes, never null
   * @throws StorageException what the target throws
   */
  public static VolumeLock begin(ObjectStore store, String volume, Type type, LockTiming timing)
      throws StorageException {
    VolumeLock lock = new VolumeLock(store, volume, type, timing);
    lock.putFirst();
    return lock;
  }

  private void putFirst() throws StorageException {
    boolean complete = false;
    try {
      put();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /**
   * Waits until other holders see the lock, and acquires it if they admit it.
   *
   * @throws StorageException BUSY while another holder excludes it; CONFLICT after {@link #close};
   *     what the target throws
   */
  public void complete() throws StorageException {
    timing.pause(SETTLE);
    synchronized (this) {
      if (closed) {
        throw lost();
      }
      admit();
      acquired = true;
      put();
    }
  }

  private void put() throws StorageException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (JsonGenerator json = ConfigReader.JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("Name", name);
      json.writeNumberField("Type", type.number);
      json.writeBooleanField("Acquired", acquired);
      json.writeEndObject();
    } catch (IOException e) {
      throw StorageException.io("lock " + name, e);
    }
    written = store.put(key, List.of(ByteBuffer.wrap(text.toByteArray())), PutOptions.REPLACE);
    refreshedAt = timing.nanoTime();
  }

  /** Fails while another lock has priority; removes expired locks before a deletion. */
  private void admit() throws StorageException {
    Instant now = store.stat(key).orElseThrow(this::lost).modified();
    List<StoredObject> found = new ArrayList<>();
    store.list(LonghornKeys.locksFolder(volume), "", found::add);
    List<String> dead = new ArrayList<>();
    for (StoredObject object : found) {
      if (object.key().equals(key) || !object.key().endsWith(SUFFIX)) {
        continue;
      }
      if (object.modified().plus(SETTLE).plus(LEASE).isBefore(now)) {
        dead.add(object.key());
      } else {
        admit(object, now);
      }
    }
    if (type == Type.DELETE && !dead.isEmpty()) {
      store.delete(dead);
    }
  }

  /** Compares another lock with this one, whose time is {@code own} as listings show it. */
  private void admit(StoredObject object, Instant own) throws StorageException {
    Other other = read(object);
    if (other.type() == type.number) {
      return;
    }
    int time = other.object().modified().compareTo(own);
    boolean first = other.acquired() || time < 0 || (time == 0 && other.name().compareTo(name) < 0);
    if (first) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + volume
              + ": lock "
              + Printable.of(other.name())
              + " at the target excludes this operation: wait until the other one ends");
    }
  }

  private Other read(StoredObject object) throws StorageException {
    String[] text = {""};
    long[] number = {0};
    boolean[] flag = {false};
    ConfigReader reader = new ConfigReader(store, "lock " + object.key());
    try {
      reader.read(
          object,
          LARGEST,
          (field, value) -> {
            switch (field) {
              case "Name" -> text[0] = reader.text(field, value);
              case "Type" -> number[0] = reader.number(field, value);
              case "Acquired" -> flag[0] = value.currentToken() == JsonToken.VALUE_TRUE;
              default -> value.skipChildren();
            }
            return true;
          });
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        // It was released after the listing.
        return new Other(object, "", type.number, false);
      }
      if (e.code() == ErrorCode.IO) {
        return new Other(object, object.key(), 0, true);
      }
      throw e;
    }
    return new Other(object, text[0], number[0], flag[0]);
  }

  /**
   * Refreshes the lease if it is time.
   *
   * @throws StorageException as {@link #refresh}
   */
  public synchronized void keep() throws StorageException {
    if (timing.nanoTime() - refreshedAt >= REFRESH.toNanos()) {
      refresh();
    }
  }

  /**
   * Refreshes the lease.
   *
   * @throws StorageException CONFLICT if the lock was lost: another holder may have acted since;
   *     what the target throws
   */
  public synchronized void refresh() throws StorageException {
    Instant before = written.modified();
    if (store.stat(key).isEmpty()) {
      throw lost();
    }
    put();
    if (before.plus(LEASE).minus(MARGIN).isBefore(written.modified())) {
      throw lost();
    }
  }

  /** Returns the time of the target when the lease was refreshed last, never null. */
  public synchronized Instant targetTime() {
    return written.modified();
  }

  private StorageException lost() {
    return new StorageException(
        ErrorCode.CONFLICT,
        "volume "
            + volume
            + ": the lock "
            + name
            + " at the target was lost: start the "
            + "operation again");
  }

  /** Releases the lock. One that cannot be released dies with its lease. */
  @Override
  public synchronized void close() {
    closed = true;
    try {
      store.delete(List.of(key));
    } catch (StorageException e) {
      // The lease ends without this.
    }
  }
}
