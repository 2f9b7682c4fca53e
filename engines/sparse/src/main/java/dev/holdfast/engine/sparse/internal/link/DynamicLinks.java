package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** The way to replicas on other nodes, which may come after the engine and go before it. */
public final class DynamicLinks implements ReplicaLinks {
  private final ReplicaLinks otherwise;
  private final AtomicReference<ReplicaLinks> present;

  /**
   * Begins without a way.
   *
   * @param otherwise used while no other is bound
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
