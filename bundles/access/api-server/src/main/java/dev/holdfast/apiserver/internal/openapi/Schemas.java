package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.Descriptions;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** OpenAPI schemas of the served kinds, generated from the records and their descriptions. */
final class Schemas {
  static final String GVK = "x-kubernetes-group-version-kind";

  private static final String LIST_KEYS = "x-kubernetes-list-map-keys";
  private static final String OURS = "dev.holdfast.v1.";
  private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  private static final String LIST_META = META + "ListMeta";

  private final List<ResourceKind<?>> kinds;
  private final Descriptions descriptions;
  private final String refPrefix;
  private final boolean refsStandAlone;
  private final Map<String, ObjectNode> schemas = new TreeMap<>();

  /**
   * Prepares the schemas.
   *
   * @param kinds that are served
   * @param descriptions of types and fields
   * @param refPrefix prefix of a schema's name in a reference
   * @param refsStandAlone whether a reference must have no sibling keys, as in OpenAPI 3
   */
  Schemas(
      List<ResourceKind<?>> kinds,
      Descriptions descriptions,
      String refPrefix,
      boolean refsStandAlone) {
    this.kinds = kinds;
    this.descriptions = descriptions;
    this.refPrefix = refPrefix;
    this.refsStandAlone = refsStandAlone;
  }

  /** Returns all schemas by name. */
  ObjectNode all() {
    for (ResourceKind<?> kind : kinds) {
      addKind(kind);
      addList(kind);
    }
    addListMeta();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    schemas.forEach(node::set);
    return node;
  }

  static String nameOf(ResourceKind<?> kind) {
    return OURS + kind.kind();
  }

  ObjectNode reference(String name) {
    return JsonNodeFactory.instance.objectNode().put("$ref", refPrefix + name);
  }

  private void addKind(ResourceKind<?> kind) {
    ObjectNode schema = object(kind.description());
    ObjectNode properties = schema.putObject("properties");
    addTypeMeta(properties);
    for (RecordComponent part : kind.type().getRecordComponents()) {
      properties.set(
          part.getName(),
          field(part.getGenericType(), descriptions.of(kind.type(), part.getName())));
    }
    schema.set(GVK, groupVersionKinds(kind, ""));
    schemas.put(nameOf(kind), schema);
  }

  private void addList(ResourceKind<?> kind) {
    ObjectNode schema = object(kind.kind() + "List is a list of " + kind.plural() + ".");
    ObjectNode properties = schema.putObject("properties");
    addTypeMeta(properties);
    properties.set("metadata", referring(LIST_META, "Version and continuation of the list."));
    ObjectNode items = properties.putObject("items");
    items.put("type", "array");
    items.put("description", "The resources.");
    items.set("items", reference(nameOf(kind)));
    schema.putArray("required").add("items");
    schema.set(GVK, groupVersionKinds(kind, "List"));
    schemas.put(nameOf(kind) + "List", schema);
  }

  private static void addTypeMeta(ObjectNode properties) {
    properties.set("apiVersion", text("Version of the schema: " + ResourceKind.API_VERSION + "."));
    properties.set("kind", text("Kind of the object, in CamelCase."));
  }

  private void addListMeta() {
    ObjectNode schema = object("Metadata of a list.");
    ObjectNode properties = schema.putObject("properties");
    properties.set("resourceVersion", text("Version of the list, to watch from."));
    properties.set(
        "continue", text("Token that returns the next page when the next request contains it."));
    ObjectNode remaining = text("Number of resources on later pages.");
    remaining.put("type", "integer");
    remaining.put("format", "int64");
    properties.set("remainingItemCount", remaining);
    properties.set("selfLink", text("Not used."));
    schemas.put(LIST_META, schema);
  }

  static ArrayNode groupVersionKinds(ResourceKind<?> kind, String suffix) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    list.add(groupVersionKind(kind, suffix));
    return list;
  }

  static ObjectNode groupVersionKind(ResourceKind<?> kind, String suffix) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("group", ResourceKind.GROUP)
        .put("kind", kind.kind() + suffix)
        .put("version", ResourceKind.VERSION);
  }

  private static ObjectNode object(String description) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("description", description)
        .put("type", "object");
  }

  private static ObjectNode text(String description) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("description", description)
        .put("type", "string");
  }

  private ObjectNode field(Type type, String description) {
    if (type instanceof ParameterizedType parameterized) {
      return container(parameterized, description);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isRecord() && raw != Quantity.class && raw != FieldsV1.class) {
      return referring(addRecord(raw), description);
    }
    ObjectNode schema = scalar(raw);
    String full = raw.isEnum() ? withChoices(raw, description) : description;
    if (!full.isEmpty()) {
      schema.put("description", full);
    }
    return schema;
  }

  private static ObjectNode scalar(Class<?> type) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    if (type == FieldsV1.class) {
      return schema.put("type", "object");
    } else if (type == boolean.class || type == Boolean.class) {
      return schema.put("type", "boolean");
    } else if (type == int.class || type == Integer.class) {
      return schema.put("type", "integer").put("format", "int32");
    } else if (type == long.class || type == Long.class) {
      return schema.put("type", "integer").put("format", "int64");
    }
    schema.put("type", "string");
    if (type == Instant.class) {
      schema.put("format", "date-time");
    } else if (type.isEnum()) {
      ArrayNode choices = schema.putArray("enum");
      Arrays.stream(type.getEnumConstants()).forEach(c -> choices.add(c.toString()));
    } else if (type != String.class && type != Quantity.class) {
      throw new IllegalArgumentException(type.getName() + " has no schema");
    }
    return schema;
  }

  private String withChoices(Class<?> type, String description) {
    String choices =
        Arrays.stream(type.getEnumConstants())
            .map(c -> " - `" + c + "` " + descriptions.of(type, ((Enum<?>) c).name()))
            .collect(Collectors.joining("\n"));
    return description + "\n\nPossible values:\n" + choices;
  }

  private ObjectNode container(ParameterizedType type, String description) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Optional.class) {
      return field(arguments[0], description);
    }
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.put("description", description);
    if (raw == List.class) {
      schema.put("type", "array");
      schema.set("items", field(arguments[0], ""));
    } else if (raw == Map.class) {
      schema.put("type", "object");
      schema.set("additionalProperties", field(arguments[1], ""));
    } else {
      throw new IllegalArgumentException(type + " has no schema");
    }
    return schema;
  }

  private String addRecord(Class<?> type) {
    boolean meta =
        type == ObjectMeta.class || type == OwnerReference.class || type == ManagedFields.class;
    String name = (meta ? META : OURS) + type.getSimpleName();
    if (!schemas.containsKey(name)) {
      ObjectNode schema = object(descriptions.of(type));
      schemas.put(name, schema);
      ObjectNode properties = schema.putObject("properties");
      for (RecordComponent part : type.getRecordComponents()) {
        properties.set(
            part.getName(), field(part.getGenericType(), descriptions.of(type, part.getName())));
      }
      addForeign(type, properties);
    }
    return name;
  }

  /**
   * Adds fields that clients of Kubernetes send and that have no effect here: accepted and ignored.
   */
  private static void addForeign(Class<?> type, ObjectNode properties) {
    if (type == ObjectMeta.class) {
      properties.set("generateName", text("Prefix of a name that the server makes unique."));
      properties.set("namespace", text("Not used: all kinds are cluster-scoped."));
      properties.set("selfLink", text("Not used."));
      listType(properties, "finalizers", "set");
      listType(properties, "ownerReferences", "map").putArray(LIST_KEYS).add("uid");
    } else if (type == OwnerReference.class) {
      properties.set(
          "blockOwnerDeletion",
          JsonNodeFactory.instance
              .objectNode()
              .put("description", "Not used.")
              .put("type", "boolean"));
    }
  }

  /**
   * Declares how server-side apply merges a list. Lists without this declaration are replaced
   * completely.
   */
  private static ObjectNode listType(ObjectNode properties, String field, String type) {
    return ((ObjectNode) properties.get(field)).put("x-kubernetes-list-type", type);
  }

  private ObjectNode referring(String name, String description) {
    ObjectNode reference = reference(name);
    if (description.isEmpty()) {
      return reference;
    } else if (!refsStandAlone) {
      return reference.put("description", description);
    }
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("description", description);
    schema.putArray("allOf").add(reference);
    return schema;
  }
}
