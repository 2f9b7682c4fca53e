package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.ServingNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EngineStepTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");
  private static final String US = "node-1";
  private static final String THEM = "node-2";

  private static Engine engine(
      String specNode, DesireState desire, String statusNode, InstanceState state, boolean claim) {
    Engine engine = VolumeResources.engine(specNode, desire);
    Engine seen =
        engine
            .withMetadata(engine.metadata().withGeneration(4))
            .withStatus(
                engine
                    .status()
                    .withNodeID(statusNode)
                    .withCurrentState(state)
                    .withObservedGeneration(4));
    return claim ? seen.withMetadata(seen.metadata().plusFinalizer(EngineStep.FINALIZER)) : seen;
  }

  private static AttachedVolumeStatus view(
      AttachedVolumeStatus.Phase phase, String frontend, Instant retryAt) {
    Optional<StorageException> failure =
        retryAt.equals(Instant.EPOCH)
            ? Optional.empty()
            : Optional.of(new StorageException(ErrorCode.IO, "failed"));
    return new AttachedVolumeStatus(
        phase,
        failure,
        retryAt,
        frontend,
        "",
        Map.of(),
        0,
        "",
        Set.of(),
        phase == AttachedVolumeStatus.Phase.FORWARDING ? THEM : "",
        Optional.empty(),
        Optional.empty());
  }

  private static EngineStep absent(
      String specNode, DesireState desire, String statusNode, InstanceState state, boolean claim) {
    return EngineStep.next(
        Optional.of(engine(specNode, desire, statusNode, state, claim)), Optional.empty(), US, NOW);
  }

  private static EngineStep running(
      AttachedVolumeStatus.Phase phase, String frontend, Instant retryAt) {
    Engine wanted = engine(US, DesireState.RUNNING, US, InstanceState.STARTING, true);
    return EngineStep.next(
        Optional.of(wanted), Optional.of(view(phase, frontend, retryAt)), US, NOW);
  }

  private static EngineStep unwanted(AttachedVolumeStatus.Phase phase) {
    Engine stopped = engine(US, DesireState.STOPPED, US, InstanceState.RUNNING, true);
    return EngineStep.next(
        Optional.of(stopped), Optional.of(view(phase, "nbd", Instant.EPOCH)), US, NOW);
  }

  @Test
  void anEngineIsClaimedBeforeItIsOpened() {
    assertThat(absent(US, DesireState.RUNNING, "", InstanceState.STOPPED, false))
        .isEqualTo(EngineStep.CLAIM);
    assertThat(absent(US, DesireState.RUNNING, US, InstanceState.STARTING, false))
        .isEqualTo(EngineStep.CLAIM);
    assertThat(absent(US, DesireState.RUNNING, US, InstanceState.STARTING, true))
        .isEqualTo(EngineStep.OPEN);
  }

  @Test
  void volumeOfAKilledProcessIsClaimedAgain() {
    assertThat(absent(US, DesireState.RUNNING, US, InstanceState.RUNNING, true))
        .isEqualTo(EngineStep.CLAIM);
    assertThat(absent(US, DesireState.STOPPED, US, InstanceState.RUNNING, true))
        .isEqualTo(EngineStep.RELEASE);
  }

  @Test
  void anEngineThatRunsElsewhereIsAwaited() {
    for (InstanceState state : InstanceState.values()) {
      EngineStep expected =
          state == InstanceState.STOPPED ? EngineStep.CLAIM : EngineStep.AWAIT_OTHER_NODE;
      assertThat(absent(US, DesireState.RUNNING, THEM, state, false)).isEqualTo(expected);
    }
  }

  @Test
  void aFailedOpeningIsTriedAgainInTime() {
    assertThat(running(AttachedVolumeStatus.Phase.FAILED, "", NOW.plusMillis(1)))
        .isEqualTo(EngineStep.REPORT);
    assertThat(running(AttachedVolumeStatus.Phase.FAILED, "", NOW)).isEqualTo(EngineStep.OPEN);
    assertThat(running(AttachedVolumeStatus.Phase.HELD, "nbd", NOW)).isEqualTo(EngineStep.OPEN);
    assertThat(running(AttachedVolumeStatus.Phase.FAILED, "", NOW.plusSeconds(3600)))
        .as("the clock was set back")
        .isEqualTo(EngineStep.OPEN);
  }

  @Test
  void anOpenVolumeIsPublished() {
    assertThat(running(AttachedVolumeStatus.Phase.OPEN, "", Instant.EPOCH))
        .isEqualTo(EngineStep.PUBLISH);
    assertThat(running(AttachedVolumeStatus.Phase.OPEN, "nbd", Instant.EPOCH))
        .isEqualTo(EngineStep.REPORT);
    assertThat(running(AttachedVolumeStatus.Phase.OPEN, "", NOW.plusMillis(1)))
        .isEqualTo(EngineStep.REPORT);
    assertThat(running(AttachedVolumeStatus.Phase.OPENING, "", Instant.EPOCH))
        .isEqualTo(EngineStep.REPORT);
    assertThat(running(AttachedVolumeStatus.Phase.CLOSING, "", Instant.EPOCH))
        .isEqualTo(EngineStep.REPORT);
  }

  @Test
  void unwantedVolumeIsClosedFromEveryPhase() {
    for (AttachedVolumeStatus.Phase phase : AttachedVolumeStatus.Phase.values()) {
      boolean closes =
          phase == AttachedVolumeStatus.Phase.CLOSING || phase == AttachedVolumeStatus.Phase.CLOSED;
      assertThat(unwanted(phase)).isEqualTo(closes ? EngineStep.REPORT : EngineStep.CLOSE);
    }
    assertThat(
            EngineStep.next(
                Optional.empty(),
                Optional.of(view(AttachedVolumeStatus.Phase.OPEN, "nbd", Instant.EPOCH)),
                US,
                NOW))
        .isEqualTo(EngineStep.CLOSE);
  }

  @Test
  void anEngineThatIsDeletedIsNotOpened() {
    Engine engine = engine(US, DesireState.RUNNING, US, InstanceState.STARTING, true);
    Engine deleted = engine.withMetadata(engine.metadata().withDeletionTimestamp(Optional.of(NOW)));
    assertThat(EngineStep.next(Optional.of(deleted), Optional.empty(), US, NOW))
        .isEqualTo(EngineStep.RELEASE);
  }

  @Test
  void nodeThatNeverStartedReportsStoppedToo() {
    Engine told = engine(US, DesireState.STOPPED, "", InstanceState.STOPPED, false);
    Engine unanswered = told.withStatus(told.status().withObservedGeneration(3));
    assertThat(EngineStep.next(Optional.of(unanswered), Optional.empty(), US, NOW))
        .isEqualTo(EngineStep.RELEASE);
    assertThat(EngineStep.next(Optional.of(told), Optional.empty(), US, NOW))
        .isEqualTo(EngineStep.IGNORE);
    assertThat(EngineStep.next(Optional.of(unanswered), Optional.empty(), THEM, NOW))
        .isEqualTo(EngineStep.IGNORE);
  }

  @Test
  void anotherNodesEngineIsIgnored() {
    assertThat(absent(THEM, DesireState.RUNNING, THEM, InstanceState.RUNNING, true))
        .isEqualTo(EngineStep.IGNORE);
    assertThat(EngineStep.next(Optional.empty(), Optional.empty(), US, NOW))
        .isEqualTo(EngineStep.IGNORE);
  }

  /** An engine on another node, to which this node forwards or is requested to forward. */
  private static Engine forwarding(String wanted, String claimed) {
    Engine engine = engine(THEM, DesireState.RUNNING, THEM, InstanceState.RUNNING, true);
    return engine
        .withSpec(engine.spec().withMigrationNodeID(wanted))
        .withStatus(engine.status().withMigrationNodeID(claimed));
  }

  private static EngineStep step(Engine engine, AttachedVolumeStatus.Phase phase, String frontend) {
    return EngineStep.next(
        Optional.of(engine), Optional.of(view(phase, frontend, Instant.EPOCH)), US, NOW);
  }

  private static EngineStep absent(Engine engine) {
    return EngineStep.next(Optional.of(engine), Optional.empty(), US, NOW);
  }

  @Test
  void forwardingNodeClaimsItsRoleBeforeItServes() {
    assertThat(absent(forwarding(US, ""))).isEqualTo(EngineStep.CLAIM_FORWARDING);
    assertThat(absent(forwarding(US, "node-3"))).isEqualTo(EngineStep.AWAIT_OTHER_NODE);
    assertThat(absent(forwarding(US, US))).isEqualTo(EngineStep.FORWARD);
    assertThat(step(forwarding(US, US), AttachedVolumeStatus.Phase.FAILED, ""))
        .isEqualTo(EngineStep.FORWARD);
    assertThat(step(forwarding(US, US), AttachedVolumeStatus.Phase.HELD, "nbd"))
        .isEqualTo(EngineStep.FORWARD);
    assertThat(step(forwarding(US, US), AttachedVolumeStatus.Phase.FORWARDING, ""))
        .isEqualTo(EngineStep.PUBLISH);
    assertThat(step(forwarding(US, US), AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.REPORT);
    assertThat(step(forwarding(US, US), AttachedVolumeStatus.Phase.OPEN, "nbd"))
        .as("open from before the volume left")
        .isEqualTo(EngineStep.CLOSE);
  }

  /** An engine that they have, and that we serve too, as one of several nodes. */
  private static Engine serving(String migrates, String... claimed) {
    Engine engine = forwarding("node-3", migrates);
    Map<String, ServingNode> entries = new TreeMap<>();
    for (String node : claimed) {
      entries.put(node, ServingNode.EMPTY);
    }
    return engine
        .withSpec(engine.spec().withServingNodeIDs(List.of(US)))
        .withStatus(engine.status().withServingNodes(entries));
  }

  @Test
  void aServingNodeClaimsItsOwnEntryAndWaitsForNoOther() {
    assertThat(absent(serving("node-3"))).isEqualTo(EngineStep.CLAIM_SERVING);
    assertThat(absent(serving("node-3", US))).isEqualTo(EngineStep.FORWARD);
    assertThat(step(serving("node-3", US), AttachedVolumeStatus.Phase.FORWARDING, ""))
        .isEqualTo(EngineStep.PUBLISH);
    assertThat(step(serving("node-3", US), AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.REPORT);
    assertThat(step(serving("node-3", US), AttachedVolumeStatus.Phase.OPEN, "nbd"))
        .isEqualTo(EngineStep.CLOSE);
  }

  @Test
  void servingNodeServesWhileItClaimsTheOwnership() {
    Engine chosen = serving("", US);
    chosen = chosen.withSpec(chosen.spec().withMigrationNodeID(US).withServingNodeIDs(List.of()));
    assertThat(step(chosen, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.CLAIM_FORWARDING);
    Engine held = chosen.withStatus(chosen.status().withMigrationNodeID("node-3"));
    assertThat(step(held, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .as("another node has not given its entry up")
        .isEqualTo(EngineStep.REPORT);
    assertThat(absent(held)).isEqualTo(EngineStep.AWAIT_OTHER_NODE);
    assertThat(step(serving(US, US), AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .as("it shall not take over any more, and serves on")
        .isEqualTo(EngineStep.RELEASE_FORWARDING);
  }

  @Test
  void aServingNodeFollowsTheOwnerOnlyWhenThatOneHasTheVolumeOpen() {
    for (InstanceState state : InstanceState.values()) {
      Engine moved = serving("", US);
      moved =
          moved
              .withSpec(moved.spec().withNodeID("node-3").withMigrationNodeID(""))
              .withStatus(moved.status().withNodeID("node-3").withCurrentState(state));
      assertThat(step(moved, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
          .as("the new owner is " + state)
          .isEqualTo(state == InstanceState.RUNNING ? EngineStep.REDIRECT : EngineStep.REPORT);
      Engine closing = moved.withStatus(moved.status().withNodeID(THEM));
      assertThat(step(closing, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
          .as("the new owner has not claimed it")
          .isEqualTo(EngineStep.REPORT);
    }
  }

  @Test
  void aNodeThatShallNotServeClosesAndThenReleasesItsEntry() {
    Engine unwanted = serving("", US);
    unwanted = unwanted.withSpec(unwanted.spec().withServingNodeIDs(List.of()));
    assertThat(step(unwanted, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.CLOSE);
    assertThat(absent(unwanted)).isEqualTo(EngineStep.RELEASE_FORWARDING);
  }

  @Test
  void endedForwardingIsClosedAndThenReleased() {
    assertThat(step(forwarding("", US), AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.CLOSE);
    assertThat(absent(forwarding("", US))).isEqualTo(EngineStep.RELEASE_FORWARDING);
    assertThat(absent(forwarding("", "node-3"))).isEqualTo(EngineStep.IGNORE);
  }

  @Test
  void aMoveIsTakenOverOnlyWhenTheOtherNodeHasClosedIt() {
    for (InstanceState state : InstanceState.values()) {
      Engine theirs = engine(US, DesireState.RUNNING, THEM, state, true);
      assertThat(step(theirs, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
          .isEqualTo(
              state == InstanceState.STOPPED ? EngineStep.CLAIM : EngineStep.AWAIT_OTHER_NODE);
      assertThat(step(theirs, AttachedVolumeStatus.Phase.FAILED, ""))
          .as("what does not forward is begun again")
          .isEqualTo(EngineStep.CLOSE);
    }
    Engine ours = engine(US, DesireState.RUNNING, US, InstanceState.STARTING, true);
    assertThat(step(ours, AttachedVolumeStatus.Phase.FORWARDING, "nbd"))
        .isEqualTo(EngineStep.TAKE_OVER);
    assertThat(
            EngineStep.next(
                Optional.of(ours),
                Optional.of(view(AttachedVolumeStatus.Phase.FORWARDING, "nbd", NOW.plusMillis(1))),
                US,
                NOW))
        .isEqualTo(EngineStep.REPORT);
  }
}
