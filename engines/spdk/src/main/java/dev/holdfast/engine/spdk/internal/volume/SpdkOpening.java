package dev.holdfast.engine.spdk.internal.volume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.replica.LegFormat;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * One attempt to open, resume or adopt a volume.
 *
 * <pre>
 *   open    register ─ former subsystem deleted ─ generation on the disk ─ leftovers ─ subsystem
 *   resume  session on the disk ─ connection
 *   adopt   register ─ generation on the disk ─ connection ─ requests of hosts continue
 * </pre>
 */
public final class SpdkOpening {
  private final SpdkContext context;
  private final OpenRequest request;
  private final ReplicaLocation location;
  private final Consumer<SpdkVolume> closed;

  /**
   * Prepares an attempt.
   *
   * @param closed called when the opening has ended
   */
  public SpdkOpening(SpdkContext context, OpenRequest request, Consumer<SpdkVolume> closed)
      throws StorageException {
    this.context = context;
    this.request = request;
    this.closed = closed;
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": engine spdk keeps one replica: set numberOfReplicas to 1");
    }
    this.location = request.replicas().get(0);
  }

  private StorageException conflict(String what) {
    return new StorageException(
        ErrorCode.CONFLICT, "volume " + request.volume() + ": " + what + ": open it again");
  }

  /** A step that ends the connection to the record when it fails. */
  private interface Step {
    SpdkVolume run() throws StorageException;
  }

  private static SpdkVolume unlessFailed(ReplicaLeg stored, Step step) throws StorageException {
    try {
      return step.run();
    } catch (StorageException | RuntimeException | Error e) {
      stored.disconnect();
      throw e;
    }
  }

  private SpdkVolume volume(ServedReplica replica, BlockDevice below) {
    return new SpdkVolume(context, request, replica, below, closed);
  }

  private ServedReplica served(ReplicaLeg stored) {
    return new ServedReplica(stored, context.lvols(), context.loopback());
  }

  /**
   * Opens it in a new generation.
   *
   * @param superseding run when this attempt may serve, before it does
   */
  public SpdkVolume open(Runnable superseding) throws StorageException {
    ReplicaLeg stored = context.replicas().open(location);
    return unlessFailed(
        stored,
        () -> {
          requireSize(stored.record());
          long generation = claim(stored.record());
          superseding.run();
          ServedReplica replica = served(stored);
          replica.withdraw();
          stored.write(stored.record().opened(new Opening(generation, 1, false)));
          stored.removeLeftovers();
          SpdkVolume opened = volume(replica, replica.serve());
          opened.purge();
          return opened;
        });
  }

  private void requireSize(LegRecord record) throws StorageException {
    if (request.sizeBytes() > record.sizeBytes()) {
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
              + " are requested: expand the volume after it was opened");
    }
  }

  private long claim(LegRecord record) throws StorageException {
    Membership before = request.register().read();
    String identity = record.owner().identity();
    if (!before.members().isEmpty() && !before.members().contains(identity)) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "volume "
              + request.volume()
              + ": replica "
              + location.replica()
              + " is not the current one: "
              + before.members()
              + " is missing");
    }
    long generation = before.generation() + 1;
    if (record.opening().generation() >= generation) {
      throw conflict(
          "its replica was opened in generation "
              + record.opening().generation()
              + ", and the register was restored to an older state, "
              + before.generation());
    }
    Membership claimed =
        new Membership(
            generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of(identity)));
    if (!request.register().compareAndSet(before, claimed)
        || !request.register().read().equals(claimed)) {
      throw conflict("it was opened elsewhere at the same time");
    }
    return generation;
  }

  /** Continues an opening that another engine of this node handed over. */
  public SpdkVolume resume(Handover handover) throws StorageException {
    if (handover.format() != SpdkVolume.FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + ": hand-over of format "
              + handover.format()
              + " is not known: install the engine that made it");
    }
    JsonNode state = LegFormat.parse("hand-over of volume " + request.volume(), handover.state());
    ReplicaLeg stored = context.replicas().open(location);
    return unlessFailed(
        stored,
        () -> {
          Opening last = stored.record().opening();
          if (last.generation() != state.path("generation").asLong()
              || last.session() >= handover.session()) {
            throw conflict("a later opening has taken its replica");
          }
          stored.write(
              stored.record().opened(new Opening(last.generation(), handover.session(), false)));
          ServedReplica replica = served(stored);
          return volume(replica, replica.takeOver());
        });
  }

  /** Continues what an earlier process left serving. */
  public SpdkVolume adopt() throws StorageException {
    Membership now = request.register().read();
    ReplicaLeg stored = context.replicas().open(location);
    return unlessFailed(
        stored,
        () -> {
          OptionalLong left = left(context, stored);
          if (left.isEmpty()) {
            throw new StorageException(
                ErrorCode.NOT_FOUND,
                "volume " + request.volume() + ": nothing was left serving: open it");
          }
          ServedReplica replica = served(stored);
          if (now.generation() != left.getAsLong() || !now.owner().equals(request.nodeId())) {
            replica.withdraw();
            throw conflict("node " + now.owner() + " serves it in generation " + now.generation());
          }
          BlockDevice below = replica.takeOver();
          replica.subsystems().access(replica.nqn(), context.hosts(), true);
          return volume(replica, below);
        });
  }

  /** Returns the generation in which hosts are served, empty when none are. */
  static OptionalLong left(SpdkContext context, ReplicaLeg stored) throws StorageException {
    ServedReplica replica = new ServedReplica(stored, context.lvols(), context.loopback());
    Optional<TargetSubsystem> shown = replica.subsystems().find(replica.nqn());
    boolean serving =
        shown.isPresent()
            && shown.get().listeners().contains(context.hosts())
            && !stored.record().opening().clean();
    return serving ? OptionalLong.of(stored.record().opening().generation()) : OptionalLong.empty();
  }

  /** As {@link dev.holdfast.engine.export.LastingExportEngine#leftServing}. */
  public static OptionalLong left(SpdkContext context, ReplicaLocation location)
      throws StorageException {
    try (ReplicaLeg stored = context.replicas().open(location)) {
      return left(context, stored);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return OptionalLong.empty();
      }
      throw e;
    }
  }
}
