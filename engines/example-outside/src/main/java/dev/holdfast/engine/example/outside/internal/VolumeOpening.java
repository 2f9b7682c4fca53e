package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.Handover;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.example.outside.internal.daemon.NodeFolder;
import dev.holdfast.engine.example.outside.internal.disk.JsonFile;
import dev.holdfast.engine.example.outside.internal.disk.ReplicaRecord;
import dev.holdfast.engine.example.outside.internal.disk.SnapshotCopies;
import dev.holdfast.engine.example.outside.internal.disk.StoredReplica;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessSupervisor;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * One attempt to open, resume or adopt a volume.
 *
 * <pre>
 *   open    end what was left ─ lock ─ register ─ record in the replica ─ device
 *   resume  lock, if it was left: found ─ record in the replica ─ exports found ─ device
 *   adopt   register ─ lock found ─ exports found ─ device
 * </pre>
 */
final class VolumeOpening {
  private final DaemonSettings settings;
  private final ScheduledExecutorService executor;
  private final OpenRequest request;
  private final ReplicaLocation location;
  private final StoredReplica replica;
  private final NodeFolder place;

  VolumeOpening(DaemonSettings settings, ScheduledExecutorService executor, OpenRequest request)
      throws StorageException {
    this.settings = settings;
    this.executor = executor;
    this.request = request;
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": engine example-outside keeps one replica: set numberOfReplicas to 1");
    }
    this.location = request.replicas().get(0);
    this.replica = new StoredReplica(location);
    this.place = NodeFolder.of(settings.folder(), location);
  }

  NodeFolder place() {
    return place;
  }

  /** Opens the folder of a volume on this node, which one opening at a time has. */
  static ProcessSupervisor supervisor(
      NodeFolder place, String replica, ScheduledExecutorService executor) throws StorageException {
    place.create(replica);
    try {
      return ProcessSupervisor.open(place.path(), Clock.systemUTC(), executor);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY) {
        throw new StorageException(
            ErrorCode.BUSY,
            "volume " + place.volume() + " is open on this node: close it first",
            e);
      }
      throw e;
    }
  }

  private VolumeDaemons daemons(ProcessSupervisor supervisor) throws StorageException {
    return new VolumeDaemons(replica, place, settings, supervisor, request.listener());
  }

  private OutsideVolume volume(VolumeDaemons daemons, Consumer<NodeFolder> closed)
      throws StorageException {
    return new OutsideVolume(
        daemons, daemons.device(request.sizeBytes()), () -> closed.accept(place));
  }

  private ReplicaRecord requireReplica() throws StorageException {
    ReplicaRecord record = replica.require();
    if (record.sizeBytes() != request.sizeBytes()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + request.volume()
              + ": replica "
              + location.replica()
              + " has "
              + record.sizeBytes()
              + " bytes, "
              + request.sizeBytes()
              + " are requested: this engine does not expand volumes");
    }
    return record;
  }

  private StorageException conflict(String what) {
    return new StorageException(
        ErrorCode.CONFLICT, "volume " + request.volume() + ": " + what + ": open it again");
  }

  OutsideVolume open(Consumer<NodeFolder> closed) throws StorageException {
    requireReplica();
    Membership before = request.register().read();
    ProcessSupervisor supervisor = supervisor(place, location.replica(), executor);
    Cleanup cleanup = new Cleanup(supervisor);
    try {
      VolumeDaemons.withdraw(place, supervisor);
      VolumeDaemons daemons = cleanup.ending(daemons(supervisor));
      daemons.begin();
      long generation = claim(before);
      new SnapshotCopies(replica).sweep();
      daemons.serve(requireReplica().heldBy(request.nodeId(), generation, 1));
      return volume(daemons, closed);
    } catch (StorageException | RuntimeException e) {
      cleanup.run(e);
      throw e;
    }
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

  OutsideVolume resume(Handover handover, Consumer<NodeFolder> closed) throws StorageException {
    if (handover.format() != OutsideVolume.FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": hand-over of format "
              + handover.format()
              + " is not known: install the engine that made it");
    }
    long generation = JsonFile.parse(handover.state()).path("generation").asLong();
    requireResumable(generation, handover.session());
    ProcessSupervisor supervisor = supervisor(place, location.replica(), executor);
    Cleanup cleanup = new Cleanup(supervisor);
    try {
      Map<String, ExportLimits> left =
          ServingRecord.read(place.serving()).map(ServingRecord::exports).orElse(Map.of());
      VolumeDaemons daemons = daemons(supervisor);
      daemons = left.isEmpty() ? cleanup.ending(daemons) : cleanup.leaving(daemons);
      daemons.begin();
      ReplicaRecord record = requireResumable(generation, handover.session());
      ReplicaRecord next = record.heldBy(request.nodeId(), generation, handover.session());
      daemons.serve(next);
      daemons.continueServing(next, left);
      return volume(daemons, closed);
    } catch (StorageException | RuntimeException e) {
      cleanup.run(e);
      throw e;
    }
  }

  private ReplicaRecord requireResumable(long generation, long session) throws StorageException {
    ReplicaRecord record = requireReplica();
    if (record.generation() != generation || record.session() >= session) {
      throw conflict("a later opening has taken its replica");
    }
    return record;
  }

  OutsideVolume adopt(Consumer<NodeFolder> closed) throws StorageException {
    ProcessSupervisor supervisor = supervisor(place, location.replica(), executor);
    Cleanup cleanup = new Cleanup(supervisor);
    try {
      ServingRecord left = requireLeft();
      Membership now = request.register().read();
      ReplicaRecord record = requireReplica();
      if (now.generation() != left.generation()
          || !now.owner().equals(request.nodeId())
          || record.generation() != left.generation()) {
        VolumeDaemons.withdraw(place, supervisor);
        throw conflict("node " + now.owner() + " serves it in generation " + now.generation());
      }
      VolumeDaemons daemons = cleanup.leaving(daemons(supervisor));
      daemons.begin();
      daemons.continueServing(record, left.exports());
      return volume(daemons, closed);
    } catch (StorageException | RuntimeException e) {
      cleanup.run(e);
      throw e;
    }
  }

  private ServingRecord requireLeft() throws StorageException {
    return ServingRecord.read(place.serving())
        .filter(ServingRecord::isAlive)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "volume " + request.volume() + ": no earlier process left it open: open it"));
  }

  /** Undoing of an attempt that fails. */
  private static final class Cleanup {
    private final ProcessSupervisor supervisor;
    private Optional<VolumeDaemons> daemons = Optional.empty();
    private boolean ends;

    Cleanup(ProcessSupervisor supervisor) {
      this.supervisor = supervisor;
    }

    VolumeDaemons ending(VolumeDaemons started) {
      ends = true;
      return leaving(started);
    }

    VolumeDaemons leaving(VolumeDaemons started) {
      daemons = Optional.of(started);
      return started;
    }

    /** Undoes it; what fails is added to the failure. */
    void run(Exception failure) {
      try {
        if (daemons.isEmpty()) {
          supervisor.close();
        } else if (ends) {
          daemons.get().end();
        } else {
          daemons.get().leave();
        }
      } catch (StorageException e) {
        failure.addSuppressed(e);
      }
    }
  }
}
