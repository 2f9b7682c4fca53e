package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node that may pass requests on to a volume that this node has open, while it moves in use.
 * What it was not told the outcome of it asks for again. Used by one thread at a time.
 */
final class MigrationPeer {
  private static final Logger LOG = LoggerFactory.getLogger(MigrationPeer.class);

  private final String volume;
  private Optional<String> welcome = Optional.empty();
  private Optional<Admitted> admitted = Optional.empty();

  private record Admitted(String node, EngineProvider by, Admission admission) {}

  MigrationPeer(String volume) {
    this.volume = volume;
  }

  /** Sets the admitted node, empty for none. */
  void welcome(Optional<String> node) {
    welcome = node;
  }

  /** Admits that node, and no other, by the engine that has the volume. */
  void admit(EngineProvider by, BlockDevice device) {
    boolean settled =
        admitted
            .map(a -> a.by() == by && welcome.equals(Optional.of(a.node())))
            .orElse(welcome.isEmpty());
    if (settled) {
      return;
    }
    expel();
    if (welcome.isPresent() && by instanceof ForwardingEngine able) {
      String node = welcome.get();
      try {
        admitted = Optional.of(new Admitted(node, by, able.admit(volume, node, device)));
      } catch (StorageException e) {
        LOG.warn("volume {}: could not admit node {}: {}", volume, node, e.getMessage());
      }
    }
  }

  /** Takes the leave back. No request of that node is at the device when this returns. */
  void expel() {
    admitted.ifPresent(a -> a.admission().close());
    admitted = Optional.empty();
  }
}
