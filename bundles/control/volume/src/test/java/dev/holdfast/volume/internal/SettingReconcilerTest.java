package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingReconcilerTest {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private final Simulation simulation =
      Simulation.builder(1).faults(Faults.NONE).reconciler("n1", SettingReconciler::new).build();
  private final ResourceStore store = simulation.store();

  private boolean isApplied(String name) throws StorageException {
    return store.get(Setting.KIND, name).orElseThrow().status().applied();
  }

  private List<String> warnings() throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .map(event -> event.spec().regarding().name() + ": " + event.spec().message())
        .toList();
  }

  @Test
  void settingThatIsReadIsReportedAsApplied() throws Exception {
    store.create(Setting.of("replica-auto-balance", new SettingSpec("best-effort")));
    simulation.runUntil("applied", LIMIT, s -> isApplied("replica-auto-balance"));
    assertThat(warnings()).isEmpty();
  }

  @Test
  void settingThatNothingReadsIsReportedByAnEvent() throws Exception {
    store.create(Setting.of("counter", new SettingSpec("7")));
    store.create(Setting.of("acme.counter", new SettingSpec("7")));
    simulation.runUntil("warned", LIMIT, s -> !warnings().isEmpty());
    assertThat(warnings()).singleElement().asString().startsWith("counter: has no effect");
    assertThat(isApplied("counter")).isFalse();
  }
}
