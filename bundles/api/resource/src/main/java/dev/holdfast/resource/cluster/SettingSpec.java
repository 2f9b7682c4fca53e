package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;

/**
 * The value of a setting.
 *
 * @param value wanted value; the default is in force when it is empty
 */
@RecordBuilder
public record SettingSpec(String value) implements SettingSpecBuilder.With {
  /** Nothing set. */
  public static final SettingSpec EMPTY = new SettingSpec(null);

  private static final int LONGEST_VALUE = 4096;

  /** Replaces null components by their defaults and copies the collections. */
  public SettingSpec {
    value = Defaults.text(value);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    return new Checks()
        .name(metadata.name(), "metadata.name")
        .that(
            value.length() <= LONGEST_VALUE,
            "spec.value",
            value.length() + " characters",
            "must have at most " + LONGEST_VALUE + " characters")
        .all(validate(metadata.name(), value))
        .errors();
  }

  /** Checks a value of a platform setting, and rejects a name that resembles a platform setting. */
  private static List<FieldError> validate(String name, String value) {
    Optional<SettingDefinition> known = PlatformSettings.named(name);
    if (known.isEmpty()) {
      return new Checks()
          .that(
              !PlatformSettings.isMistyped(name),
              "metadata.name",
              name,
              "is not a setting; the nearest one is " + PlatformSettings.nearest(name))
          .errors();
    }
    Optional<String> expected = known.get().fault(value);
    return new Checks().that(expected.isEmpty(), "spec.value", value, expected.orElse("")).errors();
  }
}
