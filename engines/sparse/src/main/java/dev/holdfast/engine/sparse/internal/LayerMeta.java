package dev.holdfast.engine.sparse.internal;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/** Longhorn's {@code <layer>.img.meta}; {@code labels} may be null there. */
@JsonIgnoreProperties(ignoreUnknown = true)
record LayerMeta(
    @JsonProperty("Name") String name,
    @JsonProperty("Parent") String parent,
    @JsonProperty("Removed") boolean removed,
    @JsonProperty("UserCreated") boolean userCreated,
    @JsonProperty("Created") String created,
    @JsonProperty("Labels") Map<String, String> labels) {}
