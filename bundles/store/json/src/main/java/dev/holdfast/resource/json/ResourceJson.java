package dev.holdfast.resource.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads and writes resources as JSON in Kubernetes' shape. Quantities and enums are strings, times
 * are RFC 3339 (to the second, in leases to the microsecond). Metadata are written without their
 * empty fields, spec and status with all of them, so that readers see each default.
 *
 * <p>Values are truncated to the precision of their written form when they are read, so that
 * decoding and encoding again changes nothing. Immutable; thread-safe.
 */
public final class ResourceJson {
  /** Treatment of a field that this version does not know. */
  public enum Mode {
    /** An error: for input from users. */
    STRICT,
    /** Ignored: for resources that a newer version may have stored. */
    LENIENT
  }

  private static final Set<String> TOP_LEVEL =
      Set.of("apiVersion", "kind", "metadata", "spec", "status");

  private final JsonMapper mapper =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
  private final RecordShapes shapes = new RecordShapes();
  private final RecordEncoder encoder = new RecordEncoder(shapes);

  /** Returns a resource as JSON text on one line. */
  public String encode(Resource<?> resource) {
    return write(tree(resource));
  }

  /** Returns a resource as a new tree, which the caller may change. */
  public ObjectNode tree(Resource<?> resource) {
    ObjectNode node = mapper.createObjectNode();
    node.put("apiVersion", ResourceKind.API_VERSION);
    node.put("kind", resource.resourceKind().kind());
    node.set("metadata", encoder.withoutEmpty(resource.metadata()));
    node.set("spec", encoder.withDefaults((Record) resource.spec()));
    node.set("status", encoder.withDefaults((Record) resource.status()));
    return node;
  }

  /** Returns the metadata in the form of {@link #tree}. */
  public ObjectNode metadataTree(ObjectMeta metadata) {
    return encoder.withoutEmpty(metadata);
  }

  /**
   * Returns a list of resources, for example a {@code VolumeList}.
   *
   * @param kind kind of the items
   * @param items items in the order in which they are written
   * @param resourceVersion version of the list
   */
  public <R extends Resource<R>> ObjectNode listTree(
      ResourceKind<R> kind, List<R> items, String resourceVersion) {
    ObjectNode node = mapper.createObjectNode();
    node.put("apiVersion", ResourceKind.API_VERSION);
    node.put("kind", kind.kind() + "List");
    node.putObject("metadata").put("resourceVersion", resourceVersion);
    ArrayNode array = node.putArray("items");
    items.forEach(item -> array.add(tree(item)));
    return node;
  }

  /**
   * Reads a resource.
   *
   * @throws InvalidResourceException naming every unreadable field
   * @throws StorageException INVALID when the text is not JSON
   */
  public <R extends Resource<R>> R decode(ResourceKind<R> kind, String json, Mode mode)
      throws StorageException {
    return decode(kind, parse(json), mode);
  }

  /**
   * Reads a resource.
   *
   * @throws InvalidResourceException naming every unreadable field
   */
  public <R extends Resource<R>> R decode(ResourceKind<R> kind, JsonNode tree, Mode mode)
      throws InvalidResourceException {
    RecordDecoder decoder = new RecordDecoder(shapes, mode == Mode.STRICT);
    if (!tree.isObject()) {
      decoder.error(FieldError.invalid("", tree.getNodeType(), "must be an object"));
      throw new InvalidResourceException(kind, "", decoder.errors());
    }
    if (mode == Mode.STRICT) {
      requireText(decoder, tree, "apiVersion", ResourceKind.API_VERSION);
      requireText(decoder, tree, "kind", kind.kind());
    }
    decoder.reportUnknown(tree, TOP_LEVEL, Set.of(), "");
    List<Object> parts = new ArrayList<>();
    for (RecordShapes.Field field : shapes.of(kind.type()).fields().values()) {
      parts.add(decoder.record(tree.get(field.name()), field.type(), field.name()));
    }
    if (!decoder.errors().isEmpty()) {
      String name = tree.path("metadata").path("name").asText("");
      throw new InvalidResourceException(kind, name, decoder.errors());
    }
    return kind.type().cast(shapes.of(kind.type()).create(parts));
  }

  /**
   * Reads the items of a list.
   *
   * @throws StorageException INVALID when the tree is not a list, or an item is unreadable
   */
  public <R extends Resource<R>> List<R> decodeItems(ResourceKind<R> kind, JsonNode list, Mode mode)
      throws StorageException {
    JsonNode items = list.path("items");
    if (!items.isArray()) {
      throw new StorageException(
          ErrorCode.INVALID, "a " + kind.kind() + "List must have a list of items");
    }
    List<R> result = new ArrayList<>();
    for (JsonNode item : items) {
      result.add(decode(kind, item, mode));
    }
    return List.copyOf(result);
  }

  /**
   * Returns a resource in the form that it has after being stored and read: truncated to the
   * precision of JSON.
   */
  public <R extends Resource<R>> R canonical(R resource) throws InvalidResourceException {
    return decode(resource.resourceKind(), tree(resource), Mode.LENIENT);
  }

  /**
   * Reads JSON.
   *
   * @throws StorageException INVALID when the text is not JSON
   */
  public JsonNode parse(String json) throws StorageException {
    try {
      JsonNode tree = mapper.readTree(json);
      if (tree.isMissingNode()) {
        throw new StorageException(ErrorCode.INVALID, "the JSON document is empty");
      }
      return tree;
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.INVALID, "this is not valid JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** Writes JSON on one line. */
  public String write(JsonNode tree) {
    return tree.toString();
  }

  /** Returns the mapper that reads and writes trees; callers must not configure it. */
  public JsonMapper mapper() {
    return mapper;
  }

  private static void requireText(
      RecordDecoder decoder, JsonNode tree, String field, String expected) {
    JsonNode node = tree.path(field);
    if (RecordDecoder.absent(node)) {
      decoder.error(FieldError.required(field, "must be \"" + expected + "\""));
    } else if (!node.isTextual() || !node.textValue().equals(expected)) {
      decoder.error(FieldError.invalid(field, node.asText(), "must be \"" + expected + "\""));
    }
  }
}
