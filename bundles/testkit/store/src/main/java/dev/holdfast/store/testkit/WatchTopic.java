package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Events, start and end of watches. */
abstract class WatchTopic extends StoreTopic {
  private static final int LIMIT_SECONDS = 30;

  WatchTopic(ResourceStoreKit kit) {
    super(kit);
  }

  private String now() throws StorageException {
    return store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
  }

  private static WatchEvent<Setting> event(WatchEvent.Type type, Setting setting) {
    return new WatchEvent<>(type, setting);
  }

  @Test
  final void everyChangeIsReported() throws Exception {
    RecordingListener<Setting> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Setting.KIND, now(), listener)) {
      Setting created = store.create(setting("a", "1"));
      Setting updated = store.update(created.withSpec(setting("a", "2").spec()));
      store.delete(Setting.KIND, "a", "");

      List<WatchEvent<Setting>> events = listener.await(3);

      assertThat(watch).isNotNull();
      assertThat(events.subList(0, 2))
          .containsExactly(
              event(WatchEvent.Type.ADDED, created), event(WatchEvent.Type.MODIFIED, updated));
      WatchEvent<Setting> deleted = events.get(2);
      assertThat(deleted.type()).isEqualTo(WatchEvent.Type.DELETED);
      assertThat(deleted.resource().spec()).isEqualTo(updated.spec());
      assertThat(deleted.resource().metadata().uid()).isEqualTo(updated.metadata().uid());
      assertThat(version(deleted.resource())).isGreaterThan(version(updated));
    }
  }

  @Test
  final void changesAfterTheListAndBeforeTheWatchAreReported() throws Exception {
    Setting first = store.create(setting("a", "1"));
    String version = now();
    Setting second = store.create(setting("b", "1"));
    Setting third = store.update(first.withSpec(setting("a", "2").spec()));

    RecordingListener<Setting> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Setting.KIND, version, listener)) {
      assertThat(watch).isNotNull();
      assertThat(listener.await(2))
          .containsExactly(
              event(WatchEvent.Type.ADDED, second), event(WatchEvent.Type.MODIFIED, third));
    }
  }

  @Test
  final void watchMayStartAtAnyEvent() throws Exception {
    List<Setting> written = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      written.add(store.create(setting("a" + i, "1")));
      store.create(volume("v" + i));
    }
    for (int from = 0; from < 5; from++) {
      RecordingListener<Setting> listener = new RecordingListener<>();
      String version = written.get(from).metadata().resourceVersion();
      try (Watch watch = store.watch(Setting.KIND, version, listener)) {
        assertThat(watch).isNotNull();
        assertThat(listener.await(5 - from).stream().map(WatchEvent::resource))
            .containsExactlyElementsOf(written.subList(from + 1, 6));
      }
    }
  }

  @Test
  final void otherKindsAreNotReported() throws Exception {
    RecordingListener<Setting> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Setting.KIND, now(), listener)) {
      store.create(volume("data"));
      Setting created = store.create(setting("a", "1"));

      assertThat(watch).isNotNull();
      assertThat(listener.await(1)).containsExactly(event(WatchEvent.Type.ADDED, created));
    }
  }

  @Test
  final void writeWithoutAChangeIsNotReported() throws Exception {
    Setting created = store.create(setting("a", "1"));
    RecordingListener<Setting> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Setting.KIND, now(), listener)) {
      store.update(created);
      store.updateStatus(created);
      Setting updated = store.update(created.withSpec(setting("a", "2").spec()));

      assertThat(watch).isNotNull();
      assertThat(listener.await(1)).containsExactly(event(WatchEvent.Type.MODIFIED, updated));
    }
  }

  @Test
  final void deletionWithFinalizersIsReportedInTwoSteps() throws Exception {
    Setting wanted = setting("a", "1");
    Setting created =
        store.create(wanted.withMetadata(wanted.metadata().plusFinalizer("holdfast.dev/a")));
    RecordingListener<Setting> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Setting.KIND, created.metadata().resourceVersion(), listener)) {
      Setting deleting = store.delete(Setting.KIND, "a", "").orElseThrow();
      store.update(deleting.withMetadata(deleting.metadata().minusFinalizer("holdfast.dev/a")));

      List<WatchEvent<Setting>> events = listener.await(2);
      assertThat(watch).isNotNull();
      assertThat(events.get(0)).isEqualTo(event(WatchEvent.Type.MODIFIED, deleting));
      assertThat(events.get(1).type()).isEqualTo(WatchEvent.Type.DELETED);
    }
  }

  @Test
  final void aVersionThatTheStoreNeverGaveIsInvalid() throws Exception {
    long beyond = Long.parseLong(now()) + 1000;
    for (String version : new String[] {"", "x", "-1", "1.5", Long.toString(beyond)}) {
      assertFails(
          ErrorCode.INVALID, () -> store.watch(Setting.KIND, version, new RecordingListener<>()));
    }
  }

  @Test
  final void changesThatAreNoLongerKeptAreExpired() throws Exception {
    OptionalInt kept = kit.keptChanges();
    assumeTrue(kept.isPresent(), "the store does not tell how many changes it keeps");
    String old = now();
    Volume quiet = store.create(volume("quiet"));
    String version = now();
    Setting setting = store.create(setting("a", "0"));
    for (int i = 1; i <= kept.getAsInt(); i++) {
      setting = store.update(setting.withSpec(setting("a", "" + i).spec()));
    }

    assertFails(
        ErrorCode.EXPIRED, () -> store.watch(Setting.KIND, version, new RecordingListener<>()));
    RecordingListener<Volume> listener = new RecordingListener<>();
    try (Watch watch = store.watch(Volume.KIND, old, listener)) {
      assertThat(watch).isNotNull();
      assertThat(listener.await(1))
          .as("changes of one kind do not displace those of another")
          .containsExactly(new WatchEvent<>(WatchEvent.Type.ADDED, quiet));
    }
  }

  @Test
  final void closingFromInsideTheListenerEndsTheWatch() throws Exception {
    CompletableFuture<Watch> watch = new CompletableFuture<>();
    RecordingListener<Setting> closing = new RecordingListener<>();
    WatchListener<Setting> listener =
        new WatchListener<>() {
          @Override
          public void changed(WatchEvent<Setting> event) {
            closing.changed(event);
            watch.join().close();
          }

          @Override
          public void ended(StorageException cause) {
            closing.ended(cause);
          }
        };
    watch.complete(store.watch(Setting.KIND, now(), listener));
    RecordingListener<Setting> other = new RecordingListener<>();
    try (Watch second = store.watch(Setting.KIND, now(), other)) {
      store.create(setting("a", "1"));
      closing.await(1);
      store.create(setting("b", "1"));
      other.await(2);

      assertThat(second).isNotNull();
      assertThat(closing.events()).hasSize(1);
    }
  }

  @Test
  final void closingWaitsForTheListenerAndIsIdempotent() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    Watch watch =
        store.watch(
            Setting.KIND,
            now(),
            new WatchListener<>() {
              @Override
              public void changed(WatchEvent<Setting> event) {
                inside.countDown();
                left.complete(awaitQuietly(leave));
              }

              @Override
              public void ended(StorageException cause) {
                left.completeExceptionally(cause);
              }
            });
    store.create(setting("a", "1"));
    assertThat(inside.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Boolean> closed =
        CompletableFuture.supplyAsync(
            () -> {
              watch.close();
              return left.isDone();
            });

    leave.countDown();

    assertThat(closed.get(LIMIT_SECONDS, TimeUnit.SECONDS))
        .as("the listener had returned when close returned")
        .isTrue();
    watch.close();
  }

  @Test
  final void aSlowListenerStallsNeitherWritersNorOthers() throws Exception {
    CountDownLatch leave = new CountDownLatch(1);
    WatchListener<Setting> slow =
        new WatchListener<>() {
          @Override
          public void changed(WatchEvent<Setting> event) {
            awaitQuietly(leave);
          }

          @Override
          public void ended(StorageException cause) {}
        };
    RecordingListener<Setting> other = new RecordingListener<>();
    try (Watch stalled = store.watch(Setting.KIND, now(), slow);
        Watch lively = store.watch(Setting.KIND, now(), other)) {
      for (int i = 0; i < 50; i++) {
        store.create(setting("a" + i, "1"));
      }
      assertThat(other.await(50)).hasSize(50);
      assertThat(stalled).isNotSameAs(lively);
      leave.countDown();
    }
  }

  private static boolean awaitQuietly(CountDownLatch latch) {
    try {
      return latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
