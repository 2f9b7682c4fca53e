package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.error.StorageException;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that may forward requests to a volume that this node has open: one during a live
 * migration, or several that serve it too. They repeat requests whose replies they did not receive.
 * Used by one thread at a time.
 */
final class ForwardingPeers {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardingPeers.class);

  private final String volume;
  private Set<String> welcome = Set.of();
  private final Map<String, Admitted> admitted = new TreeMap<>();

  private record Admitted(EngineProvider by, Admission admission) {}

  ForwardingPeers(String volume) {
    this.volume = volume;
  }

  /** Sets the admitted nodes. */
  void welcome(Set<String> nodes) {
    welcome = Set.copyOf(nodes);
  }

  /** Admits exactly these nodes by the engine that has the volume. */
  void admit(EngineProvider by, BlockDevice device) {
    Iterator<Map.Entry<String, Admitted>> present = admitted.entrySet().iterator();
    while (present.hasNext()) {
      Map.Entry<String, Admitted> next = present.next();
      if (next.getValue().by() != by || !welcome.contains(next.getKey())) {
        next.getValue().admission().close();
        present.remove();
      }
    }
    if (by instanceof ForwardingEngine able) {
      welcome.stream()
          .sorted()
          .filter(node -> !admitted.containsKey(node))
          .forEach(node -> admit(able, node, device));
    }
  }

  private void admit(ForwardingEngine by, String node, BlockDevice device) {
    try {
      admitted.put(node, new Admitted(by, by.admit(volume, node, device)));
    } catch (StorageException e) {
      LOG.warn("volume {}: could not admit node {}: {}", volume, node, e.getMessage());
    }
  }

  /** Expels all nodes. After the return none of their requests is at the device. */
  void expel() {
    admitted.values().forEach(a -> a.admission().close());
    admitted.clear();
  }
}
