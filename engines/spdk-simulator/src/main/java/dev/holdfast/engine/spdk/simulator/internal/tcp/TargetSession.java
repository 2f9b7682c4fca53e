package dev.holdfast.engine.spdk.simulator.internal.tcp;

import java.io.Closeable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * One controller: the association with the connections of its queues, its registers, and the event
 * requests that the host left. Its end closes all connections. Thread-safe.
 */
final class TargetSession implements ServedAssociation.Events {
  /** The most event requests of a host. */
  static final int EVENTS = 4;

  static final int CAPABILITIES = 0x00;
  static final int VERSION = 0x08;
  static final int CONFIGURATION = 0x14;
  static final int STATUS = 0x1c;

  /** 128 entries, contiguous queues, 15 s until ready, the NVM command set. */
  private static final long CAPABILITY = 127 | 1L << 16 | 30L << 24 | 1L << 37;

  private static final long ACCESS_CHANGED = 0x0c_0302;
  private static final long NAMESPACES_CHANGED = 0x04_0002;

  private final ServedAssociation association;
  private final List<Closeable> connections = new ArrayList<>();
  private final Deque<LongConsumer> requests = new ArrayDeque<>();
  private final Deque<Long> untold = new ArrayDeque<>();
  private int configuration;
  private boolean ended;

  TargetSession(ServedAssociation association) {
    this.association = association;
  }

  ServedAssociation association() {
    return association;
  }

  /** Adds the connection of a queue. Returns false when the association has ended. */
  synchronized boolean join(Closeable connection) {
    if (!ended) {
      connections.add(connection);
    }
    return !ended;
  }

  // --- registers --------------------------------------------------------------------------

  synchronized long property(int offset) throws StatusException {
    return switch (offset) {
      case CAPABILITIES -> CAPABILITY;
      case VERSION -> Pages.VERSION;
      case CONFIGURATION -> configuration;
      case STATUS -> status();
      default -> throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    };
  }

  private long status() {
    boolean shutDown = (configuration >> 14 & 3) != 0;
    return (configuration & 1) | (shutDown ? 2 << 2 : 0);
  }

  synchronized void configure(int value) {
    configuration = value;
  }

  synchronized boolean isEnabled() {
    return (configuration & 1) != 0;
  }

  // --- events -----------------------------------------------------------------------------

  /** Keeps an event request until something happens. */
  void await(LongConsumer request) throws StatusException {
    Long event;
    synchronized (this) {
      if (requests.size() >= EVENTS) {
        throw new StatusException(NvmeOpcodes.EVENT_LIMIT);
      }
      event = untold.poll();
      if (event == null) {
        requests.add(request);
        return;
      }
    }
    request.accept(event);
  }

  private void happened(long event) {
    LongConsumer request;
    synchronized (this) {
      request = requests.poll();
      if (request == null) {
        if (!untold.contains(event)) {
          untold.add(event);
        }
        return;
      }
    }
    request.accept(event);
  }

  @Override
  public void accessChanged() {
    happened(ACCESS_CHANGED);
  }

  @Override
  public void namespacesChanged() {
    happened(NAMESPACES_CHANGED);
  }

  @Override
  public void ended() {
    List<Closeable> closing;
    synchronized (this) {
      ended = true;
      closing = List.copyOf(connections);
      connections.clear();
    }
    closing.forEach(TcpConnection::closeQuietly);
  }
}
