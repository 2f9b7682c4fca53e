package dev.holdfast.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SlowListenerTest {
  private final MemoryResourceStore store = new MemoryResourceStore(Clock.systemUTC(), 200);

  private void write(int count) throws StorageException {
    for (int i = 0; i < count; i++) {
      store.create(Setting.of("a" + i, new SettingSpec("1")));
    }
  }

  @Test
  void listenerThatFallsTooFarBehindReceivesAnError() throws Exception {
    CountDownLatch resume = new CountDownLatch(1);
    CompletableFuture<StorageException> end = new CompletableFuture<>();
    store.watch(
        Setting.KIND,
        "0",
        new WatchListener<>() {
          @Override
          public void changed(WatchEvent<Setting> event) {
            try {
              resume.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }

          @Override
          public void ended(StorageException cause) {
            end.complete(cause);
          }
        });
    write(500);
    resume.countDown();

    assertThat(end.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.EXPIRED);
  }

  @Test
  void closingTheStoreEndsItsWatches() throws Exception {
    CompletableFuture<StorageException> end = new CompletableFuture<>();
    store.watch(Setting.KIND, "0", listener(end, event -> {}));

    store.close();

    assertThat(end.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aListenerThatThrowsEndsItsWatch() throws Exception {
    CompletableFuture<StorageException> end = new CompletableFuture<>();
    store.watch(
        Setting.KIND,
        "0",
        listener(
            end,
            event -> {
              throw new IllegalStateException("broken");
            }));

    write(1);

    assertThat(end.get(30, TimeUnit.SECONDS))
        .hasMessageContaining("settings")
        .hasRootCauseMessage("broken")
        .extracting(StorageException::code)
        .isEqualTo(ErrorCode.INTERNAL);
  }

  private static WatchListener<Setting> listener(
      CompletableFuture<StorageException> end, Consumer<WatchEvent<Setting>> onChange) {
    return new WatchListener<>() {
      @Override
      public void changed(WatchEvent<Setting> event) {
        onChange.accept(event);
      }

      @Override
      public void ended(StorageException cause) {
        end.complete(cause);
      }
    };
  }
}
