package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.controller.Events.Due;
import dev.holdfast.frontend.nvmeof.internal.controller.Events.Event;
import dev.holdfast.frontend.nvmeof.internal.page.ErrorLog;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State that the queues of one controller share. It lives as long as one of its queues' sessions is
 * in this bundle. While a bundle is replaced, the queues arrive one by one, the admin queue with
 * the controller's state. Thread-safe.
 */
public final class NvmeController {
  /** Time for which I/O queues are served without their admin queue. */
  static final long ORPHANED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger log = LoggerFactory.getLogger(NvmeController.class);
  private static final int ADMIN = 0;

  private final ControllerId id;
  private final UUID host;
  private final String hostName;
  private final ErrorLog errors = new ErrorLog();
  private final Map<Integer, ControllerQueue> queues = new TreeMap<>();
  private Properties properties = new Properties();
  private Features features = new Features();
  private Events events = new Events();
  private long keepAliveMillis;
  private long heardAt;
  private long orphanedAt;
  private long seen = -1;
  private boolean namespaceChanged;
  // The controller was created, and its first queue has not joined yet.
  private boolean awaited = true;
  private volatile boolean heard = true;
  private volatile boolean serving = true;

  public NvmeController(ControllerId id, UUID host, String hostName) {
    this.id = id;
    this.host = host;
    this.hostName = hostName;
  }

  public ControllerId id() {
    return id;
  }

  public UUID host() {
    return host;
  }

  public String hostName() {
    return hostName;
  }

  public ErrorLog errors() {
    return errors;
  }

  /** Records a sign of life of the host. */
  public void heard() {
    heard = true;
  }

  /** Returns whether I/O is served. */
  public boolean serving() {
    return serving;
  }

  /** Starts the controller when its admin queue is connected for the first time. */
  public synchronized void created(long keepAlive) {
    keepAliveMillis = keepAlive;
    serving = false;
  }

  /** Resumes the state that the admin queue left elsewhere. */
  public synchronized void resumed(ControllerState state) {
    properties = state.properties();
    features = state.features();
    events = state.events();
    keepAliveMillis = state.keepAliveMillis();
    seen = state.seen();
    namespaceChanged = state.namespaceChanged();
    serving = properties.ready();
  }

  /** Returns the state that another bundle needs to resume. */
  public synchronized ControllerState state() {
    return new ControllerState(
        properties, features, events, keepAliveMillis, seen, namespaceChanged);
  }

  /** Adds a queue. Returns false when it is already connected. */
  public synchronized boolean join(int queue, ControllerQueue member) {
    ControllerQueue present = queues.get(queue);
    if (present != null && !present.gone()) {
      return false;
    }
    rejoin(queue, member);
    return true;
  }

  /** Adds a resumed queue, which replaces any queue of an earlier attempt. */
  public synchronized void rejoin(int queue, ControllerQueue member) {
    queues.put(queue, member);
    awaited = false;
  }

  @SuppressWarnings("ReferenceEquality") // Compares with exactly that member.
  public synchronized void leave(int queue, ControllerQueue member) {
    if (queues.get(queue) == member) {
      queues.remove(queue);
    }
  }

  /** Returns whether the admin queue is present. */
  public synchronized boolean headed() {
    return queues.containsKey(ADMIN);
  }

  /**
   * Returns whether the controller is unused: it has no queue, and its first queue has joined
   * before.
   */
  synchronized boolean empty() {
    queues.values().removeIf(ControllerQueue::gone);
    return queues.isEmpty() && !awaited;
  }

  public synchronized long property(int offset, boolean eight) throws RefusedException {
    return properties.get(offset, eight);
  }

  /** Sets a property. A controller that is disabled or shut down loses its I/O queues. */
  public synchronized void property(int offset, boolean eight, long value) throws RefusedException {
    boolean ended = properties.set(offset, eight, value);
    serving = properties.ready();
    if (ended) {
      endIo();
    }
  }

  public synchronized boolean ready() {
    return properties.ready();
  }

  public synchronized int feature(int feature) {
    return switch (feature) {
      case Features.KEEP_ALIVE -> (int) keepAliveMillis;
      case Features.EVENTS -> events.enabled();
      default -> features.current(feature);
    };
  }

  /** Sets a numeric feature and returns the completion's result. */
  public synchronized int feature(int feature, int value) throws RefusedException {
    switch (feature) {
      case Features.KEEP_ALIVE -> keepAlive(value & 0xffffffffL);
      case Features.EVENTS -> events.enable(value);
      case Features.QUEUES -> {
        if (queues.size() > 1) {
          throw new RefusedException(
              Status.SEQUENCE_ERROR, "the queues are numbered before the first is connected");
        }
        return features.change(feature, value);
      }
      default -> {
        return features.change(feature, value);
      }
    }
    return 0;
  }

  private void keepAlive(long millis) throws RefusedException {
    if (millis > Limits.KEEP_ALIVE) {
      throw new RefusedException(Status.KEEP_ALIVE_INVALID, "the keep-alive time-out is too long");
    }
    keepAliveMillis = millis;
  }

  /** Takes a request for an event; it may be completed immediately. */
  public synchronized void request(int command) throws RefusedException {
    if (!events.request(command)) {
      throw new RefusedException(
          Status.EVENT_LIMIT_EXCEEDED, "more than " + Limits.EVENTS + " event requests");
    }
    tell();
  }

  /** Aborts a request for an event. Returns whether it was waiting. */
  public synchronized boolean abort(int command) {
    ControllerQueue admin = queues.get(ADMIN);
    return admin != null
        && events.abort(command)
        && admin.tell(new CompletionEntry(0, 0, command, Status.ABORT_REQUESTED));
  }

  /** Records that the host has read a log. */
  public synchronized void read(int log) {
    events.read(log);
    tell();
  }

  public synchronized void happened(Event event) {
    events.happened(event);
    tell();
  }

  /** Returns whether the namespace has changed since the last call. */
  public synchronized boolean namespaceChanged(boolean keep) {
    boolean changed = namespaceChanged;
    namespaceChanged &= keep;
    return changed;
  }

  /**
   * Compares values that change without a notification: a volume's size, or the generation of the
   * discoverable exports.
   */
  public synchronized void observe(long value) {
    if (seen >= 0 && value != seen) {
      namespaceChanged = true;
      events.happened(id.discovery() ? Event.DISCOVERY : Event.NAMESPACE);
    }
    seen = value;
  }

  /** Checks time-outs and events. */
  synchronized void tick(long nowNanos) {
    queues.values().removeIf(ControllerQueue::gone);
    boolean admin = queues.containsKey(ADMIN);
    orphanedAt = admin ? 0 : orphanedAt == 0 ? nowNanos : orphanedAt;
    if (heard || heardAt == 0) {
      heard = false;
      heardAt = nowNanos;
    }
    if (!admin) {
      if (nowNanos - orphanedAt > ORPHANED_NANOS) {
        awaited = false;
        endIo();
      }
    } else if (expired(nowNanos)) {
      log.warn("{}: no keep-alive of host {}; ending its controller", id, hostName);
      properties.fail();
      serving = false;
      queues.values().forEach(ControllerQueue::disconnect);
    } else if (!properties.ready()) {
      endIo();
    }
    tell();
  }

  private boolean expired(long nowNanos) {
    return keepAliveMillis > 0
        && nowNanos - heardAt > TimeUnit.MILLISECONDS.toNanos(keepAliveMillis);
  }

  private void endIo() {
    queues.forEach(
        (queue, member) -> {
          if (queue != ADMIN) {
            member.disconnect();
          }
        });
  }

  private void tell() {
    ControllerQueue admin = queues.get(ADMIN);
    Optional<Due> due = events.due();
    while (admin != null && due.isPresent()) {
      Due now = due.get();
      if (!admin.tell(
          new CompletionEntry(now.event().result(), 0, now.command(), Status.SUCCESS))) {
        return;
      }
      events.sent(now);
      due = events.due();
    }
  }
}
