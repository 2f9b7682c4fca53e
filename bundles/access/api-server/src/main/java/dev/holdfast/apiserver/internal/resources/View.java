package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.Resource;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** The form of sent resources: complete, metadata only, or a table. */
interface View<R extends Resource<R>> {
  /** Converts one resource for an answer or a watch event. */
  ObjectNode one(R resource);

  /** Converts a list of resources. */
  ObjectNode list(List<R> resources, ObjectNode listMetadata);

  /** Complete resources. */
  record Whole<R extends Resource<R>>(ServedKind<R> kind) implements View<R> {
    @Override
    public ObjectNode one(R resource) {
      return kind.tree().apply(resource);
    }

    @Override
    public ObjectNode list(List<R> resources, ObjectNode listMetadata) {
      return View.items(
          kind.apiVersion(),
          kind.kind().kind() + "List",
          listMetadata,
          resources.stream().map(this::one).toList());
    }
  }

  /** Metadata only. */
  record Partial<R extends Resource<R>>(ServedKind<R> kind, String version) implements View<R> {
    @Override
    public ObjectNode one(R resource) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("kind", "PartialObjectMetadata");
      node.put("apiVersion", "meta.k8s.io/" + version);
      node.set("metadata", kind.tree().apply(resource).path("metadata"));
      return node;
    }

    @Override
    public ObjectNode list(List<R> resources, ObjectNode listMetadata) {
      return View.items(
          "meta.k8s.io/" + version,
          "PartialObjectMetadataList",
          listMetadata,
          resources.stream().map(this::one).toList());
    }
  }

  /** Object in a table's rows in addition to the cells. */
  enum RowObject {
    /** No object. */
    NONE,
    /** The metadata. */
    METADATA,
    /** The complete resource. */
    OBJECT
  }

  /** A table for users. */
  record Table<R extends Resource<R>>(
      ServedKind<R> kind, String version, RowObject rowObject, Clock clock) implements View<R> {
    @Override
    public ObjectNode one(R resource) {
      ObjectNode metadata = JsonNodeFactory.instance.objectNode();
      metadata.put("resourceVersion", resource.metadata().resourceVersion());
      return list(List.of(resource), metadata);
    }

    @Override
    public ObjectNode list(List<R> resources, ObjectNode listMetadata) {
      ObjectNode table = JsonNodeFactory.instance.objectNode();
      table.put("kind", "Table");
      table.put("apiVersion", "meta.k8s.io/" + version);
      table.set("metadata", listMetadata);
      ArrayNode definitions = table.putArray("columnDefinitions");
      kind.columns().forEach(column -> definitions.add(column.definition()));
      ArrayNode rows = table.putArray("rows");
      resources.forEach(resource -> rows.add(row(resource)));
      return table;
    }

    private ObjectNode row(R resource) {
      ObjectNode tree = kind.tree().apply(resource);
      ObjectNode row = JsonNodeFactory.instance.objectNode();
      ArrayNode cells = row.putArray("cells");
      kind.columns().forEach(column -> cells.add(column.cell(tree, clock)));
      rowObject(resource, tree).ifPresent(object -> row.set("object", object));
      return row;
    }

    private Optional<ObjectNode> rowObject(R resource, ObjectNode tree) {
      return switch (rowObject) {
        case NONE -> Optional.empty();
        case METADATA -> Optional.of(new Partial<>(kind, version).one(resource));
        case OBJECT -> Optional.of(tree);
      };
    }
  }

  private static ObjectNode items(
      String apiVersion, String kind, ObjectNode listMetadata, List<ObjectNode> items) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", kind);
    node.put("apiVersion", apiVersion);
    node.set("metadata", listMetadata);
    node.putArray("items").addAll(items);
    return node;
  }
}
