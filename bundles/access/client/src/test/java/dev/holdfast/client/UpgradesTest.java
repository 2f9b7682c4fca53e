package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes that answer by the annotation, as the platform's do. */
class UpgradesTest {
  private static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, Set<String>> failing = new HashMap<>();
  private Watch watch;
  private volatile boolean degradeAfterFirst;

  @BeforeEach
  void nodes() throws StorageException {
    for (String name : List.of("node-1", "node-2", "node-3")) {
      store.create(Node.of(name, NodeSpec.EMPTY));
    }
    String version = store.list(Node.KIND, LabelSelector.ALL).resourceVersion();
    watch = store.watch(Node.KIND, version, new Answers());
  }

  @AfterEach
  void close() {
    watch.close();
    store.close();
  }

  private final class Answers implements WatchListener<Node> {
    private final ObjectMapper json = new ObjectMapper();

    @Override
    public void changed(WatchEvent<Node> event) {
      Node node = event.resource();
      String request = node.metadata().annotations().get("upgrade.holdfast.dev/request");
      if (request == null || asked.contains(node.name() + " " + request)) {
        return;
      }
      asked.add(node.name() + " " + request);
      try {
        if (degradeAfterFirst) {
          degradeAfterFirst = false;
          volumeIs(Robustness.DEGRADED);
        }
        JsonNode wanted = json.readTree(request);
        boolean fails =
            failing.getOrDefault(node.name(), Set.of()).contains(wanted.path("action").asText());
        String report =
            "[{\"id\":\"%s\",\"source\":\"%s\",\"state\":\"%s\",\"reason\":\"%s\",\"steps\":[]}]"
                .formatted(
                    wanted.path("id").asText(),
                    wanted.path("source").asText(),
                    fails ? "WENT_BACK" : "DONE",
                    fails ? "planted" : "");
        Map<String, String> annotations = new TreeMap<>(node.metadata().annotations());
        annotations.put("upgrade.holdfast.dev/report", report);
        store.update(node.withMetadata(node.metadata().withAnnotations(annotations)));
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void ended(StorageException cause) {
      throw new AssertionError(cause);
    }
  }

  private static UpgradeOrder order(UpgradeOrder.Action action, String... nodes) {
    return new UpgradeOrder(action, "/plugin.jar", false, List.of(nodes));
  }

  private List<String> actions() {
    return asked.stream()
        .map(line -> line.replaceAll("^(\\S+) .*\"action\":\"(\\w+)\".*$", "$1 $2"))
        .toList();
  }

  @Test
  void nodesAreUpgradedOneAfterTheOther() throws StorageException {
    List<NodeUpgrade> results = new Upgrades(store).run(order(UpgradeOrder.Action.APPLY), PATIENT);
    assertThat(results).extracting(NodeUpgrade::node).containsExactly("node-1", "node-2", "node-3");
    assertThat(results).allMatch(NodeUpgrade::isGood);
  }

  @Test
  void nodesBeforeAFailedOneAreRolledBackAndLaterOnesAreNotUpgraded() throws StorageException {
    failing.put("node-2", Set.of("APPLY"));
    List<NodeUpgrade> results = new Upgrades(store).run(order(UpgradeOrder.Action.APPLY), PATIENT);
    assertThat(actions()).containsExactly("node-1 APPLY", "node-2 APPLY", "node-1 ROLLBACK");
    assertThat(results).extracting(NodeUpgrade::isGood).containsExactly(true, false, true);
  }

  @Test
  void onlyNamedNodesAreUpgraded() throws StorageException {
    new Upgrades(store).run(order(UpgradeOrder.Action.PLAN, "node-3"), PATIENT);
    assertThat(actions()).containsExactly("node-3 PLAN");
    assertThat(new Upgrades(store).last()).extracting(NodeUpgrade::node).containsExactly("node-3");
  }

  @Test
  void aNodeThatIsNotThereIsNamed() {
    Upgrades upgrades = new Upgrades(store);
    assertThatThrownBy(() -> upgrades.run(order(UpgradeOrder.Action.PLAN, "node-9"), PATIENT))
        .hasMessageContaining("node-9");
  }

  private void aVolumeIsInUse() throws StorageException {
    Volume unused =
        store.create(
            Volume.of(
                "used", VolumeSpec.EMPTY.withSize(new Quantity(1 << 20)).withNodeID("node-1")));
    volumeIs(Robustness.HEALTHY);
  }

  private void volumeIs(Robustness robustness) throws StorageException {
    Volume volume = store.get(Volume.KIND, "used").orElseThrow();
    var unused =
        store.updateStatus(
            volume.withStatus(
                volume.status().withState(VolumeState.ATTACHED).withRobustness(robustness)));
  }

  @Test
  void theNextNodeIsRestartedWhenAllReplicasAreCurrentAgain() throws Exception {
    aVolumeIsInUse();
    degradeAfterFirst = true;
    UpgradeOrder order =
        new UpgradeOrder(
            UpgradeOrder.Action.APPLY, "/release.tar.gz", true, List.of("node-1", "node-2"));
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    Waiting waiting =
        new Waiting(
            Duration.ofSeconds(30),
            line -> {
              told.add(line);
              if (line.contains("volumes used")) {
                assertThat(actions()).containsExactly("node-1 APPLY");
                heal();
              }
            });
    assertThat(new Upgrades(store).run(order, waiting)).hasSize(2);
    assertThat(told).anyMatch(line -> line.contains("volumes used"));
  }

  @Test
  void nodesAreLeftAsTheyAreWhenReplicasStayBehind() throws Exception {
    aVolumeIsInUse();
    degradeAfterFirst = true;
    UpgradeOrder order =
        new UpgradeOrder(UpgradeOrder.Action.APPLY, "/release.tar.gz", true, List.of());
    assertThatThrownBy(() -> new Upgrades(store).run(order, Waiting.upTo(Duration.ofSeconds(1))))
        .hasMessageContaining("node-2 is left as it is")
        .hasMessageContaining("used");
    assertThat(actions()).containsExactly("node-1 APPLY");
  }

  private void heal() {
    try {
      volumeIs(Robustness.HEALTHY);
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }
}
