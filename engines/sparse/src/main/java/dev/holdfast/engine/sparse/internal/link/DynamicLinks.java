package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Links to replicas on other nodes. The transport may arrive after the engine and leave before it.
 */
public final class DynamicLinks implements ReplicaLinks {
  private final ReplicaLinks otherwise;
  private final AtomicReference<ReplicaLinks> present;

  /**
   * Starts without a transport.
   *
   * @param otherwise links used while no transport is bound
   */
  public DynamicLinks(ReplicaLinks otherwise) {
    this.otherwise = otherwise;
    this.present = new AtomicReference<>(otherwise);
  }

  public void arrived(ReplicaLinks links) {
    present.set(links);
  }

  public void left(ReplicaLinks links) {
    present.compareAndSet(links, otherwise);
  }

  @Override
  public ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, Listener listener)
      throws StorageException {
    return present.get().connect(location, token, timeout, listener);
  }
}
