package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Watches under many writes: a list plus the events of its watch always equals the content of the
 * store.
 */
abstract class WatchLoadTopic extends StoreTopic {
  private static final int WRITERS = 3;
  private static final int WATCHERS = 3;
  private static final int ROUNDS = 30;
  private static final String LAST = "zz-last";

  WatchLoadTopic(ResourceStoreKit kit) {
    super(kit);
  }

  /** List of a watcher, and the events that it received afterwards. */
  private record Observation(
      ResourceList<Setting> list, RecordingListener<Setting> listener, Watch watch) {

    /** Applies the events to the list like an informer. */
    Map<String, Setting> state() throws InterruptedException {
      Map<String, Setting> state = new TreeMap<>();
      list.items().forEach(item -> state.put(item.name(), item));
      List<WatchEvent<Setting>> events =
          listener.awaitThat(
              seen -> seen.stream().anyMatch(event -> event.resource().name().equals(LAST)));
      for (WatchEvent<Setting> event : events) {
        Setting before = state.get(event.resource().name());
        switch (event.type()) {
          case ADDED -> {
            assertThat(before).as("before %s", event).isNull();
            state.put(event.resource().name(), event.resource());
          }
          case MODIFIED -> {
            assertThat(before).as("before %s", event).isNotNull();
            state.put(event.resource().name(), event.resource());
          }
          case DELETED -> {
            assertThat(before).as("before %s", event).isNotNull();
            state.remove(event.resource().name());
          }
        }
      }
      return state;
    }

    List<Long> versions() {
      return listener.events().stream().map(event -> version(event.resource())).toList();
    }
  }

  @Test
  final void listAndWatchTogetherAreGaplessWhileManyWrite() throws Exception {
    List<Observation> observations = new ArrayList<>();
    AtomicInteger writing = new AtomicInteger(WRITERS);
    List<List<Observation>> found =
        Workers.run(
            WRITERS + WATCHERS,
            worker -> {
              if (worker < WRITERS) {
                writeMuch(worker);
                writing.decrementAndGet();
                return List.of();
              }
              return observeWhile(writing);
            });
    found.forEach(observations::addAll);
    store.create(setting(LAST, "1"));

    Map<String, Setting> truth = new TreeMap<>();
    store
        .list(Setting.KIND, LabelSelector.ALL)
        .items()
        .forEach(item -> truth.put(item.name(), item));
    assertThat(observations).hasSizeGreaterThanOrEqualTo(WATCHERS);
    for (Observation observation : observations) {
      assertThat(observation.state()).isEqualTo(truth);
      assertThat(observation.versions()).isSorted().doesNotHaveDuplicates();
      assertThat(observation.versions())
          .allMatch(v -> v > Long.parseLong(observation.list().resourceVersion()));
      observation.watch().close();
    }
  }

  /** Lists and watches at several times during the writes. */
  private List<Observation> observeWhile(AtomicInteger writing) throws StorageException {
    List<Observation> mine = new ArrayList<>();
    do {
      ResourceList<Setting> list = store.list(Setting.KIND, LabelSelector.ALL);
      RecordingListener<Setting> listener = new RecordingListener<>();
      mine.add(
          new Observation(
              list, listener, store.watch(Setting.KIND, list.resourceVersion(), listener)));
    } while (writing.get() > 0 && mine.size() < 8);
    return mine;
  }

  /**
   * Repeatedly creates, changes and deletes a few resources, some of which several writers share.
   */
  private void writeMuch(int writer) throws StorageException {
    for (int round = 0; round < ROUNDS; round++) {
      String name = round % 3 == 0 ? "shared" : "own-" + writer + "-" + round % 2;
      Optional<Setting> present = store.get(Setting.KIND, name);
      try {
        if (present.isEmpty()) {
          store.create(setting(name, writer + "-" + round));
        } else if (round % 5 == 4) {
          store.delete(Setting.KIND, name, present.get().metadata().uid());
        } else {
          store.update(present.get().withSpec(setting(name, writer + "-" + round).spec()));
        }
      } catch (StorageException e) {
        if (!List.of(ErrorCode.CONFLICT, ErrorCode.ALREADY_EXISTS, ErrorCode.NOT_FOUND)
            .contains(e.code())) {
          throw e;
        }
      }
    }
  }
}
