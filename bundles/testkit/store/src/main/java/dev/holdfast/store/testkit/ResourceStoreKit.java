package dev.holdfast.store.testkit;

import dev.holdfast.store.ResourceStore;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;

/**
 * Contract of every {@link ResourceStore}. An implementation extends this class, gives an empty
 * store for each test and adds nothing else.
 */
public abstract class ResourceStoreKit {

  /** Opens an empty store. */
  protected abstract ResourceStore open() throws Exception;

  /** Closes a store that {@link #open} gave, and removes what it kept. */
  protected abstract void close(ResourceStore store) throws Exception;

  /**
   * Returns how many changes of each kind the stores of {@link #open} keep for watches; empty when
   * that is unknown, and then expiry is not tested.
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
