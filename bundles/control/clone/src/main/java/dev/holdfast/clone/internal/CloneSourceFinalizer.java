package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the sources of copies while the copies need them, by a finalizer and an annotation that
 * lists the copies by name, uid and attempt. Both change in one write. Therefore no copy needed a
 * resource when it got a deletion timestamp without them.
 */
final class CloneSourceFinalizer {
  static final String ANNOTATION = CloneSource.COPIES_ANNOTATION;
  private static final String SEPARATOR = ",";
  private static final String BEFORE_UID = "/";

  private final ReconcileContext context;

  CloneSourceFinalizer(ReconcileContext context) {
    this.context = context;
  }

  /** Returns the names of the copies that need a resource. */
  static List<String> names(Resource<?> resource) {
    return entries(resource).stream()
        .map(entry -> entry.substring(0, Math.max(0, entry.indexOf(BEFORE_UID))))
        .toList();
  }

  private static List<String> entries(Resource<?> resource) {
    String all = resource.metadata().annotations().getOrDefault(ANNOTATION, "");
    return Arrays.stream(all.split(SEPARATOR, -1)).filter(entry -> !entry.isEmpty()).toList();
  }

  private static String entry(Volume copy) {
    return String.join(
        BEFORE_UID,
        copy.name(),
        copy.metadata().uid(),
        String.valueOf(copy.status().cloneStatus().attempts()));
  }

  /**
   * Keeps a resource, in the version read from the store, for this attempt of a copy.
   *
   * @throws StorageException NOT_FOUND if it is being deleted; CONFLICT if it changed since
   */
  <R extends Resource<R>> void keep(R resource, Volume copy) throws StorageException {
    List<String> entries = new ArrayList<>(entries(resource));
    if (entries.contains(entry(copy))) {
      return;
    }
    if (resource.metadata().deletionTimestamp().isPresent()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          resource.resourceKind().kind() + " " + resource.name() + " is being deleted");
    }
    entries.add(entry(copy));
    write(resource, entries);
  }

  /** Releases sources that copies of a name no longer need. */
  void release(String copy) throws StorageException {
    release(Snapshot.KIND, copy);
    release(Volume.KIND, copy);
  }

  /**
   * Releases the sources of one kind. Reads the resource before the copy, because an attempt that
   * has ended by then never starts again, and the next attempt changes the resource when it adds
   * its finalizer.
   */
  private <R extends Resource<R>> void release(ResourceKind<R> kind, String copy)
      throws StorageException {
    for (R cached : context.list(kind, LabelSelector.ALL)) {
      Optional<R> stored =
          names(cached).contains(copy)
              ? context.store().get(kind, cached.name())
              : Optional.empty();
      if (stored.isPresent()) {
        Optional<String> needing =
            context
                .store()
                .get(Volume.KIND, copy)
                .filter(CloneSourceFinalizer::needs)
                .map(v -> entry(v));
        List<String> all = entries(stored.get());
        List<String> left =
            all.stream()
                .filter(e -> !e.startsWith(copy + BEFORE_UID) || e.equals(needing.orElse("")))
                .toList();
        if (!left.equals(all)) {
          write(stored.get(), left);
        }
      }
    }
  }

  private static boolean needs(Volume copy) {
    return copy.awaitsContent() && copy.status().cloneStatus().state() == CloneState.INITIATED;
  }

  private <R extends Resource<R>> void write(R resource, List<String> entries)
      throws StorageException {
    Map<String, String> annotations = new HashMap<>(resource.metadata().annotations());
    ObjectMeta kept;
    if (entries.isEmpty()) {
      annotations.remove(ANNOTATION);
      kept = resource.metadata().minusFinalizer(CloneSource.NEEDED_FINALIZER);
    } else {
      annotations.put(ANNOTATION, String.join(SEPARATOR, entries));
      kept = resource.metadata().plusFinalizer(CloneSource.NEEDED_FINALIZER);
    }
    context.store().update(resource.withMetadata(kept.withAnnotations(annotations)));
  }
}
