package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The value of a setting.
 *
 * @param value the value
 */
@RecordBuilder
public record SettingSpec(String value) implements SettingSpecBuilder.With {
  /** Nothing set. */
  public static final SettingSpec EMPTY = new SettingSpec(null);

  /** Replaces what is null by its default and copies the collections. */
  public SettingSpec {
    value = Defaults.text(value);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    return new Checks()
        .name(metadata.name(), "metadata.name")
        .all(KnownSettings.validate(metadata.name(), value))
        .errors();
  }
}
