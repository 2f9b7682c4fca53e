package dev.holdfast.store.memory;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.runtime.Change;
import dev.holdfast.store.runtime.Versions;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The resources of one kind and their latest changes; guarded by the store's lock. */
final class KindTable<R extends Resource<R>> {
  private final ResourceKind<R> kind;
  private final int keptChanges;
  private final TreeMap<String, R> resources = new TreeMap<>();
  private final TreeMap<Long, Change<R>> changes = new TreeMap<>();
  private long dropped;

  KindTable(ResourceKind<R> kind, int keptChanges) {
    this.kind = kind;
    this.keptChanges = keptChanges;
  }

  Optional<R> get(String name) {
    return Optional.ofNullable(resources.get(name));
  }

  List<R> select(LabelSelector selector) {
    return resources.values().stream().filter(r -> selector.matches(r.metadata())).toList();
  }

  void apply(WatchEvent<R> event, long version) {
    String name = event.resource().name();
    switch (event.type()) {
      case ADDED, MODIFIED -> resources.put(name, event.resource());
      case DELETED -> resources.remove(name);
    }
    changes.put(version, new Change<>(version, event));
    while (changes.size() > keptChanges) {
      dropped = changes.pollFirstEntry().getKey();
    }
  }

  List<Change<R>> changesAfter(long version, int limit, long latest) throws StorageException {
    Versions.requireKept(kind, version, dropped, latest);
    return changes.tailMap(version, false).values().stream().limit(limit).toList();
  }
}
