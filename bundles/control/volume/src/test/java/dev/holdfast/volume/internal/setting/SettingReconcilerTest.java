package dev.holdfast.volume.internal.setting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.cluster.SettingStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.volume.internal.VolumeSettingDefinitions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingReconcilerTest {
  private static final Duration LIMIT = Duration.ofMinutes(20);
  private static final SettingDefinition BRICKS =
      SettingDefinition.number("acme.bricks", 3, 1, 9, "", "How many bricks are laid at a time.");
  private static final List<SettingDefinitions> PLATFORM = List.of(new VolumeSettingDefinitions());
  private static final List<SettingDefinitions> WITH_PLUGIN =
      List.of(new VolumeSettingDefinitions(), () -> List.of(BRICKS));

  private final Simulation simulation = cluster(Faults.NONE);
  private final ResourceStore store = simulation.store();

  private static Simulation cluster(Faults faults) {
    return Simulation.builder(1)
        .faults(faults)
        .reconciler("n1", () -> new SettingReconciler(WITH_PLUGIN))
        .reconciler("n1", () -> new NodeSettingReconciler(WITH_PLUGIN))
        .reconciler("n2", () -> new NodeSettingReconciler(PLATFORM))
        .build();
  }

  private void nodes(String... names) throws StorageException {
    for (String name : names) {
      store.create(Node.of(name, NodeSpec.EMPTY));
    }
  }

  private SettingStatus status(String name) throws StorageException {
    return status(store, name);
  }

  private static SettingStatus status(ResourceStore of, String name) throws StorageException {
    return of.get(Setting.KIND, name).map(Setting::status).orElse(SettingStatus.EMPTY);
  }

  private List<String> warnings() throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .map(event -> event.spec().regarding().name() + ": " + event.spec().message())
        .toList();
  }

  @Test
  void freshClusterShowsEverySettingThatABundleReads() throws Exception {
    nodes("n1", "n2");

    simulation.runUntil("shown", LIMIT, s -> status("replica-auto-balance").applied());
    simulation.runUntil("plugin's", LIMIT, s -> status("acme.bricks").nodes().size() == 2);

    SettingStatus status = status("replica-auto-balance");
    assertThat(status.effectiveValue()).isEqualTo("disabled");
    assertThat(status.defaultValue()).isEqualTo("disabled");
    assertThat(status.allowed()).isEqualTo("disabled, least-effort or best-effort");
    assertThat(status.description()).startsWith("With least-effort");
    assertThat(status.volumeField()).isEqualTo("replicaAutoBalance");
    assertThat(status.nodes()).extracting(SettingReport::node).containsExactly("n1", "n2");
    assertThat(store.list(Setting.KIND, LabelSelector.ALL).items())
        .hasSize(new VolumeSettingDefinitions().definitions().size() + 1);
  }

  @Test
  void changedValueIsAppliedOnceAllNodesReportIt() throws Exception {
    nodes("n1", "n2");
    simulation.runUntil("shown", LIMIT, s -> status("replica-auto-balance").applied());
    Setting setting = store.get(Setting.KIND, "replica-auto-balance").orElseThrow();
    store.update(setting.withSpec(new SettingSpec("best-effort")));

    simulation.runUntil(
        "applied",
        LIMIT,
        s ->
            status("replica-auto-balance").effectiveValue().equals("best-effort")
                && status("replica-auto-balance").applied());

    assertThat(status("replica-auto-balance").nodes())
        .extracting(SettingReport::effectiveValue)
        .containsOnly("best-effort");
    assertThat(warnings()).isEmpty();
  }

  @Test
  void settingOfAPluginIsAppliedWhereThePluginIsInstalled() throws Exception {
    nodes("n1", "n2");
    simulation.runUntil("reported", LIMIT, s -> status("acme.bricks").nodes().size() == 2);
    simulation.runUntil("applied", LIMIT, s -> status("acme.bricks").applied());

    assertThat(status("acme.bricks").nodes())
        .extracting(SettingReport::reason)
        .containsExactly("Applied", "DefinitionAbsent");
  }

  @Test
  void wrongValueOfAPluginKeepsTheDefaultAndIsReported() throws Exception {
    nodes("n1");
    store.create(Setting.of("acme.bricks", new SettingSpec("10")));

    simulation.runUntil("warned", LIMIT, s -> !warnings().isEmpty());
    simulation.runUntil("reported", LIMIT, s -> !status("acme.bricks").nodes().isEmpty());

    assertThat(status("acme.bricks").applied()).isFalse();
    assertThat(status("acme.bricks").nodes().get(0).reason()).isEqualTo("InvalidValue");
    assertThat(warnings())
        .containsExactly(
            "acme.bricks: has no effect: spec.value \"10\" must be a whole number from 1 to 9:"
                + " the default 3 is in force");
  }

  @Test
  void unknownSettingIsReportedWithTheNearestName() throws Exception {
    nodes("n1");
    store.create(Setting.of("counter", new SettingSpec("7")));

    simulation.runUntil("warned", LIMIT, s -> !warnings().isEmpty());
    simulation.runUntil("reported", LIMIT, s -> !status("counter").nodes().isEmpty());

    assertThat(warnings()).singleElement().asString().startsWith("counter: has no effect");
    assertThat(status("counter").nodes().get(0).reason()).isEqualTo("UnknownSetting");
    assertThat(status("counter").applied()).isFalse();
  }

  @Test
  void deletedSettingComesBackWithItsDefault() throws Exception {
    nodes("n1");
    store.create(Setting.of("replica-auto-balance", new SettingSpec("best-effort")));
    simulation.runUntil("applied", LIMIT, s -> status("replica-auto-balance").applied());

    store.delete(Setting.KIND, "replica-auto-balance", "");

    simulation.runUntil(
        "default", LIMIT, s -> status("replica-auto-balance").effectiveValue().equals("disabled"));
  }

  @Test
  void reportOfARemovedNodeEnds() throws Exception {
    nodes("n1", "n2");
    simulation.runUntil("both", LIMIT, s -> status("replica-auto-balance").nodes().size() == 2);

    store.delete(Node.KIND, "n2", "");

    simulation.runUntil("one", LIMIT, s -> status("replica-auto-balance").nodes().size() == 1);
  }

  @Test
  void reportsConvergeWhenWritesAreLost() throws Exception {
    Simulation lossy = cluster(Faults.ALL);
    lossy.store().create(Node.of("n1", NodeSpec.EMPTY));
    lossy.store().create(Node.of("n2", NodeSpec.EMPTY));
    lossy.run(Duration.ofMinutes(1));
    lossy.calm();

    lossy.runUntil(
        "applied",
        LIMIT,
        s ->
            status(s, "replica-auto-balance").applied()
                && status(s, "replica-auto-balance").nodes().size() == 2);
  }
}
