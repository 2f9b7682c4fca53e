package dev.holdfast.sharing.internal;

import static dev.holdfast.resource.volume.InstanceState.ERROR;
import static dev.holdfast.resource.volume.InstanceState.RUNNING;
import static dev.holdfast.resource.volume.InstanceState.STARTING;
import static dev.holdfast.resource.volume.InstanceState.STOPPED;
import static dev.holdfast.resource.volume.InstanceState.STOPPING;
import static dev.holdfast.resource.volume.InstanceState.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.ShareEpoch;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.sharing.internal.ShareFacts.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Placement of a share: a table of cases. */
class ShareStepTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(20);
  private static final NodeChoice N2 = NodeChoice.of("n2");
  private static final NodeChoice N1 = NodeChoice.of("n1");
  private static final NodeChoice NONE = NodeChoice.none("cordoned");

  /** A case and its expected result: state, node, epoch, reason. */
  record Case(
      String name, ShareManagerStatus status, ShareFacts facts, InstanceState state, String next) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static ShareManagerStatus on(InstanceState state, String node) {
    String endpoint = state == RUNNING || state == UNKNOWN ? "nfs://10.0.0.1:2049/v" : "";
    return ShareManagerStatus.EMPTY
        .withState(state)
        .withNodeID(node)
        .withEndpoint(endpoint)
        .withEpoch(new ShareEpoch(3, "n1", Optional.of(NOW), Optional.empty()));
  }

  private static ShareFacts facts(
      ShareNeed need, Holder holder, boolean attached, NodeChoice choice, Duration inState) {
    return new ShareFacts(need, holder, attached, choice, inState, "n0", NOW);
  }

  private static ShareFacts required(Holder holder, NodeChoice choice) {
    return facts(ShareNeed.REQUIRED, holder, true, choice, SHORT);
  }

  private static ShareFacts without(ShareNeed need, Holder holder, Duration inState) {
    return facts(need, holder, true, NONE, inState);
  }

  static Stream<Case> cases() {
    return Stream.of(placement(), moving(), ending(), failing()).flatMap(List::stream);
  }

  private static List<Case> placement() {
    return List.of(
        new Case(
            "stopped and required: claims the next epoch for the chosen node",
            on(STOPPED, ""),
            required(Holder.NONE, N2),
            STARTING,
            "n2 4 WaitingForVolume"),
        new Case(
            "stopped and required without a node: waits and says why",
            on(STOPPED, ""),
            required(Holder.NONE, NONE),
            STOPPED,
            " 3 NoNode"),
        new Case(
            "starting on a node that reports: waits",
            on(STARTING, "n1"),
            required(Holder.READY, N1),
            STARTING,
            "n1 3 "),
        new Case(
            "starting without the volume for too long: another node",
            on(STARTING, "n1"),
            facts(ShareNeed.REQUIRED, Holder.READY, false, N2, LONG),
            ERROR,
            "n1 3 WaitingForVolume"),
        new Case(
            "starting without the volume for too long and no other node: waits",
            on(STARTING, "n1"),
            facts(ShareNeed.REQUIRED, Holder.READY, false, N1, LONG),
            STARTING,
            "n1 3 "),
        new Case(
            "starting with the volume for too long: error",
            on(STARTING, "n1"),
            facts(ShareNeed.REQUIRED, Holder.READY, true, N1, LONG),
            ERROR,
            "n1 3 StartFailed"),
        new Case(
            "running on a node that reports: stays",
            on(RUNNING, "n1"),
            required(Holder.READY, N2),
            RUNNING,
            "n1 3 "));
  }

  private static List<Case> moving() {
    return List.of(
        new Case(
            "running on a cordoned node: stops to move",
            on(RUNNING, "n1"),
            required(Holder.LEAVING, N2),
            STOPPING,
            "n1 3 Moving"),
        new Case(
            "running on a cordoned node without another: stays",
            on(RUNNING, "n1"),
            required(Holder.LEAVING, NONE),
            RUNNING,
            "n1 3 "),
        new Case(
            "running on a silent node: error, then another node",
            on(RUNNING, "n1"),
            required(Holder.LOST, N2),
            ERROR,
            "n1 3 NodeSilent"),
        new Case(
            "starting on a silent node: error, then another node",
            on(STARTING, "n1"),
            required(Holder.LOST, N2),
            ERROR,
            "n1 3 NodeSilent"),
        new Case(
            "running on a silent node without another: unknown until the node reports",
            on(RUNNING, "n1"),
            required(Holder.LOST, NONE),
            UNKNOWN,
            "n1 3 NodeSilent"),
        new Case(
            "unknown and the node is still silent: moves when another can serve",
            on(UNKNOWN, "n1"),
            required(Holder.LOST, N2),
            ERROR,
            "n1 3 NodeSilent"),
        new Case(
            "unknown on a node that reports: the node records what it finds",
            on(UNKNOWN, "n1"),
            required(Holder.READY, N2),
            UNKNOWN,
            "n1 3 "),
        new Case(
            "unknown on a node that reports all but the share: moves",
            on(UNKNOWN, "n1"),
            facts(ShareNeed.REQUIRED, Holder.READY, true, N2, LONG),
            ERROR,
            "n1 3 ServerNotInstalled"));
  }

  private static List<Case> ending() {
    return List.of(
        new Case(
            "running and not required: stops",
            on(RUNNING, "n1"),
            without(ShareNeed.NOT_REQUIRED, Holder.READY, SHORT),
            STOPPING,
            "n1 3 Stopping"),
        new Case(
            "starting and not required: stops",
            on(STARTING, "n1"),
            without(ShareNeed.NOT_REQUIRED, Holder.READY, SHORT),
            STOPPING,
            "n1 3 Stopping"),
        new Case(
            "stopping on a node that reports: waits for the node",
            on(STOPPING, "n1"),
            without(ShareNeed.NOT_REQUIRED, Holder.READY, SHORT),
            STOPPING,
            "n1 3 "),
        new Case(
            "stopping for too long: does not wait (H 34)",
            on(STOPPING, "n1"),
            without(ShareNeed.NOT_REQUIRED, Holder.READY, LONG),
            STOPPED,
            " 3 NotRequired"),
        new Case(
            "stopping on a dead node: does not wait (H 34)",
            on(STOPPING, "n1"),
            without(ShareNeed.NOT_REQUIRED, Holder.LOST, SHORT),
            STOPPED,
            " 3 NotRequired"),
        new Case(
            "stopping and required again: stops first",
            on(STOPPING, "n1"),
            required(Holder.READY, N1),
            STOPPING,
            "n1 3 "),
        new Case(
            "error, released and not required: stopped",
            on(ERROR, ""),
            without(ShareNeed.NOT_REQUIRED, Holder.NONE, SHORT),
            STOPPED,
            " 3 NotRequired"),
        new Case(
            "stopped and not required: stays",
            on(STOPPED, ""),
            without(ShareNeed.NOT_REQUIRED, Holder.NONE, SHORT),
            STOPPED,
            " 3 NotRequired"));
  }

  private static List<Case> failing() {
    return List.of(
        new Case(
            "error on a node that reports: waits until the node has removed the server",
            on(ERROR, "n1"),
            required(Holder.READY, N2),
            ERROR,
            "n1 3 "),
        new Case(
            "error, released: claims the next epoch",
            on(ERROR, ""),
            required(Holder.NONE, N2),
            STARTING,
            "n2 4 WaitingForVolume"),
        new Case(
            "error on a dead node: claims the next epoch at once",
            on(ERROR, "n1"),
            required(Holder.LOST, N2),
            STARTING,
            "n2 4 WaitingForVolume"),
        new Case(
            "error on a node that does not release: claims the next epoch (H 34)",
            on(ERROR, "n1"),
            facts(ShareNeed.REQUIRED, Holder.READY, true, N2, LONG),
            STARTING,
            "n2 4 WaitingForVolume"),
        new Case(
            "error, released, no node: waits and says why",
            on(ERROR, "n1"),
            required(Holder.LOST, NONE),
            ERROR,
            " 3 NoNode"),
        new Case(
            "running on a faulted volume: error (H 35)",
            on(RUNNING, "n1"),
            without(ShareNeed.FAULTED, Holder.READY, SHORT),
            ERROR,
            "n1 3 FaultedVolume"),
        new Case(
            "faulted and released: gives the node up, so that the volume can be salvaged (H 35)",
            on(ERROR, "n1"),
            without(ShareNeed.FAULTED, Holder.READY, LONG),
            ERROR,
            " 3 "),
        new Case(
            "usable after a fault: returns with a new epoch (H 35)",
            on(ERROR, ""),
            required(Holder.NONE, N1),
            STARTING,
            "n1 4 WaitingForVolume"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void decides(Case row) {
    ShareManagerStatus next = ShareStep.next(row.status(), row.facts());

    assertThat(next.state()).isEqualTo(row.state());
    assertThat(next.nodeID() + " " + next.epoch().number() + " " + ShareEvents.reason(next))
        .isEqualTo(row.next());
  }

  /** Tests all combinations of state, need and holder. */
  @Test
  void endpointIsThereOnlyWhileTheShareMayServe() {
    for (InstanceState state : InstanceState.values()) {
      for (ShareNeed need : ShareNeed.values()) {
        for (Holder holder : Holder.values()) {
          for (NodeChoice choice : List.of(N1, N2, NONE)) {
            ShareManagerStatus next =
                ShareStep.next(on(state, "n1"), facts(need, holder, true, choice, SHORT));
            boolean serves = next.state() == RUNNING || next.state() == UNKNOWN;
            assertThat(next.endpoint().isEmpty())
                .as("%s %s %s", state, need, holder)
                .isEqualTo(!serves);
          }
        }
      }
    }
  }

  @Test
  void claimForgetsWhatTheLastEpochCounted() {
    ShareManagerStatus before =
        on(ERROR, "")
            .withRestarts(3)
            .withRestartsSince(Optional.of(NOW))
            .withRepairedAt(Optional.of(NOW))
            .withLastEndpoint("nfs://10.0.0.1:2049/v");

    ShareManagerStatus next = ShareStep.next(before, required(Holder.NONE, N2));

    assertThat(next.restarts()).isZero();
    assertThat(next.repairedAt()).isEmpty();
    assertThat(next.epoch().holder()).isEqualTo("n2");
    assertThat(next.lastEndpoint()).as("for the request to mount again").isNotEmpty();
  }

  @Test
  void failureIsCountedForItsNode() {
    ShareManagerStatus once = ShareStep.next(on(RUNNING, "n1"), required(Holder.LOST, N2));
    ShareManagerStatus twice = ShareStep.next(once.withState(RUNNING), required(Holder.LOST, N2));

    assertThat(twice.failedNodes()).hasSize(1);
    assertThat(twice.failedNodes().get(0).count()).isEqualTo(2);
    assertThat(twice.epoch().suspectedSince()).contains(NOW);
  }
}
