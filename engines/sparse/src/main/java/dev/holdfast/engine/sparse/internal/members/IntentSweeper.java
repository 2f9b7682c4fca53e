package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears the marks of regions without recent writes, so that recovery after an unclean stop is
 * short. Runs periodically. A region loses its mark only after a whole period without writes, and
 * only after all members were flushed.
 */
public final class IntentSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(IntentSweeper.class);

  private final String volume;
  private final ReplicaFanout members;
  private final WriteIntents intents;
  private final RequestGate gate;
  private final MembershipManager keeper;
  private final Flusher flusher;

  public IntentSweeper(
      String volume,
      ReplicaFanout members,
      WriteIntents intents,
      RequestGate gate,
      MembershipManager keeper,
      Flusher flusher) {
    this.volume = volume;
    this.members = members;
    this.intents = intents;
    this.gate = gate;
    this.keeper = keeper;
    this.flusher = flusher;
  }

  /** Runs one sweep. */
  public void sweep() {
    if (intents.all().isEmpty()) {
      return;
    }
    BitSet idle = idleSince();
    if (!idle.isEmpty()) {
      flusher.flush(failure -> flushed(failure, idle));
    }
  }

  private BitSet idleSince() {
    BitSet idle = new BitSet();
    still(() -> idle.or(intents.sweep()));
    return idle;
  }

  private void still(Runnable action) {
    try {
      keeper.still(action::run);
    } catch (StorageException e) {
      throw new IllegalStateException("nothing in it fails", e);
    }
  }

  // A member whose flush failed was dropped before this point. The marks determined which regions
  // it misses, so they must not be cleared earlier.
  private void flushed(StorageException failure, BitSet idle) {
    if (failure != null || gate.closed()) {
      return;
    }
    still(
        () -> {
          idle.andNot(intents.written());
          intents.clear(idle);
        });
    LOG.debug("volume {}: {} regions are at rest", volume, idle.cardinality());
    if (!idle.isEmpty()) {
      members.storeMarks();
    }
  }
}
