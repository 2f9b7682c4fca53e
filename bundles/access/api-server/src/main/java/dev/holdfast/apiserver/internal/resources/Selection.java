package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Selection of resources of a kind by labels and fields.
 *
 * @param kind kind of the resources, with its selectable fields
 * @param labels a label selector
 * @param fields requirements for fields, all of which must hold
 */
record Selection<R extends Resource<R>>(
    ServedKind<R> kind, LabelSelector labels, List<FieldIs> fields) {
  private static final Set<String> METADATA = Set.of("name", "namespace", "uid");

  /**
   * One requirement.
   *
   * @param path dotted path of the field
   * @param value to compare with
   * @param equal whether the field must equal the value or differ from it
   */
  record FieldIs(List<String> path, String value, boolean equal) {
    boolean matches(JsonNode tree) {
      JsonNode node = tree;
      for (String step : path) {
        node = node.path(step);
      }
      return node.asText("").equals(value) == equal;
    }
  }

  static <R extends Resource<R>> Selection<R> of(ApiRequest request, ServedKind<R> kind)
      throws ApiException {
    LabelSelector labels;
    try {
      labels = LabelSelector.parse(request.parameter("labelSelector").orElse(""));
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("labelSelector: " + e.getMessage());
    }
    List<FieldIs> fields = new ArrayList<>();
    for (String part : request.parameter("fieldSelector").orElse("").split(",", -1)) {
      if (!part.isBlank()) {
        fields.add(field(part.strip(), kind));
      }
    }
    return new Selection<>(kind, labels, List.copyOf(fields));
  }

  private static FieldIs field(String text, ServedKind<?> kind) throws ApiException {
    int at = text.indexOf('=');
    if (at <= 0) {
      throw ApiException.badRequest(
          "fieldSelector: \""
              + text
              + "\" is not a selector: expected for example "
              + "metadata.name=x");
    }
    boolean equal = text.charAt(at - 1) != '!';
    String path = text.substring(0, equal ? at : at - 1);
    String value = text.substring(text.startsWith("==", at) ? at + 2 : at + 1);
    List<String> steps = List.of(path.split("\\.", -1));
    JsonNode node = kind.example();
    for (String step : steps) {
      node = node.path(step);
    }
    boolean metadata =
        steps.size() == 2 && steps.get(0).equals("metadata") && METADATA.contains(steps.get(1));
    if (!metadata && !node.isValueNode()) {
      throw ApiException.badRequest(
          "fieldSelector: " + kind.kind().plural() + " have no field \"" + path + "\"");
    }
    return new FieldIs(steps, value, equal);
  }

  boolean isAll() {
    return labels.requirements().isEmpty() && fields.isEmpty();
  }

  boolean matches(R resource) {
    return labels.matches(resource.metadata()) && fieldsMatch(resource);
  }

  /** Returns whether the resource may have matched at another time. Immutable fields must match. */
  boolean couldMatch(R resource) {
    JsonNode tree = kind.tree().apply(resource);
    return fields.stream()
        .filter(field -> field.path().get(0).equals("metadata"))
        .allMatch(field -> field.matches(tree));
  }

  boolean fieldsMatch(R resource) {
    if (fields.isEmpty()) {
      return true;
    }
    JsonNode tree = kind.tree().apply(resource);
    return fields.stream().allMatch(field -> field.matches(tree));
  }
}
