package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * An administrator's statement that the content of these replicas is the content of the volume.
 * Writes that exist only on other replicas are lost.
 *
 * @param id an id that was not used before; empty for no request
 * @param replicas names of the replicas whose content is valid
 */
@RecordBuilder
public record SalvageRequest(String id, List<String> replicas)
    implements SalvageRequestBuilder.With {
  /** The absence of a request. */
  public static final SalvageRequest NONE = new SalvageRequest(null, null);

  /** Replaces null components by their defaults and copies the collections. */
  public SalvageRequest {
    id = Defaults.text(id);
    replicas = Defaults.list(replicas);
  }

  /** Returns whether the record contains no request. */
  public boolean isEmpty() {
    return id.isEmpty();
  }

  Checks checked(Checks checks, String field) {
    replicas.forEach(replica -> checks.name(replica, field + ".replicas"));
    return checks.that(
        id.isEmpty() == replicas.isEmpty(),
        field + ".id",
        id,
        "must be set together with " + field + ".replicas");
  }
}
