package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Rebuilds of an open volume, one at a time. Other changes of its legs and snapshots wait for its
 * end. Thread-safe.
 */
final class SpdkRebuilds {
  private final OpenParts parts;
  private final BooleanSupplier ended;
  private volatile Optional<LegRebuild> last = Optional.empty();

  /**
   * Creates the rebuilds of a volume.
   *
   * @param ended whether the opening has ended, asked with the monitor
   */
  SpdkRebuilds(OpenParts parts, BooleanSupplier ended) {
    this.parts = parts;
    this.ended = ended;
  }

  /** As {@link dev.holdfast.engine.RebuildableVolume#rebuild}, with the monitor. */
  Rebuild begin(ReplicaLocation location, RebuildOptions options) throws StorageException {
    for (ReplicaLeg leg : parts.legs().all()) {
      if (leg.place().location().equals(location)) {
        throw new StorageException(
            ErrorCode.CONFLICT, "replica " + location.replica() + ": is current already");
      }
    }
    ReplicaLeg source = RebuildTarget.source(parts.request().volume(), parts.legs());
    LegRebuild begun =
        new LegRebuild(parts, ended, RebuildTarget.open(parts, location), source, options);
    begun.begin();
    last = Optional.of(begun);
    return begun;
  }

  /** Fails while a rebuild runs. */
  void requireNone() throws StorageException {
    Optional<LegRebuild> running = last.filter(one -> !one.isOver());
    if (running.isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + parts.request().volume()
              + ": replica "
              + running.get().replica()
              + " is rebuilt: try again when that has ended");
    }
  }

  /** Cancels the rebuild that runs. */
  void cancel() {
    last.ifPresent(LegRebuild::cancel);
  }

  /** Cancels it and waits for its end, which needs the monitor. */
  void end() {
    last.ifPresent(LegRebuild::end);
  }
}
