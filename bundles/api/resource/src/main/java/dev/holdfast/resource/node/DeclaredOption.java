package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * An option that an engine declares for its volumes.
 *
 * @param name name in spec.engineOptions of a volume
 * @param allowed permitted values, sorted; empty for any text
 * @param defaultValue value for volumes that do not set the option
 * @param mutable whether the option can change after the creation of the volume
 */
@RecordBuilder
public record DeclaredOption(
    String name, List<String> allowed, String defaultValue, boolean mutable)
    implements DeclaredOptionBuilder.With {
  /** Replaces null components by their defaults and copies the list. */
  public DeclaredOption {
    name = Defaults.text(name);
    allowed = Defaults.list(allowed);
    defaultValue = Defaults.text(defaultValue);
  }
}
