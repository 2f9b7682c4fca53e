package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.BlobMode;
import dev.holdfast.engine.lvm.blobs.HostDevices;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice.Access;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica.Phase;
import dev.holdfast.engine.lvm.internal.replica.OpeningState;
import dev.holdfast.engine.lvm.internal.replica.ReplicaPlace;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replica of an opening: its lock, its records and its blobs. The monitor of the volume guards
 * it.
 */
final class OpenReplica {
  /** Cookie of the opening, under which the live content is attached. */
  static final String COOKIE = "engine";

  private static final Logger LOG = LoggerFactory.getLogger(OpenReplica.class);

  private final LvmContext context;
  private final ReplicaPlace place;
  private final NodeFiles files;
  private final LockFile lock;
  private LvmReplica record;
  private OpeningState state;

  /** Creates a replica with the lock that its opening took. */
  OpenReplica(LvmContext context, ReplicaPlace place, LockFile lock, LvmReplica record)
      throws StorageException {
    this.context = context;
    this.place = place;
    this.files = context.files(place);
    this.lock = lock;
    this.record = record;
    this.state = files.state();
    context.opened(place.head(), true);
  }

  LvmContext context() {
    return context;
  }

  ReplicaPlace place() {
    return place;
  }

  String volume() {
    return place.location().volume();
  }

  LvmReplica record() {
    return record;
  }

  OpeningState state() {
    return state;
  }

  BlobManager blobs() {
    return context.blobs(place.location().nodeId());
  }

  HostDevices devices() {
    return context.devices();
  }

  boolean isThin() {
    return record.options().mode() == BlobMode.THIN;
  }

  /** Writes the record in the store. */
  void update(LvmReplica next) throws StorageException {
    context.records().write(place, next);
    record = next;
  }

  /** Writes the state of the opening on this node. */
  void mark(OpeningState next) throws StorageException {
    files.write(next);
    state = next;
  }

  /** Opens the device of the live content, which usually is attached already. */
  RawDevice reopenHead() throws StorageException {
    Optional<Path> present = devices().attached(place.head());
    return present.isPresent() ? openForWriting(present.get()) : openHead();
  }

  /** Attaches the live content and opens its device. */
  RawDevice openHead() throws StorageException {
    return openForWriting(blobs().attach(place.head(), COOKIE).device());
  }

  private RawDevice openForWriting(Path device) throws StorageException {
    return open(device, isThin() ? Access.WRITE_AND_DISCARD : Access.WRITE);
  }

  /** Opens a device of the host. */
  RawDevice open(Path device, Access access) throws StorageException {
    try {
      return context.opener().open(device, access);
    } catch (IOException e) {
      throw StorageException.io("volume " + volume() + ": " + device, e);
    }
  }

  /** Detaches the live content. */
  void detachHead() throws StorageException {
    blobs().detach(place.head(), COOKIE);
  }

  /**
   * Completes or undoes what an earlier opening began: removes snapshots that were not taken or not
   * deleted, and continues a reversion. Nothing of the volume is in use. Only readers of an opening
   * that did not end in order have left attachments.
   */
  void complete() throws StorageException {
    for (StoredSnapshot snapshot : record.snapshots()) {
      Blob blob = place.blob(snapshot.blob());
      if (!state.clean() || snapshot.phase() != StoredSnapshot.Phase.PRESENT) {
        detachAll(blob);
      }
      if (snapshot.phase() != StoredSnapshot.Phase.PRESENT) {
        blobs().delete(blob);
        update(record.without(snapshot));
      }
    }
    if (record.phase() == Phase.REVERTING) {
      replaceHead();
    }
    long size = blobs().size(place.head());
    if (size != record.sizeBytes()) {
      update(record.sized(size)); // the blob grew before the record said so
    }
  }

  /** Withdraws all cookies of a blob, which earlier openings left. */
  void detachAll(Blob blob) throws StorageException {
    var info = blobs().find(blob);
    if (info.isPresent()) {
      for (String cookie : info.get().cookies()) {
        blobs().detach(blob, cookie);
      }
    }
  }

  /**
   * Replaces the live content by that of the snapshot to which it is reverted. Repeating it starts
   * again, because nothing was written to the new content before it was recorded.
   */
  void replaceHead() throws StorageException {
    Blob target = place.blob(record.target());
    detachAll(place.head());
    blobs().delete(place.head());
    blobs().createCopy(place.head(), target);
    if (blobs().size(place.head()) < record.sizeBytes()) {
      blobs().extend(place.head(), record.sizeBytes());
    }
    String name =
        record.snapshots().stream()
            .filter(snapshot -> snapshot.blob().equals(target.name()))
            .findFirst()
            .map(StoredSnapshot::name)
            .orElse("");
    update(record.reverting("").above(name));
  }

  /** Takes the devices away that an earlier opening left to hosts, and its attachment. */
  void withdraw() throws StorageException {
    devices().hide(place.head());
    detachHead();
    if (!state.export().isEmpty()) {
      mark(state.exporting(""));
    }
  }

  /**
   * Makes this node the only one that has the volume open, in a group that several nodes use.
   *
   * @throws StorageException BUSY naming the node that has it open, or that holds the lock
   */
  void takeFromOthers() throws StorageException {
    Optional<SharedBlobManager> shared = context.sharing(place.location().nodeId(), place.group());
    if (shared.isPresent()) {
      shared.get().takeOver(place.head(), COOKIE);
    }
  }

  /**
   * Lets this node use the disk for all, when the pool was created for this volume. A failure is
   * logged only, because the volume can be used without that.
   */
  void bringPool() throws StorageException {
    Optional<SharedBlobManager> shared = context.sharing(place.location().nodeId(), place.group());
    if (shared.isEmpty()) {
      return;
    }
    try {
      shared.get().bring(place.head());
    } catch (StorageException e) {
      LOG.warn("volume {}: its pool stays on another node: {}", volume(), e.getMessage());
    }
  }

  /** Releases the lock. */
  void unlock() {
    context.opened(place.head(), false);
    try {
      lock.close();
    } catch (IOException e) {
      LOG.warn("volume {}: could not release its lock: {}", volume(), e.getMessage());
    }
  }

  /** Returns a snapshot that can be read. */
  Optional<StoredSnapshot> snapshot(String name) {
    return record.present(name);
  }
}
