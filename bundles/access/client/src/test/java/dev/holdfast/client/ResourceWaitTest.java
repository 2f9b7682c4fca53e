package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResourceWaitTest {
  private static final String NAME = "engine";
  private static final String MISSING = "engine one-file is not installed on node node-1";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final List<String> progress = new ArrayList<>();

  private Setting await(Duration timeout, boolean isInstalledAfterTheFirstLook)
      throws StorageException {
    Waiting waiting = new Waiting(timeout, progress::add);
    try (ResourceWait wait = new ResourceWait(store)) {
      var setting = wait.follow(Setting.KIND, NAME);
      return wait.await(
          "volume scratch",
          waiting,
          () -> {
            Optional<Setting> found = setting.latest();
            if (found.isEmpty() && isInstalledAfterTheFirstLook) {
              store.create(Setting.of(NAME, new SettingSpec("installed")));
            }
            return found;
          },
          () -> MISSING);
    }
  }

  @Test
  void reasonThatEndsAtOnceIsNotReported() throws StorageException {
    assertThat(await(Duration.ofMinutes(1), true).name()).isEqualTo(NAME);
    assertThat(progress).isEmpty();
  }

  @Test
  void reasonThatLastsIsReportedOnce() {
    assertThatThrownBy(() -> await(Duration.ofMillis(10), false)).hasMessageContaining(MISSING);
    assertThat(progress).containsExactly("volume scratch: waits: " + MISSING);
  }
}
