package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BroadcastTest {
  @Test
  @Timeout(60)
  void lackOfMemoryOfOneIsReportedToTheCallerOfAll() {
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      StorageException[] outcomes =
          new Broadcast(threads)
              .all(
                  3,
                  at -> {
                    if (at == 1) {
                      throw new OutOfMemoryError("no direct memory");
                    }
                  });

      assertThat(outcomes[0]).isNull();
      assertThat(outcomes[1].code()).isEqualTo(ErrorCode.INTERNAL);
      assertThat(outcomes[1]).hasMessageContaining("no direct memory");
      assertThat(outcomes[2]).isNull();
    } finally {
      threads.shutdown();
    }
  }
}
