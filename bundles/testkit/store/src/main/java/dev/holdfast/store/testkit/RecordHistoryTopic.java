package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Histories of records with lost answers, over the store and over a caching store. */
abstract class RecordHistoryTopic extends StoreTopic {
  private static final int WORKERS = 3;
  private static final int OPERATIONS = 25;

  RecordHistoryTopic(ResourceStoreKit kit) {
    super(kit);
  }

  @Test
  final void historyWithLostAnswersIsLinearizable() throws Exception {
    assertThat(new RecordHistory(store, 1).run(WORKERS, OPERATIONS)).isEmpty();
  }

  /** Shows that the check of this topic can fail. */
  @Test
  final void recordsServedFromACacheAreFound() throws Exception {
    assertThat(new RecordHistory(new CachingStore(store), 1).run(WORKERS, OPERATIONS)).isNotEmpty();
  }
}
