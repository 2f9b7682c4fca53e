package dev.holdfast.sharing.internal;

import static dev.holdfast.resource.volume.InstanceState.RUNNING;
import static dev.holdfast.resource.volume.InstanceState.STARTING;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.share.WriteProbe;
import dev.holdfast.sharing.internal.ServerDecision.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides the next action of a share's node from the recorded status and the observation of its
 * server. A pure function. The status is recorded before the action, so that the next start counts
 * the same restarts and repairs a filesystem once.
 *
 * <p>A dead process is restarted in place: at once, then after 1 s and 5 s; the fourth time within
 * 60 s the share fails on this node. A server or a filesystem that hangs for 10 s, and a filesystem
 * that refuses writes after its repair, fail the share at once. The controller then chooses another
 * node ({@link ShareStep}). After a start of the container the status says that the volume is
 * attached before its engine has opened it, so writes may hang for {@link #AWAY} then.
 */
final class ServerStep {
  /** Restarts in place within {@link #WINDOW}. */
  static final int MOST_RESTARTS = 3;

  /** Time within which restarts are counted. */
  static final Duration WINDOW = Duration.ofSeconds(60);

  /** Time for which a server or its filesystem may hang. */
  static final Duration SUSPICION = Duration.ofSeconds(10);

  /**
   * Time within which an engine may open the volume again, for example after a restart of the
   * container.
   */
  static final Duration AWAY = Duration.ofSeconds(30);

  private static final List<Duration> PAUSES =
      List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5));

  private ServerStep() {}

  static ServerDecision next(ShareManagerStatus status, ServerFacts facts) {
    return switch (status.state()) {
      case STOPPED -> ServerDecision.nothing(status);
      case STARTING -> starting(status, facts);
      case RUNNING -> running(status, facts);
      case UNKNOWN -> unknown(status, facts);
      case STOPPING -> new ServerDecision(Action.STOP, status);
      case ERROR -> new ServerDecision(Action.EXPEL, status);
    };
  }

  private static ServerDecision starting(ShareManagerStatus status, ServerFacts facts) {
    if (!facts.attached()) {
      return ServerDecision.nothing(status);
    }
    if (facts.serves()) {
      return running(served(status, facts), facts);
    }
    ShareObservation seen = facts.observation().orElse(ShareObservation.NOTHING);
    return trouble(status, seen, facts).orElseGet(() -> attempt(status, seen, facts));
  }

  private static ServerDecision attempt(
      ShareManagerStatus status, ShareObservation seen, ServerFacts facts) {
    if (waits(status.nextAttemptAt(), facts.now())) {
      return ServerDecision.nothing(status);
    }
    if (seen.process() == ServerProcess.DEAD && status.restarts() > 0) {
      return restart(
          status, ShareReasons.SERVER_DEAD, "the server ended: " + seen.message(), facts);
    }
    return new ServerDecision(
        Action.START,
        ShareStatuses.because(status, ShareReasons.STARTING, "starting the server", facts.now()));
  }

  private static ServerDecision running(ShareManagerStatus status, ServerFacts facts) {
    if (!facts.attached()) {
      String message = "the volume is not attached to this node";
      return suspected(
          status, AWAY, facts, () -> failed(status, ShareReasons.VOLUME_LOST, message, facts));
    }
    if (!facts.serves()) {
      ShareObservation seen = facts.observation().orElse(ShareObservation.NOTHING);
      return trouble(status, seen, facts)
          .orElseGet(
              () ->
                  restart(
                      status,
                      ShareReasons.SERVER_DEAD,
                      "the server does not serve: " + describe(seen),
                      facts));
    }
    ShareManagerStatus fresh = served(status, facts);
    if (!facts.observation().get().current()) {
      return new ServerDecision(Action.START, fresh);
    }
    ShareManagerStatus settled = fresh.withObservedGeneration(facts.generation());
    return ShareGrowth.isNeeded(settled, facts)
        ? new ServerDecision(Action.GROW, settled)
        : ServerDecision.nothing(ShareGrowth.settled(settled, facts));
  }

  /** Returns the decision for a trouble that a restart in place does not correct. */
  private static Optional<ServerDecision> trouble(
      ShareManagerStatus status, ShareObservation seen, ServerFacts facts) {
    if (seen.process() == ServerProcess.ZOMBIE) {
      return Optional.of(
          failed(
              status,
              ShareReasons.SERVER_HUNG,
              "the kernel holds the killed server, because the device does not answer",
              facts));
    }
    if (seen.probe() == WriteProbe.FAILED) {
      return Optional.of(unwritable(status, seen, facts));
    }
    if (seen.probe() == WriteProbe.TIMED_OUT) {
      String message = "a write to the filesystem did not end";
      return Optional.of(
          suspected(
              status,
              facts.began(AWAY) ? AWAY : SUSPICION,
              facts,
              () -> failed(status, ShareReasons.SERVER_HUNG, message, facts)));
    }
    boolean silent = seen.process() == ServerProcess.RUNNING && !seen.answers();
    return silent && status.state() == RUNNING
        ? Optional.of(
            suspected(
                status,
                SUSPICION,
                facts,
                () ->
                    restart(status, ShareReasons.SERVER_HUNG, "the server does not answer", facts)))
        : Optional.empty();
  }

  private static ServerDecision unwritable(
      ShareManagerStatus status, ShareObservation seen, ServerFacts facts) {
    if (status.repairedAt().isPresent()) {
      return failed(
          status,
          ShareReasons.WRITE_FAILED,
          "writes fail after a repair: " + seen.message(),
          facts);
    }
    return new ServerDecision(
        Action.REPAIR,
        ShareStatuses.because(
            status.withState(STARTING).withEndpoint("").withRepairedAt(Optional.of(facts.now())),
            ShareReasons.WRITE_FAILED,
            "repairing the filesystem: " + seen.message(),
            facts.now()));
  }

  /**
   * Records the time of the first suspicion, so that a restart of this process does not restart the
   * period.
   */
  private static ServerDecision suspected(
      ShareManagerStatus status,
      Duration limit,
      ServerFacts facts,
      Supplier<ServerDecision> confirmed) {
    Optional<Duration> since =
        status
            .epoch()
            .suspectedSince()
            .map(at -> Duration.between(at, facts.now()))
            .filter(passed -> !passed.isNegative());
    if (since.isEmpty()) {
      return ServerDecision.nothing(
          status.withEpoch(status.epoch().withSuspectedSince(Optional.of(facts.now()))));
    }
    return since.get().compareTo(limit) < 0 ? ServerDecision.nothing(status) : confirmed.get();
  }

  private static ServerDecision unknown(ShareManagerStatus status, ServerFacts facts) {
    if (facts.attached() && facts.serves()) {
      return running(served(status, facts), facts);
    }
    return ServerDecision.nothing(
        ShareStatuses.because(
            status.withState(STARTING).withEndpoint(""),
            ShareReasons.STARTING,
            "found without a server that serves",
            facts.now()));
  }

  /** Counts a restart before it is executed. */
  private static ServerDecision restart(
      ShareManagerStatus status, String reason, String message, ServerFacts facts) {
    ShareManagerStatus counted = counted(status, facts.now());
    if (counted.restarts() > MOST_RESTARTS) {
      return failed(status, reason, message, facts);
    }
    ShareManagerStatus recorded =
        ShareStatuses.because(
            counted
                .withState(STARTING)
                .withEndpoint("")
                .withEpoch(counted.epoch().withSuspectedSince(Optional.empty())),
            reason,
            message + ": restart " + counted.restarts() + " of " + MOST_RESTARTS,
            facts.now());
    return waits(recorded.nextAttemptAt(), facts.now())
        ? ServerDecision.nothing(recorded)
        : new ServerDecision(Action.START, recorded);
  }

  private static ShareManagerStatus counted(ShareManagerStatus status, Instant now) {
    boolean same =
        status
            .restartsSince()
            .filter(since -> !since.isAfter(now))
            .filter(since -> Duration.between(since, now).compareTo(WINDOW) < 0)
            .isPresent();
    int count = same ? status.restarts() + 1 : 1;
    Duration pause = PAUSES.get(Math.min(count, PAUSES.size()) - 1);
    return status
        .withRestarts(count)
        .withRestartsSince(same ? status.restartsSince() : Optional.of(now))
        .withNextAttemptAt(pause.isZero() ? Optional.empty() : Optional.of(now.plus(pause)));
  }

  /**
   * Returns whether a pause still lasts. A time further away than any pause means that the clock
   * was set back.
   */
  private static boolean waits(Optional<Instant> until, Instant now) {
    Duration longest = PAUSES.get(PAUSES.size() - 1);
    return until
        .filter(at -> at.isAfter(now) && Duration.between(now, at).compareTo(longest) <= 0)
        .isPresent();
  }

  /** Returns the status after a failed action. */
  static ShareManagerStatus afterFailure(
      ShareManagerStatus status, Action action, String cause, Instant now) {
    return switch (action) {
      case START, REPAIR -> {
        ShareManagerStatus counted = counted(status, now);
        yield counted.restarts() > MOST_RESTARTS
            ? ShareStatuses.failed(status, ShareReasons.START_FAILED, cause, now)
            : ShareStatuses.because(
                counted.withState(STARTING).withEndpoint(""),
                ShareReasons.START_FAILED,
                cause,
                now);
      }
      case STOP, EXPEL -> ShareStatuses.because(status, ShareReasons.STOPPING, cause, now);
      case GROW -> ShareGrowth.failed(status, cause, now);
      case NONE -> status;
    };
  }

  /** Returns the status after a successful action. */
  static ShareManagerStatus afterSuccess(
      ShareManagerStatus status, Action action, long size, Instant now) {
    return switch (action) {
      case NONE, START, REPAIR -> status;
      case GROW -> ShareGrowth.grown(status, size, now);
      case STOP -> ShareStatuses.stopped(status, now);
      case EXPEL -> status.withNodeID("");
    };
  }

  /** Publishes the endpoint, if the export exists. */
  private static ShareManagerStatus served(ShareManagerStatus status, ServerFacts facts) {
    ShareObservation seen = facts.observation().orElseThrow();
    boolean begins = status.state() != RUNNING;
    boolean elsewhere =
        begins
            && !status.lastEndpoint().isEmpty()
            && !status.lastEndpoint().equals(seen.endpoint());
    List<String> clients =
        seen.clients().stream().sorted().limit(ShareManagerStatus.MOST_CLIENTS).toList();
    ShareManagerStatus next =
        status
            .withState(InstanceState.RUNNING)
            .withEndpoint(seen.endpoint())
            .withLastEndpoint(seen.endpoint())
            .withServerVersion(seen.serverVersion())
            .withClients(clients)
            .withInGrace(seen.inGrace())
            .withSize(new Quantity(seen.size()))
            .withNextAttemptAt(begins ? Optional.empty() : status.nextAttemptAt())
            .withFailedNodes(List.of())
            .withEpoch(status.epoch().withSuspectedSince(Optional.empty()))
            .withRemountRequestedAt(
                elsewhere ? Optional.of(facts.now()) : status.remountRequestedAt());
    String message = seen.probe() == WriteProbe.FULL ? "the filesystem is full" : "";
    return ShareStatuses.because(next, ShareReasons.SERVING, message, facts.now());
  }

  private static ServerDecision failed(
      ShareManagerStatus status, String reason, String message, ServerFacts facts) {
    return ServerDecision.nothing(ShareStatuses.failed(status, reason, message, facts.now()));
  }

  private static String describe(ShareObservation seen) {
    String parts =
        "process "
            + seen.process().name().toLowerCase(java.util.Locale.ROOT)
            + (seen.device() ? "" : ", no device")
            + (seen.mounted() ? "" : ", not mounted")
            + (seen.exported() ? "" : ", not exported");
    return seen.message().isEmpty() ? parts : parts + ": " + seen.message();
  }
}
