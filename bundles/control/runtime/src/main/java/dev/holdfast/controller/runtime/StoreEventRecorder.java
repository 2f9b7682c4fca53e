package dev.holdfast.controller.runtime;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.ObjectReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps events in the store: one for each object, type and reason, with a count. It collects events
 * for a short time and writes them together. An event that cannot be written is dropped, because
 * events are optional. Events not seen for an hour are removed. Thread-safe.
 */
final class StoreEventRecorder {
  static final Duration KEPT = Duration.ofHours(1);
  private static final Logger LOG = LoggerFactory.getLogger(StoreEventRecorder.class);
  private static final Duration GATHERING = Duration.ofMillis(500);
  private static final Duration SWEEP_PERIOD = Duration.ofMinutes(10);
  private static final int MOST_PENDING = 500;
  private static final int MOST_NAME = 200;

  private final ResourceStore store;
  private final Clock clock;
  private final TaskExecutor tasks;
  private final Map<String, EventSpec> pending = new LinkedHashMap<>();
  private boolean flushing;
  private boolean closed;

  StoreEventRecorder(ResourceStore store, Clock clock, TaskExecutor tasks) {
    this.store = store;
    this.clock = clock;
    this.tasks = tasks;
  }

  void start() {
    tasks.schedule(this::sweep, SWEEP_PERIOD);
  }

  synchronized void close() {
    closed = true;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Returns the recorder of one reconciler. */
  EventRecorder recorder(String controller) {
    return new EventRecorder() {
      @Override
      public void normal(Resource<?> about, String reason, String message) {
        record(controller, about, "Normal", reason, message);
      }

      @Override
      public void warning(Resource<?> about, String reason, String message) {
        record(controller, about, "Warning", reason, message);
      }
    };
  }

  private void record(
      String controller, Resource<?> about, String type, String reason, String message) {
    ObjectReference regarding =
        new ObjectReference(about.resourceKind().kind(), about.name(), about.metadata().uid());
    Optional<Instant> now = Optional.of(clock.instant());
    EventSpec spec = new EventSpec(regarding, type, reason, message, controller, 1, now, now);
    boolean schedule;
    synchronized (this) {
      String name = name(spec);
      if (pending.size() >= MOST_PENDING && !pending.containsKey(name)) {
        return;
      }
      pending.merge(name, spec, StoreEventRecorder::merge);
      schedule = !flushing && !closed;
      flushing |= schedule;
    }
    if (schedule) {
      tasks.schedule(this::flush, GATHERING);
    }
  }

  private static EventSpec merge(EventSpec earlier, EventSpec later) {
    return later
        .withCount(earlier.count() + later.count())
        .withFirstTimestamp(earlier.firstTimestamp());
  }

  private static String name(EventSpec spec) {
    String object =
        spec.regarding().kind().toLowerCase(Locale.ROOT) + "-" + spec.regarding().name();
    String identity =
        String.join(
            "/",
            object,
            spec.regarding().uid(),
            spec.type(),
            spec.reason(),
            spec.reportingController());
    String prefix = object.length() > MOST_NAME ? object.substring(0, MOST_NAME) : object;
    return prefix + ".e" + String.format("%08x", identity.hashCode());
  }

  private void flush() {
    List<Map.Entry<String, EventSpec>> batch;
    synchronized (this) {
      batch = new ArrayList<>(pending.entrySet());
      pending.clear();
      flushing = false;
      if (closed) {
        return;
      }
    }
    for (Map.Entry<String, EventSpec> entry : batch) {
      try {
        write(entry.getKey(), entry.getValue());
      } catch (StorageException e) {
        LOG.debug("event {} dropped: {}", entry.getKey(), e.getMessage());
      }
    }
  }

  private void write(String name, EventSpec spec) throws StorageException {
    Optional<Event> present = store.get(Event.KIND, name);
    if (present.isPresent()) {
      store.update(present.get().withSpec(merge(present.get().spec(), spec)));
    } else {
      store.create(Event.of(name, spec).withMetadata(ObjectMeta.named(name)));
    }
  }

  private void sweep() {
    if (isClosed()) {
      return;
    }
    try {
      Instant before = clock.instant().minus(KEPT);
      for (Event event : store.list(Event.KIND, LabelSelector.ALL).items()) {
        if (event.spec().lastTimestamp().orElse(Instant.EPOCH).isBefore(before)) {
          remove(event);
        }
      }
    } catch (StorageException e) {
      LOG.debug("could not remove old events, retrying at the next sweep: {}", e.getMessage());
    }
    tasks.schedule(this::sweep, SWEEP_PERIOD);
  }

  private void remove(Event event) throws StorageException {
    try {
      store.delete(Event.KIND, event.name(), event.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
    }
  }
}
