package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The rights of a role. Rules only add rights.
 *
 * @param description purpose of the role
 * @param rules each of which permits requests
 */
@RecordBuilder
public record AccessRoleSpec(String description, List<AccessRule> rules)
    implements AccessRoleSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AccessRoleSpec EMPTY = AccessRoleSpecBuilder.builder().build();

  private static final int MOST_RULES = 100;

  /** Replaces null components by their defaults. */
  public AccessRoleSpec {
    description = Defaults.text(description);
    rules = Defaults.list(rules);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks =
        new Checks()
            .name(metadata.name(), "metadata.name")
            .that(
                BuiltInRole.named(metadata.name()).isEmpty(),
                "metadata.name",
                metadata.name(),
                "must be another name: this one is a built-in role")
            .that(
                rules.size() <= MOST_RULES,
                "spec.rules",
                rules.size() + " rules",
                "must be at most " + MOST_RULES);
    for (int i = 0; i < rules.size(); i++) {
      checks.all(rules.get(i).validate("spec.rules[" + i + "]"));
    }
    return checks.errors();
  }
}
