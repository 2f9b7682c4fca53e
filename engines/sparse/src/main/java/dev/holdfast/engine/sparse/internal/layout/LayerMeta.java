package dev.holdfast.engine.sparse.internal.layout;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/**
 * Longhorn's {@code <layer>.img.meta}; {@code labels} may be null there. {@code name} is the
 * layer's file name at the time of writing, so that of a snapshot is often a former head's.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record LayerMeta(
    @JsonProperty("Name") String name,
    @JsonProperty("Parent") String parent,
    @JsonProperty("Removed") boolean removed,
    @JsonProperty("UserCreated") boolean userCreated,
    @JsonProperty("Created") String created,
    @JsonProperty("Labels") Map<String, String> labels) {

  public LayerMeta withName(String value) {
    return new LayerMeta(value, parent, removed, userCreated, created, labels);
  }

  public LayerMeta withParent(String value) {
    return new LayerMeta(name, value, removed, userCreated, created, labels);
  }

  public LayerMeta withRemoved(boolean value) {
    return new LayerMeta(name, parent, value, userCreated, created, labels);
  }
}
