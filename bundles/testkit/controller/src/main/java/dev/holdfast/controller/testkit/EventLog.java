package dev.holdfast.controller.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The real store of the simulation. It records every write as an event, which each node receives at
 * a time of its schedule.
 */
final class EventLog extends ForwardingResourceStore {
  private final Runnable written;
  private final List<WatchEvent<?>> events = new ArrayList<>();
  private final Map<String, Integer> positions = new HashMap<>();

  EventLog(ResourceStore store, Runnable written) {
    super(store);
    this.written = written;
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    ResourceList<R> list = super.list(kind, selector);
    positions.put(list.resourceVersion(), events.size());
    return list;
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    R created = super.create(resource);
    happened(new WatchEvent<>(WatchEvent.Type.ADDED, created));
    return created;
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    R updated = super.update(resource);
    changed(resource, updated);
    return updated;
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    R updated = super.updateStatus(resource);
    changed(resource, updated);
    return updated;
  }

  private <R extends Resource<R>> void changed(R before, R after) throws StorageException {
    if (before.metadata().resourceVersion().equals(after.metadata().resourceVersion())) {
      return;
    }
    boolean removed = get(after.resourceKind(), after.name()).isEmpty();
    happened(new WatchEvent<>(removed ? WatchEvent.Type.DELETED : WatchEvent.Type.MODIFIED, after));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    Optional<R> before = get(kind, name);
    Optional<R> after = super.delete(kind, name, uid);
    if (after.isPresent()) {
      changed(before.orElseThrow(), after.get());
    } else if (before.isPresent()) {
      String version = super.list(kind, LabelSelector.ALL).resourceVersion();
      R last = before.get();
      happened(
          new WatchEvent<>(
              WatchEvent.Type.DELETED,
              last.withMetadata(last.metadata().withResourceVersion(version))));
    }
    return after;
  }

  /** Returns all resources except events and leases, for the message of a failure. */
  String contents() {
    StringBuilder text = new StringBuilder();
    events.stream()
        .<ResourceKind<?>>map(event -> event.resource().resourceKind())
        .distinct()
        .filter(kind -> !kind.equals(Event.KIND) && !kind.equals(Lease.KIND))
        .forEach(kind -> append(kind, text));
    return text.toString();
  }

  private <R extends Resource<R>> void append(ResourceKind<R> kind, StringBuilder text) {
    try {
      for (R resource : super.list(kind, LabelSelector.ALL).items()) {
        text.append(resource).append('\n');
      }
    } catch (StorageException e) {
      text.append(kind.plural()).append(": ").append(e.getMessage()).append('\n');
    }
  }

  private void happened(WatchEvent<?> event) {
    events.add(event);
    written.run();
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    throw new StorageException(
        ErrorCode.UNSUPPORTED, kind.plural() + ": the simulated store is watched by nodes only");
  }

  /** Returns the position in the log at which a watch from a version starts. */
  int position(String resourceVersion) throws StorageException {
    Integer position = positions.get(resourceVersion);
    if (position == null) {
      throw new StorageException(
          ErrorCode.EXPIRED, "resourceVersion " + resourceVersion + " is no longer kept");
    }
    return position;
  }

  /** Returns the first event of a kind at or after a position, with the position after it. */
  <R extends Resource<R>> Optional<Found<R>> next(ResourceKind<R> kind, int position) {
    for (int i = position; i < events.size(); i++) {
      WatchEvent<?> event = events.get(i);
      if (event.resource().resourceKind().kind().equals(kind.kind())) {
        R resource = kind.type().cast(event.resource());
        return Optional.of(new Found<>(new WatchEvent<>(event.type(), resource), i + 1));
      }
    }
    return Optional.empty();
  }

  /** An event and the position after it. */
  record Found<R extends Resource<R>>(WatchEvent<R> event, int next) {}
}
