package dev.holdfast.store;

import dev.holdfast.resource.Resource;
import java.util.List;

/**
 * A consistent list of resources.
 *
 * @param items by ascending name
 * @param resourceVersion version of the list, from which a watch can start
 */
public record ResourceList<R extends Resource<R>>(List<R> items, String resourceVersion) {
  /** Copies the list. */
  public ResourceList {
    items = List.copyOf(items);
  }
}
