package dev.holdfast.frontend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** The names of Holdfast's own frontends, which third-party plugins must not use. */
final class ReservedNames {
  private static final String OURS = "dev.holdfast.";
  private static final Set<String> NAMES = Set.of("nbd", "iscsi", "nvmeof", "replica");

  private ReservedNames() {}

  /** Rejects such a name for a third-party class. */
  static void check(String name, Class<?> type) {
    boolean ours = type.getName().startsWith(OURS);
    assertThat(ours || !NAMES.contains(name))
        .as("frontend %s of %s: the name is reserved: choose another one", name, type.getName())
        .isTrue();
  }
}
