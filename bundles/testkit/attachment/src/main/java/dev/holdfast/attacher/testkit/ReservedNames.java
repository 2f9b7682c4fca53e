package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** The names of Holdfast's own attachers, which third-party plugins must not use. */
final class ReservedNames {
  private static final String OURS = "dev.holdfast.";
  private static final Set<String> NAMES =
      Set.of(
          "api",
          "backup-controller",
          "bim-ds-controller",
          "csi-attacher",
          "salvage-controller",
          "share-manager-controller",
          "snapshot-controller",
          "volume-clone-controller",
          "volume-content-controller",
          "volume-eviction-controller",
          "volume-expansion-controller",
          "volume-rebuilding-controller",
          "volume-restore-controller");

  private ReservedNames() {}

  /** Rejects such a name for a third-party class. */
  static void check(String name, Class<?> type) {
    boolean ours = type.getName().startsWith(OURS);
    assertThat(ours || !NAMES.contains(name))
        .as("attacher %s of %s: the name is reserved: choose another one", name, type.getName())
        .isTrue();
  }
}
