package dev.holdfast.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.testkit.CachingStore;
import dev.holdfast.store.testkit.RecordHistory;
import org.junit.jupiter.api.Test;

/** Many histories of engine records. */
class RecordHistoryTest {
  private static final int SEEDS = 20;
  private static final int WORKERS = 3;
  private static final int OPERATIONS = 40;

  @Test
  void everyHistoryIsLinearizable() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      try (MemoryResourceStore store = new MemoryResourceStore()) {
        assertThat(new RecordHistory(store, seed).run(WORKERS, OPERATIONS))
            .as("seed %d", seed)
            .isEmpty();
      }
    }
  }

  @Test
  void everyHistoryOverACacheIsFound() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      try (MemoryResourceStore store = new MemoryResourceStore()) {
        assertThat(new RecordHistory(new CachingStore(store), seed).run(WORKERS, OPERATIONS))
            .as("seed %d", seed)
            .isNotEmpty();
      }
    }
  }
}
