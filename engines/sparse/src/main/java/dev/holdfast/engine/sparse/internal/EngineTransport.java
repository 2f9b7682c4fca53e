package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.forward.DynamicVolumeLinks;
import dev.holdfast.engine.sparse.internal.link.DynamicLinks;
import dev.holdfast.engine.sparse.internal.link.NetworkLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.rpc.NodeChannels;
import java.util.HashMap;
import java.util.Map;

/**
 * An engine's way to other nodes, which may come after the engine and go before it. While one way
 * replaces another there are two, and the later counts. Thread-safe.
 */
final class EngineTransport {
  private final DynamicLinks replicas;
  private final DynamicVolumeLinks volumes = new DynamicVolumeLinks();

  // Guarded by this.
  private final Map<NodeChannels, NetworkLinks> ways = new HashMap<>();

  /**
   * Begins without a way.
   *
   * @param otherwise connects to replicas while no transport is bound
   */
  EngineTransport(ReplicaLinks otherwise) {
    replicas = new DynamicLinks(otherwise);
  }

  /** Returns the way to replicas. */
  DynamicLinks replicas() {
    return replicas;
  }

  /** Returns the way to volumes. */
  DynamicVolumeLinks volumes() {
    return volumes;
  }

  /** There is a way. */
  synchronized void arrived(NodeChannels channels, NetworkLinks links) {
    ways.put(channels, links);
    replicas.arrived(links);
    volumes.arrived(links);
  }

  /** A way is no more, and its links are lost. */
  synchronized void left(NodeChannels channels) {
    NetworkLinks links = ways.remove(channels);
    if (links != null) {
      volumes.left(links);
      replicas.left(links);
      links.close();
    }
  }
}
