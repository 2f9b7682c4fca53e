package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.members.TrimPreparation;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the snapshots that prevent trims from freeing space, if enabled. It starts at the head
 * and ends at the first snapshot that is locked or has another branch. Trims wait for it for a
 * limited time, because the register may be unreachable.
 */
public final class TrimReclaim implements TrimPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(TrimReclaim.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  // Delays coalescing after trims, because trims leave less data to copy.
  private static final Duration BEFORE_COALESCING = Duration.ofSeconds(30);
  private static final long NEVER = -1;

  private final VolumeContext parts;
  private volatile boolean enabled;
  // State number of the layers for which no further snapshot can be removed.
  private volatile long settled = NEVER;
  private volatile boolean late;
  // Guarded by this.
  private List<Runnable> waiting = new ArrayList<>();
  private boolean running;

  public TrimReclaim(VolumeContext parts) {
    this.parts = parts;
  }

  /** Sets whether snapshots may be removed. */
  public void enable(boolean value) {
    enabled = value;
  }

  @Override
  public boolean isDue() {
    return enabled && !late && settled != state() && !parts.structure().frozen();
  }

  private long state() {
    return parts.structure().changes() + parts.structure().unlocks();
  }

  @Override
  public void before(Runnable trim) {
    synchronized (this) {
      waiting.add(trim);
      if (running) {
        return;
      }
      running = true;
    }
    parts.clock().later(PATIENCE, this::tooLate);
    parts.executor().execute(this::reclaim);
  }

  private synchronized boolean isRunning() {
    return running;
  }

  private void tooLate() {
    if (isRunning()) {
      late = true;
      release();
    }
  }

  private void reclaim() {
    try {
      boolean some = false;
      while (enabled && removeNext()) {
        some = true;
      }
      if (some) {
        parts.clock().later(BEFORE_COALESCING, parts.structure()::coalesce);
      }
    } catch (StorageException e) {
      settled = state();
      LOG.info(
          "volume {}: could not prepare trims, so they free less space: {}",
          parts.name(),
          e.getMessage());
    } finally {
      synchronized (this) {
        running = false;
      }
      late = false;
      release();
    }
  }

  private void release() {
    List<Runnable> released;
    synchronized (this) {
      released = waiting;
      waiting = new ArrayList<>();
    }
    released.forEach(Runnable::run);
  }

  private boolean removeNext() throws StorageException {
    List<String> next = new ArrayList<>();
    // No snapshot can be taken during this action.
    parts
        .structure()
        .alone(
            () -> {
              long seen = state();
              inTheWay().ifPresentOrElse(next::add, () -> settled = seen);
            });
    for (String snapshot : next) {
      LOG.info("volume {}: a trim removes snapshot {}", parts.name(), snapshot);
      ChainOperation removal =
          new ChainOperation(
              UUID.randomUUID().toString(),
              ChainOperation.Kind.REMOVE,
              snapshot,
              false,
              Instant.now().toString(),
              Map.of(),
              0);
      parts.structure().run(removal, () -> {});
    }
    return !next.isEmpty();
  }

  private Optional<String> inTheWay() throws StorageException {
    Set<String> locked = parts.structure().locked();
    Map<String, SnapshotInfo> known = new HashMap<>();
    SnapshotInfo at = null;
    for (SnapshotInfo snapshot : parts.structure().snapshots()) {
      known.put(snapshot.name(), snapshot);
      at = snapshot.children().contains(SnapshotInfo.HEAD) ? snapshot : at;
    }
    while (at != null && at.children().size() == 1 && !locked.contains(at.name())) {
      if (!at.removed()) {
        return Optional.of(at.name());
      }
      at = known.get(at.parent());
    }
    return Optional.empty();
  }
}
