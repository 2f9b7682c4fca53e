package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The node that uses the disk of a volume for all, as users choose it. */
class PlacementsTest extends StoreTest {
  private Placements placements;

  @BeforeEach
  void createVolume() throws Exception {
    placements = new Placements(store);
    controllers.status(
        Node.KIND,
        "node-1",
        node ->
            node.withStatus(
                node.status()
                    .withEngines(List.of("lvm", "sparse"))
                    .withFrontends(List.of("nbd"))
                    .withEngineCapabilities(Map.of("lvm", List.of("PLACEMENT")))));
    create("db", "lvm");
  }

  private void create(String name, String engine) throws Exception {
    var unused =
        volumes.create(
            VolumeRequest.of(
                name, "1Gi", OptionalInt.of(1), Optional.of(engine), Optional.of("nbd")),
            Waiting.none());
  }

  private String chosen() throws Exception {
    return volumes.get("db").spec().activeNodeID();
  }

  @Test
  void choiceIsStoredAndWithdrawn() throws Exception {
    var unused = placements.choose("db", "node-1", Waiting.none());
    assertThat(chosen()).isEqualTo("node-1");
    var taken = placements.choose("db", "", PATIENT);
    assertThat(taken.spec().activeNodeID()).isEmpty();
    assertThat(chosen()).isEmpty();
  }

  @Test
  void wrongChoiceIsRefusedByName() throws Exception {
    create("plain", "sparse");
    assertFails(ErrorCode.UNSUPPORTED, () -> placements.choose("plain", "node-1", Waiting.none()))
        .hasMessageStartingWith("volume plain: engine sparse does not let one node use the disk");
    assertFails(ErrorCode.NOT_FOUND, () -> placements.choose("db", "node-7", Waiting.none()))
        .hasMessageContaining("node-7");
    assertFails(ErrorCode.NOT_FOUND, () -> placements.choose("gone", "node-1", Waiting.none()));
    assertThat(chosen()).isEmpty();
  }

  /** An engine whose disk node-2 uses. */
  private static Engine placed(Engine engine, Condition.Status status, String message) {
    return engine.withStatus(
        engine
            .status()
            .withActiveNodeID("node-2")
            .withConditions(
                Condition.with(
                    List.of(), Engine.PLACED_CONDITION, status, "Test", message, Instant.EPOCH)));
  }

  @Test
  void causeIsNamedWhenTheEngineHasReportedNothingOrIsGone() {
    Engine silent = Engine.of("db-e-1", EngineSpec.EMPTY);
    assertThat(Placements.cause(Optional.of(silent))).isEqualTo("its engine has not reported");
    assertThat(Placements.cause(Optional.empty())).startsWith("it was detached in the meantime");
  }

  @Test
  void callOfAnAttachedVolumeWaitsUntilTheNodeUsesTheDiskOrReportsWhyNot() throws Exception {
    Engine engine =
        store.create(Engine.of("db-e-1", EngineSpec.EMPTY.withVolume("db").withDataEngine("lvm")));
    var unused = attachments.attach("db", Optional.of("node-1"), Optional.empty(), PATIENT);
    controllers.status(
        Engine.KIND,
        engine.name(),
        e -> placed(e, Condition.Status.FALSE, "pool vg0/db waits for node node-2"));
    assertFails(ErrorCode.TIMEOUT, () -> placements.choose("db", "node-1", SHORT))
        .hasMessageContaining("node node-1 to use its disk: pool vg0/db waits for node node-2");

    controllers.status(Engine.KIND, engine.name(), e -> placed(e, Condition.Status.TRUE, ""));
    assertFails(ErrorCode.TIMEOUT, () -> placements.choose("db", "node-1", SHORT))
        .hasMessageContaining("disk: node node-2 uses it, and its engine has not reported a move");

    controllers.status(
        Engine.KIND, engine.name(), e -> e.withStatus(e.status().withActiveNodeID("node-1")));
    assertThat(placements.choose("db", "node-1", PATIENT).spec().activeNodeID())
        .isEqualTo("node-1");
  }
}
