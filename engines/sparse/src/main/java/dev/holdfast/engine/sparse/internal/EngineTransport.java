package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.forward.DynamicVolumeLinks;
import dev.holdfast.engine.sparse.internal.link.DynamicLinks;
import dev.holdfast.engine.sparse.internal.link.NetworkLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.rpc.NodeChannels;
import java.util.HashMap;
import java.util.Map;

/**
 * Connections from this engine to other nodes. The channels may arrive after the engine and leave
 * before it. While new channels replace old ones, both are bound and the later ones are used.
 * Thread-safe.
 */
final class EngineTransport {
  private final DynamicLinks replicas;
  private final DynamicVolumeLinks volumes = new DynamicVolumeLinks();

  // Guarded by this.
  private final Map<NodeChannels, NetworkLinks> ways = new HashMap<>();

  /**
   * Starts without channels to other nodes.
   *
   * @param otherwise connects to replicas while no transport is bound
   */
  EngineTransport(ReplicaLinks otherwise) {
    replicas = new DynamicLinks(otherwise);
  }

  /** Returns the links to replicas on other nodes. */
  DynamicLinks replicas() {
    return replicas;
  }

  /** Returns the links to volumes on other nodes. */
  DynamicVolumeLinks volumes() {
    return volumes;
  }

  /** Adds links over newly arrived channels. */
  synchronized void arrived(NodeChannels channels, NetworkLinks links) {
    ways.put(channels, links);
    replicas.arrived(links);
    volumes.arrived(links);
  }

  /** Removes the links over channels that left, and closes them. */
  synchronized void left(NodeChannels channels) {
    NetworkLinks links = ways.remove(channels);
    if (links != null) {
      volumes.left(links);
      replicas.left(links);
      links.close();
    }
  }
}
