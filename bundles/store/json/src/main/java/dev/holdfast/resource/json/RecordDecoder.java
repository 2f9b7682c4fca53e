package dev.holdfast.resource.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.Quantity;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decodes JSON trees to records and collects all errors. An unreadable value becomes null, which
 * the records treat as absent; the caller checks the errors first.
 */
final class RecordDecoder {
  private final RecordShapes shapes;
  private final boolean unknownFieldsAreErrors;
  private final List<FieldError> errors = new ArrayList<>();

  RecordDecoder(RecordShapes shapes, boolean unknownFieldsAreErrors) {
    this.shapes = shapes;
    this.unknownFieldsAreErrors = unknownFieldsAreErrors;
  }

  List<FieldError> errors() {
    return errors;
  }

  void error(FieldError error) {
    errors.add(error);
  }

  /** Decodes a record; returns null when it is absent or unreadable. */
  Object record(JsonNode node, Class<?> type, String path) {
    if (absent(node)) {
      return null;
    }
    if (!node.isObject()) {
      return wrong(path, node, "must be an object");
    }
    RecordShapes.Shape shape = shapes.of(type);
    reportUnknown(node, shape.fields().keySet(), KnownFields.ignoredIn(type), path);
    Timestamps timestamps = Timestamps.of(type);
    List<Object> values = new ArrayList<>();
    for (RecordShapes.Field field : shape.fields().values()) {
      Object value =
          value(node.get(field.name()), field.genericType(), child(path, field.name()), timestamps);
      values.add(value == null ? absentValue(field.type()) : value);
    }
    try {
      return shape.create(values);
    } catch (IllegalArgumentException e) {
      return wrong(path, node, e.getMessage());
    }
  }

  void reportUnknown(JsonNode node, Set<String> known, Set<String> ignored, String path) {
    if (unknownFieldsAreErrors) {
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        if (!known.contains(field.getKey()) && !ignored.contains(field.getKey())) {
          String at = child(path, field.getKey());
          error(new FieldError(at, FieldError.Reason.INVALID, "unknown field"));
        }
      }
    }
  }

  static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  static boolean absent(JsonNode node) {
    return node == null || node.isNull() || node.isMissingNode();
  }

  private Object value(JsonNode node, Type type, String path, Timestamps timestamps) {
    if (absent(node)) {
      return null;
    }
    if (type instanceof ParameterizedType parameterized) {
      return container(node, parameterized, path, timestamps);
    }
    Class<?> target = (Class<?>) type;
    if (target == String.class) {
      return node.isTextual() ? node.textValue() : wrong(path, node, "must be a string");
    } else if (target == boolean.class || target == Boolean.class) {
      return node.isBoolean() ? node.booleanValue() : wrong(path, node, "must be true or false");
    } else if (target == int.class || target == Integer.class) {
      return node.isIntegralNumber() && node.canConvertToInt()
          ? node.intValue()
          : wrong(path, node, "must be an integer of 32 bits");
    } else if (target == long.class || target == Long.class) {
      return node.isIntegralNumber() && node.canConvertToLong()
          ? node.longValue()
          : wrong(path, node, "must be an integer of 64 bits");
    } else if (target == Quantity.class) {
      return quantity(node, path);
    } else if (target == FieldsV1.class) {
      return node.isObject()
          ? ManagedFieldsJson.write(node)
          : wrong(path, node, "must be an object");
    } else if (target == Instant.class) {
      return instant(node, path, timestamps);
    } else if (target.isEnum()) {
      return constant(node, target, path);
    }
    return record(node, target, path);
  }

  private Object container(
      JsonNode node, ParameterizedType type, String path, Timestamps timestamps) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Optional.class) {
      return Optional.ofNullable(value(node, arguments[0], path, timestamps));
    } else if (raw == List.class) {
      return list(node, arguments[0], path, timestamps);
    } else if (raw == Map.class) {
      return map(node, arguments[1], path, timestamps);
    }
    throw new IllegalArgumentException(type + " has no form in JSON");
  }

  private Object list(JsonNode node, Type element, String path, Timestamps timestamps) {
    if (!node.isArray()) {
      return wrong(path, node, "must be a list");
    }
    List<Object> result = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      present(node.get(i), element, path + "[" + i + "]", timestamps).ifPresent(result::add);
    }
    return result;
  }

  private Object map(JsonNode node, Type element, String path, Timestamps timestamps) {
    if (!node.isObject()) {
      return wrong(path, node, "must be an object");
    }
    Map<String, Object> result = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String at = path + "[" + entry.getKey() + "]";
      present(entry.getValue(), element, at, timestamps)
          .ifPresent(value -> result.put(entry.getKey(), value));
    }
    return result;
  }

  private Optional<Object> present(
      JsonNode node, Type element, String path, Timestamps timestamps) {
    if (absent(node)) {
      wrong(path, node, "must not be null");
      return Optional.empty();
    }
    return Optional.ofNullable(value(node, element, path, timestamps));
  }

  private Object quantity(JsonNode node, String path) {
    if (!node.isTextual() && !node.isNumber()) {
      return wrong(path, node, "must be a quantity such as 1Gi, or a number of bytes");
    }
    try {
      return Quantity.parse(
          node.isTextual() ? node.textValue() : node.decimalValue().toPlainString());
    } catch (IllegalArgumentException e) {
      return wrong(path, node, e.getMessage());
    }
  }

  private Object instant(JsonNode node, String path, Timestamps timestamps) {
    try {
      return timestamps.read(node.asText());
    } catch (DateTimeException e) {
      return wrong(path, node, "must be a time as in RFC 3339, for example 2026-11-21T08:00:00Z");
    }
  }

  private Object constant(JsonNode node, Class<?> type, String path) {
    Object[] constants = type.getEnumConstants();
    for (Object constant : constants) {
      if (node.isTextual() && constant.toString().equals(node.textValue())) {
        return constant;
      }
    }
    String supported =
        Arrays.stream(constants).map(c -> "\"" + c + "\"").collect(Collectors.joining(", "));
    error(
        new FieldError(
            path,
            FieldError.Reason.NOT_SUPPORTED,
            "Unsupported value: " + shown(node) + ": supported values: " + supported));
    return null;
  }

  private Object wrong(String path, JsonNode node, String expected) {
    error(
        new FieldError(
            path, FieldError.Reason.INVALID, "Invalid value: " + shown(node) + ": " + expected));
    return null;
  }

  private static String shown(JsonNode node) {
    String text = String.valueOf(node);
    return text.length() <= 80 ? text : text.substring(0, 80) + "…";
  }

  private static Object absentValue(Class<?> type) {
    if (type == boolean.class) {
      return false;
    } else if (type == int.class) {
      return 0;
    } else if (type == long.class) {
      return 0L;
    }
    return type == Optional.class ? Optional.empty() : null;
  }
}
