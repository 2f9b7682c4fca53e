package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.WatchEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The resources that a watching client has seen. A resource that starts to match is reported as
 * added, and one that ceases to match as deleted. If it is unknown whether the client has a
 * resource, the resource is reported as deleted. Such a report may be superfluous, but it ensures
 * that the client does not keep a deleted resource. For one thread at a time.
 */
final class SeenResources<R extends Resource<R>> {
  private final Selection<R> selection;
  private final Map<String, Boolean> selectedByName = new HashMap<>();
  private boolean allKnown;

  SeenResources(Selection<R> selection) {
    this.selection = selection;
  }

  /** Records that the client has exactly the present resources, or does not need them. */
  void learnAll(ResourceList<R> present) {
    allKnown = true;
    present.items().forEach(this::remember);
  }

  /**
   * Records that the client has the resources that did not change since the start version of its
   * watch.
   */
  void learn(ResourceList<R> present, String since) {
    OptionalLong from = number(since);
    for (R resource : present.items()) {
      OptionalLong version = number(resource.metadata().resourceVersion());
      if (from.isPresent() && version.isPresent() && version.getAsLong() <= from.getAsLong()) {
        remember(resource);
      }
    }
  }

  private void remember(R resource) {
    if (!selection.isAll()) {
      selectedByName.put(resource.name(), selection.matches(resource));
    }
  }

  /**
   * Returns the version as a number. Kubernetes permits comparing numeric versions; other versions
   * are not compared.
   */
  private static OptionalLong number(String version) {
    return version.matches("\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(version))
        : OptionalLong.empty();
  }

  /** Returns the type of an event for the client; empty if the client must not see it. */
  Optional<WatchEvent.Type> typeOf(WatchEvent<R> event) {
    if (selection.isAll()) {
      return Optional.of(event.type());
    }
    String name = event.resource().name();
    boolean matches = selection.matches(event.resource());
    Boolean before =
        event.type() == WatchEvent.Type.DELETED
            ? selectedByName.remove(name)
            : selectedByName.put(name, matches);
    return switch (event.type()) {
      case ADDED -> matches ? Optional.of(WatchEvent.Type.ADDED) : Optional.empty();
      case MODIFIED -> modified(event.resource(), matches, before);
      case DELETED ->
          matches || Boolean.TRUE.equals(before)
              ? Optional.of(WatchEvent.Type.DELETED)
              : Optional.empty();
    };
  }

  private Optional<WatchEvent.Type> modified(R resource, boolean matches, Boolean before) {
    boolean had = before == null ? !allKnown && selection.couldMatch(resource) : before;
    if (matches) {
      return Optional.of(had ? WatchEvent.Type.MODIFIED : WatchEvent.Type.ADDED);
    }
    return had ? Optional.of(WatchEvent.Type.DELETED) : Optional.empty();
  }
}
