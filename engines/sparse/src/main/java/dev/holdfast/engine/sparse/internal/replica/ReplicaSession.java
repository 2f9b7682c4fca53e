package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * One engine's session with a replica, from its admission until it leaves or a later one comes. A
 * server's requests come in by {@link #enter}, which refuses them once the session has ended: bytes
 * that were not parsed by then have no effect. An engine in this process, which counts its own
 * requests, waits for them in its listener instead.
 */
public final class ReplicaSession {
  /** Called when the session ends. */
  @FunctionalInterface
  public interface Listener {
    /** Returns when only calls that pass {@link #enter} can still have an effect. */
    void superseded(Token by);
  }

  private final Token token;
  private final LocalReplica replica;
  private final RequestGate gate = new RequestGate(Runnable::run);
  private final List<Listener> listeners = new ArrayList<>();
  private Token supersededBy;

  ReplicaSession(Token token, LocalReplica replica, Listener listener) {
    this.token = token;
    this.replica = replica;
    this.listeners.add(listener);
  }

  public Token token() {
    return token;
  }

  public LocalReplica replica() {
    return replica;
  }

  /** Admits a request; a negative ticket means that the session has ended. */
  public int enter() {
    return gate.enter();
  }

  /** The request has ended. */
  public void leave(int ticket) {
    gate.leave(ticket);
  }

  /** Returns whether a request that came in by {@link #enter} is in flight. */
  public boolean busy() {
    return gate.busy();
  }

  /** Adds a listener; it is called at once when the session was superseded already. */
  void listen(Listener listener) {
    Token by;
    synchronized (this) {
      listeners.add(listener);
      by = supersededBy;
    }
    if (by != null) {
      listener.superseded(by);
    }
  }

  /** Forgets a listener, because its connection is gone. */
  synchronized void forget(Listener listener) {
    listeners.remove(listener);
  }

  /** Ends the session in favour of a later one; it has no effect after this returned. */
  void supersede(Token by) {
    List<Listener> told;
    synchronized (this) {
      supersededBy = by;
      told = List.copyOf(listeners);
    }
    gate.close(
        ErrorCode.FORBIDDEN, "replica " + replica.name() + " was taken over by engine " + by);
    told.forEach(listener -> listener.superseded(by));
    gate.awaitDrained();
    replica.close();
  }

  /** Ends the session in order. Idempotent. */
  public void close() {
    end();
    replica.close();
  }

  /** Ends the session so that another bundle of this node can serve the replica. */
  public void leave() {
    end();
    replica.leave();
  }

  private void end() {
    gate.close(ErrorCode.IO, "replica " + replica.name() + " was closed by its engine");
    gate.awaitDrained();
  }
}
