package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * An option that an engine declares for its volumes.
 *
 * @param name its name in spec.engineOptions of a volume
 * @param allowed values that it may have, sorted; empty for any text
 * @param defaultValue value of a volume that does not set it
 * @param mutable whether it may be changed after the volume was made
 */
@RecordBuilder
public record DeclaredOption(
    String name, List<String> allowed, String defaultValue, boolean mutable)
    implements DeclaredOptionBuilder.With {
  /** Replaces what is null by its default and copies the list. */
  public DeclaredOption {
    name = Defaults.text(name);
    allowed = Defaults.list(allowed);
    defaultValue = Defaults.text(defaultValue);
  }
}
