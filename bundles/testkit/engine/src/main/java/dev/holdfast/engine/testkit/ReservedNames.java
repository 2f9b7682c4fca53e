package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** The names of Holdfast's own engines: a plugin from elsewhere must choose another one. */
final class ReservedNames {
  private static final String OURS = "dev.holdfast.";
  private static final Set<String> NAMES =
      Set.of("sparse", "lvm", "spdk", "example-memory", "example-outside");

  private ReservedNames() {}

  /** Fails when a class from elsewhere uses such a name. */
  static void check(String name, Class<?> type) {
    boolean ours = type.getName().startsWith(OURS);
    assertThat(ours || !NAMES.contains(name))
        .as("engine %s of %s: the name is reserved: choose another one", name, type.getName())
        .isTrue();
  }
}
