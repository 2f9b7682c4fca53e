package dev.holdfast.resource;

import java.util.List;
import java.util.Objects;

/**
 * A kind: its names in the API, its Java type and its columns.
 *
 * @param <R> the resource's type
 * @param kind as in {@code kind:}, for example {@code Volume}
 * @param plural as in URLs, for example {@code volumes}
 * @param shortNames for {@code kubectl get}, for example {@code hfv}
 * @param type the record of the resource
 * @param description one sentence for {@code kubectl explain}
 * @param columns printed by {@code kubectl get}, between name and age
 */
public record ResourceKind<R extends Resource<R>>(
    String kind,
    String plural,
    List<String> shortNames,
    Class<R> type,
    String description,
    List<Column> columns) {
  /** API group of all Holdfast kinds. */
  public static final String GROUP = "holdfast.dev";

  /** Version of the API group. */
  public static final String VERSION = "v1";

  /** {@code apiVersion} of all Holdfast resources. */
  public static final String API_VERSION = GROUP + "/" + VERSION;

  /** Copies the lists and rejects null components. */
  public ResourceKind {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(plural, "plural");
    shortNames = List.copyOf(shortNames);
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(description, "description");
    columns = List.copyOf(columns);
  }

  /** Returns the kind in lower case, as {@code kubectl get volume} accepts it. */
  public String singular() {
    return kind.toLowerCase(java.util.Locale.ROOT);
  }

  /**
   * A column of {@code kubectl get}.
   *
   * @param name the heading
   * @param type the OpenAPI type: string, integer, boolean or date
   * @param jsonPath path of the value, for example {@code .status.state}
   * @param wide whether it is only shown with {@code -o wide}
   * @param description one sentence
   */
  public record Column(
      String name, String type, String jsonPath, boolean wide, String description) {
    /** Returns a column that is always shown. */
    public static Column of(String name, String type, String jsonPath, String description) {
      return new Column(name, type, jsonPath, false, description);
    }

    /** Returns a column that is only shown with {@code -o wide}. */
    public static Column wide(String name, String type, String jsonPath, String description) {
      return new Column(name, type, jsonPath, true, description);
    }
  }
}
