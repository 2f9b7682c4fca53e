package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.memory.FaultSchedule;
import dev.holdfast.store.memory.FaultyResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreEventRecorderTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ManualTasks tasks = new ManualTasks();
  private boolean unreachable;
  private final FaultSchedule faults =
      (operation, kind, name) ->
          unreachable ? FaultSchedule.Fault.BEFORE : FaultSchedule.Fault.NONE;
  private final StoreEventRecorder events =
      new StoreEventRecorder(new FaultyResourceStore(store, faults), tasks.clock(START), tasks);
  private final EventRecorder recorder = events.recorder("volume");

  private Setting setting(String name) throws StorageException {
    return store.create(Setting.of(name, new SettingSpec("1")));
  }

  private List<EventSpec> stored() {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream().map(Event::spec).toList();
  }

  @Test
  void whatHappensOftenIsOneEventWithACountAndTheLastMessage() throws Exception {
    Setting setting = setting("a");
    recorder.normal(setting, "Attached", "to n1");
    recorder.normal(setting, "Attached", "to n2");
    tasks.pass(Duration.ofMinutes(1));
    recorder.normal(setting, "Attached", "to n3");
    tasks.pass(MOMENT);
    assertThat(stored()).hasSize(1);
    EventSpec event = stored().get(0);
    assertThat(event.count()).isEqualTo(3);
    assertThat(event.message()).isEqualTo("to n3");
    assertThat(event.type()).isEqualTo("Normal");
    assertThat(event.reportingController()).isEqualTo("volume");
    assertThat(event.regarding().uid()).isEqualTo(setting.metadata().uid());
    assertThat(event.firstTimestamp()).contains(START);
    assertThat(event.lastTimestamp()).contains(START.plus(Duration.ofMinutes(1)));
  }

  @Test
  void objectTypeReasonAndReporterTellEventsApart() throws Exception {
    Setting a = setting("a");
    recorder.normal(a, "Attached", "");
    recorder.warning(a, "Attached", "");
    recorder.normal(a, "Detached", "");
    recorder.normal(setting("b"), "Attached", "");
    events.recorder("attachment").normal(a, "Attached", "");
    tasks.pass(MOMENT);
    assertThat(stored()).hasSize(5).allMatch(event -> event.count() == 1);
  }

  @Test
  void recreatedObjectHasSeparateEvents() throws Exception {
    Setting before = setting("a");
    recorder.normal(before, "Attached", "");
    store.delete(Setting.KIND, "a", before.metadata().uid());
    recorder.normal(setting("a"), "Attached", "");
    tasks.pass(MOMENT);
    assertThat(stored()).hasSize(2);
  }

  @Test
  void aFloodIsCutOffAndAnEventThatWaitsIsStillCounted() throws Exception {
    Setting setting = setting("a");
    for (int i = 0; i < 600; i++) {
      recorder.normal(setting, "Reason" + i, "");
    }
    recorder.normal(setting, "Reason0", "");
    tasks.pass(MOMENT);
    assertThat(stored()).hasSize(500);
    assertThat(stored()).filteredOn(event -> event.reason().equals("Reason0")).hasSize(1);
    assertThat(stored()).anyMatch(event -> event.count() == 2);
  }

  @Test
  void anEventThatCannotBeWrittenIsDroppedAndTheNextIsNot() throws Exception {
    Setting setting = setting("a");
    unreachable = true;
    recorder.normal(setting, "Lost", "");
    tasks.pass(MOMENT);
    unreachable = false;
    recorder.normal(setting, "Kept", "");
    tasks.pass(MOMENT);
    assertThat(stored()).extracting(EventSpec::reason).containsExactly("Kept");
  }

  @Test
  void anEventNotSeenForAnHourIsRemovedAndOneSeenAgainStays() throws Exception {
    events.start();
    Setting setting = setting("a");
    recorder.normal(setting, "Once", "");
    recorder.normal(setting, "Twice", "");
    tasks.pass(Duration.ofMinutes(45));
    recorder.normal(setting, "Twice", "");
    tasks.pass(Duration.ofMinutes(10));
    assertThat(stored()).hasSize(2);
    tasks.pass(Duration.ofMinutes(20));
    assertThat(stored()).extracting(EventSpec::reason).containsExactly("Twice");
    tasks.pass(Duration.ofHours(1));
    assertThat(stored()).isEmpty();
  }

  @Test
  void nothingIsWrittenOrRemovedAfterTheEnd() throws Exception {
    events.start();
    recorder.normal(setting("a"), "Written", "");
    tasks.pass(MOMENT);
    recorder.normal(setting("b"), "Late", "");
    events.close();
    tasks.pass(Duration.ofHours(3));
    assertThat(stored()).extracting(EventSpec::reason).containsExactly("Written");
  }
}
