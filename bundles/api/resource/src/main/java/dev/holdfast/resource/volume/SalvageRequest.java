package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A person's word that the content of some replicas is the volume's, though nobody can know it.
 * Writes that only other replicas hold are lost by it.
 *
 * @param id one that was not used before; empty when nothing is asked
 * @param replicas names of the replicas whose content counts
 */
@RecordBuilder
public record SalvageRequest(String id, List<String> replicas)
    implements SalvageRequestBuilder.With {
  /** Nothing asked. */
  public static final SalvageRequest NONE = new SalvageRequest(null, null);

  /** Replaces what is null by its default and copies the collections. */
  public SalvageRequest {
    id = Defaults.text(id);
    replicas = Defaults.list(replicas);
  }

  /** Returns whether nothing is asked. */
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
