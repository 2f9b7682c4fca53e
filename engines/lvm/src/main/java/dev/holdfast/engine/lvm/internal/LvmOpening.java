package dev.holdfast.engine.lvm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica.Phase;
import dev.holdfast.engine.lvm.internal.replica.OpeningState;
import dev.holdfast.engine.lvm.internal.replica.ReplicaFormat;
import dev.holdfast.engine.lvm.internal.replica.ReplicaPlace;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * One attempt to open, resume or adopt a volume.
 *
 * <pre>
 *   open    lock ─ register ─ what was left is withdrawn ─ what was interrupted is completed ─ device
 *   resume  lock ─ session ─ device
 *   adopt   register ─ lock ─ generation ─ requests of hosts continue ─ device
 * </pre>
 */
final class LvmOpening {
  private final LvmContext context;
  private final OpenRequest request;
  private final ReplicaLocation location;
  private final Consumer<LvmVolume> closed;

  LvmOpening(LvmContext context, OpenRequest request, Consumer<LvmVolume> closed)
      throws StorageException {
    this.context = context;
    this.request = request;
    this.closed = closed;
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": engine lvm keeps one replica: set numberOfReplicas to 1");
    }
    this.location = request.replicas().get(0);
  }

  private StorageException conflict(String what) {
    return new StorageException(
        ErrorCode.CONFLICT, "volume " + request.volume() + ": " + what + ": open it again");
  }

  private LvmReplica requireRecord(ReplicaPlace place) throws StorageException {
    Optional<LvmReplica> present = context.records().read(place);
    if (present.isEmpty()
        || present.get().phase() == Phase.CREATING
        || present.get().phase() == Phase.DELETING) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "volume "
              + request.volume()
              + ": replica "
              + location.replica()
              + " is not in volume group "
              + place.group());
    }
    return present.get();
  }

  private void requireSize(LvmReplica record) throws StorageException {
    if (request.sizeBytes() > record.sizeBytes()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + request.volume()
              + ": replica "
              + location.replica()
              + " has "
              + record.sizeBytes()
              + " B, "
              + request.sizeBytes()
              + " B are requested: expand the volume after it was opened");
    }
  }

  /** A step that gives the lock back when it fails. */
  private interface Step {
    LvmVolume run() throws StorageException;
  }

  private static LvmVolume unlessFailed(OpenReplica replica, Step step) throws StorageException {
    try {
      return step.run();
    } catch (StorageException | RuntimeException | Error e) {
      replica.unlock();
      throw e;
    }
  }

  private OpenReplica locked(ReplicaPlace place, LvmReplica record) throws StorageException {
    LockFile lock = context.files(place).lock(request.volume());
    try {
      return new OpenReplica(context, place, lock, record);
    } catch (StorageException | RuntimeException e) {
      try {
        lock.close();
      } catch (IOException failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  private LvmVolume volume(OpenReplica replica, RawDevice head) {
    return new LvmVolume(replica, head, request.listener(), closed);
  }

  LvmVolume open() throws StorageException {
    ReplicaPlace place = context.place(location);
    LvmReplica record = requireRecord(place);
    requireSize(record);
    Membership before = request.register().read();
    OpenReplica replica = locked(place, record);
    return unlessFailed(
        replica,
        () -> {
          replica.takeFromOthers();
          long generation = claim(before);
          replica.withdraw();
          replica.complete();
          replica.mark(new OpeningState(generation, 1, false, ""));
          LvmVolume opened = volume(replica, replica.openHead());
          replica.bringPool();
          return opened;
        });
  }

  private long claim(Membership before) throws StorageException {
    long generation = before.generation() + 1;
    Membership claimed =
        new Membership(
            generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of(location.replica())));
    if (!request.register().compareAndSet(before, claimed)
        || !request.register().read().equals(claimed)) {
      throw conflict("it was opened elsewhere at the same time");
    }
    return generation;
  }

  /** Neither the register nor the records in the store are needed, nor a program of LVM. */
  LvmVolume resume(Handover handover) throws StorageException {
    if (handover.format() != LvmVolume.FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": hand-over of format "
              + handover.format()
              + " is not known: install the engine that made it");
    }
    String what = "hand-over of volume " + request.volume();
    JsonNode state = ReplicaFormat.parse(what, handover.state());
    LvmReplica record = ReplicaFormat.read(what, state.path("record"));
    ReplicaPlace place =
        new ReplicaPlace(
            location,
            ReplicaPlace.group(location.disk()),
            state.path("groupId").asText(),
            record.head());
    OpenReplica replica = locked(place, record);
    return unlessFailed(
        replica,
        () -> {
          OpeningState last = replica.state();
          if (last.generation() != state.path("generation").asLong()
              || last.session() >= handover.session()) {
            throw conflict("a later opening has taken its replica");
          }
          replica.mark(
              new OpeningState(last.generation(), handover.session(), false, last.export()));
          return volume(replica, replica.reopenHead());
        });
  }

  LvmVolume adopt() throws StorageException {
    Membership now = request.register().read();
    ReplicaPlace place = context.place(location);
    OpenReplica replica = locked(place, requireRecord(place));
    return unlessFailed(
        replica,
        () -> {
          OpeningState left = replica.state();
          if (left.serving().isEmpty() || !replica.devices().isShown(place.head())) {
            throw new StorageException(
                ErrorCode.NOT_FOUND,
                "volume " + request.volume() + ": no earlier process left it open: open it");
          }
          if (now.generation() != left.generation() || !now.owner().equals(request.nodeId())) {
            replica.withdraw();
            throw conflict("node " + now.owner() + " serves it in generation " + now.generation());
          }
          replica.devices().release(place.head());
          return volume(replica, replica.openHead());
        });
  }
}
