package dev.holdfast.controller.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MeasuredStoreTest {
  private static final long STEP = 2_000_000;

  /** Each read of the clock advances it by two milliseconds. */
  private final AtomicLong clock = new AtomicLong();

  private final MeasuredStore store =
      new MeasuredStore(new MemoryResourceStore(), () -> clock.addAndGet(STEP));

  private BucketCounts counts(String operation, String code) {
    return store.times().get(new MeasuredStore.Request(operation, code)).counts();
  }

  @Test
  void requestsAreTimedByOperationAndOutcome() throws Exception {
    Setting setting = store.create(Setting.of("a", new SettingSpec("1")));
    assertThat(store.get(Setting.KIND, "a")).contains(setting);
    assertThat(store.list(Setting.KIND, LabelSelector.ALL).items()).hasSize(1);
    assertThatThrownBy(() -> store.create(setting)).isInstanceOf(StorageException.class);

    assertThat(counts("get", "ok").count()).isEqualTo(1);
    assertThat(counts("get", "ok").sum()).isEqualTo(0.002);
    assertThat(counts("list", "ok").count()).isEqualTo(1);
    assertThat(counts("create", "ok").count()).isEqualTo(1);
    assertThat(counts("create", "already_exists").count()).isEqualTo(1);
  }
}
