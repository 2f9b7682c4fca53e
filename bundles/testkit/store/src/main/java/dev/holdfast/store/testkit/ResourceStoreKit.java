package dev.holdfast.store.testkit;

import dev.holdfast.store.ResourceStore;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;

/**
 * Contract of every {@link ResourceStore}. An implementation extends this class and supplies an
 * empty store for each test.
 */
public abstract class ResourceStoreKit {

  /** Opens an empty store. */
  protected abstract ResourceStore open() throws Exception;

  /** Closes a store of {@link #open}, and removes its data. */
  protected abstract void close(ResourceStore store) throws Exception;

  /**
   * Returns the number of changes of each kind that the stores keep for watches; if empty, expiry
   * is not tested.
   */
  protected abstract OptionalInt keptChanges();

  @Nested
  final class Crud extends CrudTopic {
    Crud() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Validation extends ValidationTopic {
    Validation() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Metadata extends MetadataTopic {
    Metadata() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Deletion extends DeletionTopic {
    Deletion() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Lists extends ListTopic {
    Lists() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Concurrency extends ConcurrencyTopic {
    Concurrency() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Watches extends WatchTopic {
    Watches() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class WatchesUnderLoad extends WatchLoadTopic {
    WatchesUnderLoad() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class Records extends RecordTopic {
    Records() {
      super(ResourceStoreKit.this);
    }
  }

  @Nested
  final class RecordHistories extends RecordHistoryTopic {
    RecordHistories() {
      super(ResourceStoreKit.this);
    }
  }
}
