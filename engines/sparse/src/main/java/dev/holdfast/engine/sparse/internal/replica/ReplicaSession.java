package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * One engine's session with a replica, from its admission until it leaves or a later one is
 * admitted. A server's requests pass {@link #enter}, which refuses them after the end of the
 * session: bytes that were not parsed by then have no effect. An engine in this process counts its
 * own requests and waits for them in its listener instead.
 */
public final class ReplicaSession {
  /** Receives the end of the session. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Must return only when no call can have an effect any more, except calls that pass {@link
     * #enter}.
     */
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

  /** Admits a request; returns a negative ticket when the session has ended. */
  public int enter() {
    return gate.enter();
  }

  /** Records the end of a request. */
  public void leave(int ticket) {
    gate.leave(ticket);
  }

  /** Returns whether a request that passed {@link #enter} is in flight. */
  public boolean busy() {
    return gate.busy();
  }

  /** Adds a listener. Calls it immediately if the session was already superseded. */
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

  /** Removes a listener whose connection has ended. */
  synchronized void forget(Listener listener) {
    listeners.remove(listener);
  }

  /** Ends the session in favour of a later one. After the return this session has no effect. */
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

  /** Ends the session cleanly. Idempotent. */
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
