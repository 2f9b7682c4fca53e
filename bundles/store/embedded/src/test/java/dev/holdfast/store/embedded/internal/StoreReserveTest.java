package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store on a file system that is already full at its opening. */
class StoreReserveTest {
  private static final int RESOURCES = 40;
  private static final int KEPT = 4096;

  @TempDir private Path mount;

  @BeforeEach
  void mountSmallFileSystem() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    run("mount", "-t", "tmpfs", "-o", "size=24m", "holdfast-test", mount.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", mount.toString());
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private EmbeddedResourceStore open() throws Exception {
    return new EmbeddedResourceStore(mount.resolve("holdfast.db"), Clock.systemUTC(), KEPT);
  }

  private static Setting setting(int number, String value) {
    return Setting.of("s" + number, new SettingSpec(value));
  }

  private void fillUp() throws IOException {
    assertThatThrownBy(
            () -> {
              try (OutputStream ballast = Files.newOutputStream(mount.resolve("ballast"))) {
                byte[] piece = new byte[4096];
                while (true) {
                  ballast.write(piece);
                }
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void deletionsSucceedAfterAStartOnAFullFileSystem() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      for (int i = 0; i < RESOURCES; i++) {
        store.create(setting(i, "x".repeat(2000)));
      }
    }
    fillUp();
    try (EmbeddedResourceStore store = open()) {
      for (int i = 0; i < RESOURCES; i++) {
        Setting stored = store.get(Setting.KIND, "s" + i).orElseThrow();
        store.update(stored.withSpec(new SettingSpec("y".repeat(2000))));
        store.delete(Setting.KIND, stored.name(), stored.metadata().uid());
      }
    }
    // A second start with the space from the first start.
    try (EmbeddedResourceStore store = open()) {
      assertThat(store.list(Setting.KIND, LabelSelector.ALL).items()).isEqualTo(List.of());
      store.create(setting(1, "z"));
    }
  }

  /** A running node renews its leases every few seconds, also on a full file system. */
  @Test
  void manyUpdatesSucceedOnAFullFileSystem() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      for (int i = 0; i < RESOURCES; i++) {
        store.create(setting(i, "x".repeat(2000)));
      }
      fillUp();
      for (int round = 0; round < 50; round++) {
        for (int i = 0; i < RESOURCES; i++) {
          Setting stored = store.get(Setting.KIND, "s" + i).orElseThrow();
          store.update(stored.withSpec(new SettingSpec("y".repeat(1900 + round))));
        }
      }
      Setting last = store.get(Setting.KIND, "s1").orElseThrow();
      store.delete(Setting.KIND, last.name(), last.metadata().uid());
    }
    try (EmbeddedResourceStore store = open()) {
      assertThat(store.list(Setting.KIND, LabelSelector.ALL).items()).hasSize(RESOURCES - 1);
    }
  }
}
