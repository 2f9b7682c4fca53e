package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Which users and groups have the rights of a role.
 *
 * @param role name of a built-in role or of an AccessRole
 * @param users names of users, such as names of access tokens
 * @param groups names of groups
 */
@RecordBuilder
public record AccessBindingSpec(String role, List<String> users, List<String> groups)
    implements AccessBindingSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AccessBindingSpec EMPTY = AccessBindingSpecBuilder.builder().build();

  private static final int MOST_SUBJECTS = 1000;

  /** Replaces null components by their defaults. */
  public AccessBindingSpec {
    role = Defaults.text(role);
    users = Defaults.list(users);
    groups = Defaults.list(groups);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks = new Checks().name(metadata.name(), "metadata.name").name(role, "spec.role");
    checkSubjects(checks, users, "spec.users");
    checkSubjects(checks, groups, "spec.groups");
    return checks.errors();
  }

  private static void checkSubjects(Checks checks, List<String> subjects, String field) {
    checks
        .that(
            subjects.size() <= MOST_SUBJECTS,
            field,
            subjects.size() + " names",
            "must be at most " + MOST_SUBJECTS)
        .that(
            subjects.stream().noneMatch(String::isBlank),
            field,
            subjects,
            "must have no empty name");
  }
}
