package dev.holdfast.controller.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The informers of a runtime, one for each requested kind. Thread-safe. */
final class Informers {
  private final ResourceStore store;
  private final TaskExecutor tasks;
  private final RandomGenerator random;
  private final Map<String, Informer<?>> byKind = new HashMap<>();
  private boolean closed;

  Informers(ResourceStore store, TaskExecutor tasks, RandomGenerator random) {
    this.store = store;
    this.tasks = tasks;
    this.random = random;
  }

  /** Returns the informer of a kind. Starts it at the first call. */
  <R extends Resource<R>> Informer<R> of(ResourceKind<R> kind) {
    Informer<R> made;
    synchronized (this) {
      Optional<Informer<R>> present = find(kind);
      if (present.isPresent()) {
        return present.get();
      }
      made = new Informer<>(kind, store, tasks, random);
      byKind.put(kind.kind(), made);
      if (closed) {
        return made;
      }
    }
    made.start();
    return made;
  }

  /** Returns the informer of a kind if it exists. */
  @SuppressWarnings("unchecked")
  synchronized <R extends Resource<R>> Optional<Informer<R>> find(ResourceKind<R> kind) {
    return Optional.ofNullable((Informer<R>) byKind.get(kind.kind()));
  }

  void close() {
    List<Informer<?>> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(byKind.values());
    }
    all.forEach(Informer::close);
  }
}
