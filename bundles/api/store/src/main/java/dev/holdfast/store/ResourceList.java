package dev.holdfast.store;

import dev.holdfast.resource.Resource;
import java.util.List;

/**
 * A consistent list of resources.
 *
 * @param items by ascending name
 * @param resourceVersion of that moment, to watch from
 */
public record ResourceList<R extends Resource<R>>(List<R> items, String resourceVersion) {
  /** Copies the list. */
  public ResourceList {
    items = List.copyOf(items);
  }
}
