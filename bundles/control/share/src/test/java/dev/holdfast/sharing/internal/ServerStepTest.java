package dev.holdfast.sharing.internal;

import static dev.holdfast.resource.volume.InstanceState.ERROR;
import static dev.holdfast.resource.volume.InstanceState.RUNNING;
import static dev.holdfast.resource.volume.InstanceState.STARTING;
import static dev.holdfast.resource.volume.InstanceState.STOPPED;
import static dev.holdfast.resource.volume.InstanceState.STOPPING;
import static dev.holdfast.resource.volume.InstanceState.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.FailedShareNode;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareEpoch;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.WriteProbe;
import dev.holdfast.sharing.internal.ServerDecision.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decisions of the node of a share: a table of cases. */
class ServerStepTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final String HERE = "nfs://10.0.0.1:2049/v";
  private static final ShareObservation SERVES =
      ShareObservation.NOTHING
          .withPresent(true)
          .withDevice(true)
          .withMounted(true)
          .withProcess(ServerProcess.RUNNING)
          .withAnswers(true)
          .withExported(true)
          .withCurrent(true)
          .withProbe(WriteProbe.WRITTEN)
          .withEndpoint(HERE)
          .withSize(1)
          .withServerVersion("4.3");
  private static final ShareObservation DEAD =
      SERVES.withProcess(ServerProcess.DEAD).withAnswers(false).withExported(false);

  /** A case and its expected result. */
  record Case(
      String name,
      ShareManagerStatus status,
      Optional<ShareObservation> seen,
      boolean attached,
      Action action,
      InstanceState state,
      String reason) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static ShareManagerStatus in(InstanceState state) {
    return ShareManagerStatus.EMPTY
        .withState(state)
        .withNodeID("n1")
        .withEndpoint(state == RUNNING ? HERE : "")
        .withLastEndpoint(state == RUNNING ? HERE : "")
        .withSize(new Quantity(1))
        .withEpoch(new ShareEpoch(3, "n1", Optional.of(NOW), Optional.empty()));
  }

  private static ShareManagerStatus restarted(int times, long secondsAgo) {
    return in(RUNNING)
        .withRestarts(times)
        .withRestartsSince(Optional.of(NOW.minusSeconds(secondsAgo)));
  }

  private static ShareManagerStatus suspected(InstanceState state, long secondsAgo) {
    return in(state)
        .withEpoch(in(state).epoch().withSuspectedSince(Optional.of(NOW.minusSeconds(secondsAgo))));
  }

  private static Case row(
      String name,
      ShareManagerStatus status,
      ShareObservation seen,
      Action action,
      InstanceState state,
      String reason) {
    return new Case(name, status, Optional.of(seen), true, action, state, reason);
  }

  private static Case away(
      String name, ShareManagerStatus status, Action action, InstanceState state, String reason) {
    return new Case(name, status, Optional.empty(), false, action, state, reason);
  }

  static Stream<Case> cases() {
    return Stream.of(starting(), dead(), hung(), unwritable(), ending()).flatMap(List::stream);
  }

  private static List<Case> starting() {
    return List.of(
        away("starting without the volume: waits", in(STARTING), Action.NONE, STARTING, ""),
        row(
            "starting with the volume: starts",
            in(STARTING),
            ShareObservation.NOTHING,
            Action.START,
            STARTING,
            "ServerStarting"),
        row(
            "starting, mounted, not exported: continues the start",
            in(STARTING),
            SERVES.withExported(false),
            Action.START,
            STARTING,
            "ServerStarting"),
        row(
            "starting and serving: publishes the endpoint",
            in(STARTING),
            SERVES,
            Action.NONE,
            RUNNING,
            "ShareServing"),
        row(
            "starting before the pause ends: waits",
            in(STARTING).withNextAttemptAt(Optional.of(NOW.plusSeconds(3))),
            ShareObservation.NOTHING,
            Action.NONE,
            STARTING,
            ""),
        row(
            "a pause beyond every pause means that the clock was set back: starts",
            in(STARTING).withNextAttemptAt(Optional.of(NOW.plusSeconds(3000))),
            ShareObservation.NOTHING,
            Action.START,
            STARTING,
            "ServerStarting"),
        row(
            "running and serving: stays",
            in(RUNNING),
            SERVES,
            Action.NONE,
            RUNNING,
            "ShareServing"),
        row(
            "running with other settings: brings them",
            in(RUNNING),
            SERVES.withCurrent(false),
            Action.START,
            RUNNING,
            "ShareServing"),
        row(
            "running on a volume that grew: grows",
            in(RUNNING),
            SERVES.withSize(0),
            Action.GROW,
            RUNNING,
            "ShareServing"),
        row("unknown and serving: runs", in(UNKNOWN), SERVES, Action.NONE, RUNNING, "ShareServing"),
        row(
            "unknown and not serving: starts next",
            in(UNKNOWN),
            DEAD,
            Action.NONE,
            STARTING,
            "ServerStarting"));
  }

  private static List<Case> dead() {
    return List.of(
        row(
            "running and dead: restarts in place at once",
            in(RUNNING),
            DEAD,
            Action.START,
            STARTING,
            "ServerDead"),
        row(
            "dead again: restarts after a pause",
            restarted(1, 10),
            DEAD,
            Action.NONE,
            STARTING,
            "ServerDead"),
        row(
            "dead for the fourth time in 60 s: error",
            restarted(3, 50),
            DEAD,
            Action.NONE,
            ERROR,
            "ServerDead"),
        row(
            "dead again after more than 60 s: counts again",
            restarted(3, 61),
            DEAD,
            Action.START,
            STARTING,
            "ServerDead"),
        row(
            "running without its export: makes it again",
            in(RUNNING),
            SERVES.withExported(false),
            Action.START,
            STARTING,
            "ServerDead"),
        row(
            "running without its device: connects it again",
            in(RUNNING),
            SERVES.withDevice(false),
            Action.START,
            STARTING,
            "ServerDead"));
  }

  private static List<Case> hung() {
    return List.of(
        row(
            "a killed server that the kernel holds: error",
            in(RUNNING),
            DEAD.withProcess(ServerProcess.ZOMBIE),
            Action.NONE,
            ERROR,
            "ServerHung"),
        row(
            "no answer once: suspected",
            in(RUNNING),
            SERVES.withAnswers(false),
            Action.NONE,
            RUNNING,
            ""),
        row(
            "no answer for 10 s: restarts in place",
            suspected(RUNNING, 11),
            SERVES.withAnswers(false),
            Action.START,
            STARTING,
            "ServerHung"),
        row(
            "starting without an answer: continues the start",
            in(STARTING),
            SERVES.withAnswers(false),
            Action.START,
            STARTING,
            "ServerStarting"),
        row(
            "a write that hangs for 10 s: error",
            suspected(RUNNING, 11),
            SERVES.withProbe(WriteProbe.TIMED_OUT),
            Action.NONE,
            ERROR,
            "ServerHung"),
        row(
            "an answer ends the suspicion",
            suspected(RUNNING, 5),
            SERVES,
            Action.NONE,
            RUNNING,
            "ShareServing"),
        away("volume away once: suspected", in(RUNNING), Action.NONE, RUNNING, ""),
        away(
            "volume away for 11 s: waits for the engine",
            suspected(RUNNING, 11),
            Action.NONE,
            RUNNING,
            ""),
        away(
            "volume away for 30 s: error",
            suspected(RUNNING, 31),
            Action.NONE,
            ERROR,
            "VolumeLost"));
  }

  private static List<Case> unwritable() {
    return List.of(
        row(
            "writes fail: repairs once",
            in(RUNNING),
            SERVES.withProbe(WriteProbe.FAILED),
            Action.REPAIR,
            STARTING,
            "WriteProbeFailed"),
        row(
            "writes fail after the repair: error (H 36)",
            in(RUNNING).withRepairedAt(Optional.of(NOW.minusSeconds(600))),
            SERVES.withProbe(WriteProbe.FAILED),
            Action.NONE,
            ERROR,
            "WriteProbeFailed"),
        row(
            "a full filesystem serves",
            in(RUNNING),
            SERVES.withProbe(WriteProbe.FULL),
            Action.NONE,
            RUNNING,
            "ShareServing"));
  }

  private static List<Case> ending() {
    return List.of(
        away("stopping: stops", in(STOPPING), Action.STOP, STOPPING, ""),
        away("error: removes the server", in(ERROR), Action.EXPEL, ERROR, ""),
        away("stopped: nothing", in(STOPPED), Action.NONE, STOPPED, ""));
  }

  private static ServerDecision decide(
      ShareManagerStatus status, Optional<ShareObservation> seen, boolean attached) {
    return ServerStep.next(
        status,
        new ServerFacts(
            ShareManagerSpec.EMPTY, 1, 1, attached, seen, NOW, NOW.minus(Duration.ofHours(1))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void decides(Case row) {
    ServerDecision decision = decide(row.status(), row.seen(), row.attached());

    assertThat(decision.action()).isEqualTo(row.action());
    assertThat(decision.status().state()).isEqualTo(row.state());
    assertThat(ShareEvents.reason(decision.status())).isEqualTo(row.reason());
    assertThat(decision.status().endpoint().isEmpty())
        .isEqualTo(decision.status().state() != RUNNING);
  }

  @Test
  void hangRightAfterStartOfContainerFailsShareLaterThanAnyOther() {
    Optional<ShareObservation> hangs = Optional.of(SERVES.withProbe(WriteProbe.TIMED_OUT));
    Duration began = Duration.ofSeconds(25);

    assertThat(decide(suspected(RUNNING, 20), hangs, began).state()).isEqualTo(RUNNING);
    assertThat(decide(suspected(RUNNING, 30), hangs, began).state()).isEqualTo(ERROR);
    assertThat(decide(suspected(RUNNING, 20), hangs, ServerStep.AWAY).state()).isEqualTo(ERROR);
  }

  private static ShareManagerStatus decide(
      ShareManagerStatus status, Optional<ShareObservation> seen, Duration began) {
    return ServerStep.next(
            status,
            new ServerFacts(ShareManagerSpec.EMPTY, 1, 1, true, seen, NOW, NOW.minus(began)))
        .status();
  }

  @Test
  void restartsAreCountedBeforeTheyAreMade() {
    ServerDecision first = decide(in(RUNNING), Optional.of(DEAD), true);
    ServerDecision second = decide(first.status().withState(RUNNING), Optional.of(DEAD), true);

    assertThat(first.status().restarts()).isEqualTo(1);
    assertThat(second.status().restarts()).isEqualTo(2);
    assertThat(second.status().nextAttemptAt()).contains(NOW.plusSeconds(1));
  }

  @Test
  void startThatFailsFourTimesIsAnError() {
    ShareManagerStatus status = in(STARTING);
    for (int i = 0; i < 3; i++) {
      status = ServerStep.afterFailure(status, Action.START, "port in use", NOW);
      assertThat(status.state()).isEqualTo(STARTING);
    }
    status = ServerStep.afterFailure(status, Action.START, "port in use", NOW);

    assertThat(status.state()).isEqualTo(ERROR);
    assertThat(status.failedNodes())
        .containsExactly(new FailedShareNode("n1", Optional.of(NOW), 1, "StartFailed"));
  }

  @Test
  void mountsAreMadeAgainOnceAndOnlyAtAnotherEndpoint() {
    ShareManagerStatus elsewhere = in(STARTING).withLastEndpoint("nfs://10.0.0.2:2049/v");
    ShareManagerStatus same = in(STARTING).withLastEndpoint(HERE);

    ShareManagerStatus moved = decide(elsewhere, Optional.of(SERVES), true).status();
    assertThat(moved.remountRequestedAt()).contains(NOW);
    assertThat(decide(same, Optional.of(SERVES), true).status().remountRequestedAt()).isEmpty();
    assertThat(
            decide(moved.withRemountRequestedAt(Optional.empty()), Optional.of(SERVES), true)
                .status()
                .remountRequestedAt())
        .isEmpty();
  }

  @Test
  void growthThatFailsIsAConditionUntilItSucceeds() {
    Optional<ShareObservation> small = Optional.of(SERVES.withSize(0));
    ShareManagerStatus serving = decide(in(RUNNING), small, true).status();
    ShareManagerStatus failed = ServerStep.afterFailure(serving, Action.GROW, "resize2fs: no", NOW);

    assertThat(failed.state()).isEqualTo(RUNNING);
    assertThat(growth(failed).status()).isEqualTo(Condition.Status.FALSE);
    assertThat(growth(failed).message())
        .startsWith("the filesystem has 0 of its volume and could not be grown: resize2fs: no")
        .contains("kubectl patch hfn n1 --type merge");
    assertThat(decide(failed, small, true).action()).as("at once").isEqualTo(Action.NONE);
    ShareManagerStatus later = failed.withNextAttemptAt(Optional.of(NOW.minusSeconds(1)));
    assertThat(decide(later, small, true).action()).as("after the pause").isEqualTo(Action.GROW);
    assertThat(growth(ServerStep.afterSuccess(later, Action.GROW, 1, NOW)).status())
        .isEqualTo(Condition.Status.TRUE);
    assertThat(growth(decide(failed, Optional.of(SERVES), true).status()).status())
        .as("grown when it was mounted")
        .isEqualTo(Condition.Status.TRUE);
    assertThat(serving.conditions()).extracting(Condition::type).containsExactly("Ready");
  }

  private static Condition growth(ShareManagerStatus status) {
    return Condition.find(status.conditions(), ShareManager.GROWTH_CONDITION).orElseThrow();
  }

  @Test
  void releaseClearsTheNode() {
    ShareManagerStatus stopped = ServerStep.afterSuccess(in(STOPPING), Action.STOP, 1, NOW);
    ShareManagerStatus expelled = ServerStep.afterSuccess(in(ERROR), Action.EXPEL, 1, NOW);

    assertThat(stopped.state()).isEqualTo(STOPPED);
    assertThat(stopped.nodeID()).isEmpty();
    assertThat(expelled.state()).isEqualTo(ERROR);
    assertThat(expelled.nodeID()).isEmpty();
  }
}
