package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * An OpenAPI 2 document in the protobuf form of gnostic's {@code openapi.v2}, which kubectl
 * requests. The field numbers are those of its {@code OpenAPIv2.proto}.
 */
final class SwaggerProtobuf {
  private SwaggerProtobuf() {}

  static byte[] encode(JsonNode document) {
    ProtobufMessage message = new ProtobufMessage();
    message.text(1, document.path("swagger").asText());
    JsonNode info = document.path("info");
    message.message(
        2,
        new ProtobufMessage()
            .text(1, info.path("title").asText())
            .text(2, info.path("version").asText()));
    ProtobufMessage paths = new ProtobufMessage();
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      paths.message(2, named(path.getKey(), pathItem(path.getValue())));
    }
    message.message(8, paths);
    message.message(9, namedSchemas(document.path("definitions")));
    return message.toBytes();
  }

  private static ProtobufMessage named(String name, ProtobufMessage value) {
    return new ProtobufMessage().text(1, name).message(2, value);
  }

  private static ProtobufMessage namedSchemas(JsonNode schemas) {
    ProtobufMessage message = new ProtobufMessage();
    for (Map.Entry<String, JsonNode> schema : schemas.properties()) {
      message.message(1, named(schema.getKey(), schema(schema.getValue())));
    }
    return message;
  }

  private static ProtobufMessage schema(JsonNode schema) {
    ProtobufMessage message = new ProtobufMessage();
    message.text(1, schema.path("$ref").asText());
    message.text(2, schema.path("format").asText());
    message.text(4, schema.path("description").asText());
    schema.path("required").forEach(name -> message.text(19, name.asText()));
    schema.path("enum").forEach(choice -> message.message(20, any(choice)));
    if (schema.has("additionalProperties")) {
      message.message(
          21, new ProtobufMessage().message(1, schema(schema.get("additionalProperties"))));
    }
    if (schema.has("type")) {
      message.message(22, new ProtobufMessage().text(1, schema.get("type").asText()));
    }
    if (schema.has("items")) {
      message.message(23, new ProtobufMessage().message(1, schema(schema.get("items"))));
    }
    if (schema.has("properties")) {
      message.message(25, namedSchemas(schema.get("properties")));
    }
    addExtensions(message, 31, schema);
    return message;
  }

  /** Adds extensions, which are YAML there, so that JSON is valid. */
  private static void addExtensions(ProtobufMessage message, int field, JsonNode node) {
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (entry.getKey().startsWith("x-")) {
        message.message(field, named(entry.getKey(), any(entry.getValue())));
      }
    }
  }

  private static ProtobufMessage any(JsonNode value) {
    return new ProtobufMessage().text(2, value.toString());
  }

  private static ProtobufMessage pathItem(JsonNode item) {
    ProtobufMessage message = new ProtobufMessage();
    Map<String, Integer> methods = Map.of("get", 2, "put", 3, "post", 4, "delete", 5, "patch", 8);
    for (Map.Entry<String, JsonNode> entry : item.properties()) {
      if (methods.containsKey(entry.getKey())) {
        message.message(methods.get(entry.getKey()), operation(entry.getValue()));
      }
    }
    item.path("parameters").forEach(p -> message.message(9, parametersItem(p)));
    return message;
  }

  private static ProtobufMessage operation(JsonNode operation) {
    ProtobufMessage message = new ProtobufMessage();
    message.text(3, operation.path("description").asText());
    message.text(5, operation.path("operationId").asText());
    operation.path("parameters").forEach(p -> message.message(8, parametersItem(p)));
    ProtobufMessage responses = new ProtobufMessage();
    for (Map.Entry<String, JsonNode> entry : operation.path("responses").properties()) {
      ProtobufMessage response = new ProtobufMessage();
      response.text(1, entry.getValue().path("description").asText());
      ProtobufMessage schemaItem =
          new ProtobufMessage().message(1, schema(entry.getValue().path("schema")));
      response.message(2, schemaItem);
      responses.message(1, named(entry.getKey(), new ProtobufMessage().message(1, response)));
    }
    message.message(9, responses);
    addExtensions(message, 13, operation);
    return message;
  }

  private static ProtobufMessage parametersItem(JsonNode parameter) {
    boolean path = parameter.path("in").asText().equals("path");
    ProtobufMessage subSchema =
        new ProtobufMessage()
            .flag(1, parameter.path("required").asBoolean())
            .text(2, parameter.path("in").asText())
            .text(4, parameter.path("name").asText())
            .text(path ? 5 : 6, parameter.path("type").asText());
    ProtobufMessage nonBody = new ProtobufMessage().message(path ? 4 : 3, subSchema);
    return new ProtobufMessage().message(1, new ProtobufMessage().message(2, nonBody));
  }
}
