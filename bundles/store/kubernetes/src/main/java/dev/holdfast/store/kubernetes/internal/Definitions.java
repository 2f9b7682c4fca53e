package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.json.Descriptions;
import dev.holdfast.resource.json.ResourceJson;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The custom resource definitions of all kinds, generated from the records. Leases have none,
 * because Kubernetes' own are used.
 */
final class Definitions {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final SchemaOfRecords schemas = new SchemaOfRecords(new Descriptions());
  private final ResourceJson json = new ResourceJson();

  /** The kinds of a catalogue that have a definition. */
  static Stream<ResourceKind<?>> kinds(KindCatalogue catalogue) {
    return catalogue.kinds().stream().filter(kind -> kind.type() != Lease.class);
  }

  /** Returns the definition of a kind. */
  ObjectNode of(ResourceKind<?> kind) {
    ObjectNode definition = NODES.objectNode();
    definition.put("apiVersion", "apiextensions.k8s.io/v1");
    definition.put("kind", "CustomResourceDefinition");
    definition.putObject("metadata").put("name", nameOf(kind));
    ObjectNode spec = definition.putObject("spec");
    spec.put("group", ResourceKind.GROUP).put("scope", "Cluster");
    ObjectNode names = spec.putObject("names");
    names.put("kind", kind.kind()).put("listKind", kind.kind() + "List");
    names.put("plural", kind.plural()).put("singular", kind.singular());
    ArrayNode shortNames = names.putArray("shortNames");
    kind.shortNames().forEach(shortNames::add);
    names.putArray("categories").add("holdfast");
    spec.putArray("versions").add(version(kind));
    return definition;
  }

  static String nameOf(ResourceKind<?> kind) {
    return kind.plural() + "." + ResourceKind.GROUP;
  }

  private ObjectNode version(ResourceKind<?> kind) {
    ObjectNode version = NODES.objectNode();
    version.put("name", ResourceKind.VERSION).put("served", true).put("storage", true);
    version.putObject("subresources").putObject("status");
    ArrayNode columns = version.putArray("additionalPrinterColumns");
    for (ResourceKind.Column column : kind.columns()) {
      ObjectNode node = columns.addObject();
      node.put("name", column.name()).put("type", column.type());
      node.put("jsonPath", column.jsonPath()).put("description", column.description());
      if (column.wide()) {
        node.put("priority", 1);
      }
    }
    columns
        .addObject()
        .put("name", "Age")
        .put("type", "date")
        .put("jsonPath", ".metadata.creationTimestamp");
    version.putObject("schema").set("openAPIV3Schema", schema(kind));
    return version;
  }

  private ObjectNode schema(ResourceKind<?> kind) {
    JsonNode empty = json.tree(emptyOf(kind));
    ObjectNode schema = NODES.objectNode();
    schema.put("description", kind.description()).put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    for (String text : List.of("apiVersion", "kind")) {
      properties.putObject(text).put("type", "string");
    }
    properties.putObject("metadata").put("type", "object");
    for (RecordComponent part : kind.type().getRecordComponents()) {
      if (part.getName().equals("spec")) {
        ObjectNode spec = schemas.of(part.getType(), empty.path("spec"), "The wanted state.");
        if (FieldRules.required(part.getType()).isEmpty()) {
          spec.set("default", empty.path("spec"));
        }
        properties.set("spec", spec);
      } else if (part.getName().equals("status")) {
        properties.set(
            "status", schemas.of(part.getType(), NODES.missingNode(), "The observed state."));
      }
    }
    schema.putArray("required").add("spec");
    SchemaOfRecords.addRules(schema, FieldRules.rules(kind), true);
    return schema;
  }

  /** Returns the resource with all defaults, which the record's constructor sets. */
  private static Resource<?> emptyOf(ResourceKind<?> kind) {
    RecordComponent[] parts = kind.type().getRecordComponents();
    Class<?>[] types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return kind.type().getDeclaredConstructor(types).newInstance(new Object[parts.length]);
    } catch (InstantiationException
        | IllegalAccessException
        | InvocationTargetException
        | NoSuchMethodException e) {
      throw new IllegalStateException(kind.type().getName() + " cannot be made of nothing", e);
    }
  }
}
