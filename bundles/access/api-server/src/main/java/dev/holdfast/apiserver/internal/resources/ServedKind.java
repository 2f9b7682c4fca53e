package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A kind in the form of the API: our kinds directly, and our events also in the form of the core
 * group, in which {@code kubectl describe} finds them.
 *
 * @param kind in the store
 * @param group of the API, empty for the core
 * @param tree converts a resource to JSON
 * @param example JSON of an empty resource, which has the selectable fields
 * @param columns of tables
 */
public record ServedKind<R extends Resource<R>>(
    ResourceKind<R> kind,
    String group,
    Function<R, ObjectNode> tree,
    ObjectNode example,
    List<TableColumn> columns) {

  /** Returns one of our kinds. */
  public static <R extends Resource<R>> ServedKind<R> of(ResourceKind<R> kind, ResourceJson json) {
    List<TableColumn> columns = new ArrayList<>();
    columns.add(TableColumn.NAME);
    kind.columns().forEach(column -> columns.add(TableColumn.of(column)));
    columns.add(TableColumn.AGE);
    return new ServedKind<>(
        kind, ResourceKind.GROUP, json::tree, json.tree(empty(kind, json)), List.copyOf(columns));
  }

  private static <R extends Resource<R>> R empty(ResourceKind<R> kind, ResourceJson json) {
    try {
      return json.decode(kind, json.mapper().createObjectNode(), ResourceJson.Mode.LENIENT);
    } catch (StorageException e) {
      throw new IllegalStateException(kind.kind() + " has no empty form", e);
    }
  }

  String apiVersion() {
    return group.isEmpty() ? "v1" : group + "/v1";
  }

  public Target target(String name) {
    return new Target(group, kind.plural(), kind.kind(), name);
  }
}
