package dev.holdfast.resource.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.resource.FieldsV1;

/** Converts sets of fields between their tree and the text of a {@link FieldsV1}. */
final class ManagedFieldsJson {
  private static final JsonMapper MAPPER = new JsonMapper();

  private ManagedFieldsJson() {}

  static FieldsV1 write(JsonNode tree) {
    return new FieldsV1(tree.toString());
  }

  static JsonNode read(FieldsV1 fields) {
    try {
      return MAPPER.readTree(fields.json());
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a set of fields is not JSON: " + fields.json(), e);
    }
  }
}
