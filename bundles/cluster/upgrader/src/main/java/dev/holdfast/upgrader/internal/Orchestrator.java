package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs operations step by step, records each step before and after it, and rolls back at the first
 * failure. One operation at a time, on the caller's thread.
 */
final class Orchestrator {
  private static final Logger LOG = LoggerFactory.getLogger(Orchestrator.class);

  private final Planner planner;
  private final StepExecutor replacement;
  private final UpgradeSources sources;
  private final Journal journal;
  private final Clock clock;
  private final Runnable restart;

  Orchestrator(
      Planner planner,
      StepExecutor replacement,
      UpgradeSources sources,
      Journal journal,
      Clock clock,
      Runnable restart) {
    this.planner = planner;
    this.replacement = replacement;
    this.sources = sources;
    this.journal = journal;
    this.clock = clock;
    this.restart = restart;
  }

  /** Runs a request; the journal records its result. */
  void handle(UpgradeRequest request) throws IOException {
    journal.accept(request.id());
    Operation operation =
        new Operation(
            request.id(), request.source(), Operation.State.PLANNED, now(), "", "", "", List.of());
    try {
      switch (request.action()) {
        case PLAN -> journal.record(planned(operation).ended(Operation.State.PLANNED, now(), ""));
        case APPLY -> run(planned(operation), request.restart());
        case ROLLBACK -> run(rollback(operation), request.restart());
      }
    } catch (UpgradeException | IOException | RuntimeException e) {
      LOG.warn("upgrade to {} refused: {}", request.source(), e.getMessage());
      journal.record(
          operation.ended(Operation.State.REFUSED, now(), String.valueOf(e.getMessage())));
    }
  }

  private Operation planned(Operation operation) throws UpgradeException, IOException {
    List<SourceBundle> wanted = sources.read(operation.source());
    return withSteps(
        operation,
        sources.isRelease(operation.source()) ? planner.planRelease(wanted) : planner.plan(wanted));
  }

  private static Operation withSteps(Operation operation, List<UpgradeStep> steps) {
    return new Operation(
        operation.id(),
        operation.source(),
        operation.state(),
        operation.started(),
        operation.ended(),
        operation.reason(),
        operation.undoes(),
        steps);
  }

  private Operation rollback(Operation operation) throws UpgradeException, IOException {
    Operation last =
        journal
            .lastDone()
            .orElseThrow(() -> new UpgradeException("no completed upgrade is left to roll back"));
    List<SourceBundle> before = new ArrayList<>();
    List<UpgradeStep> removals = new ArrayList<>();
    List<UpgradeStep> reversed = new ArrayList<>(last.steps());
    Collections.reverse(reversed);
    for (UpgradeStep step : reversed) {
      switch (step.way()) {
        case SIDE_BY_SIDE, IN_PLACE, AT_RESTART, REMOVE ->
            before.add(
                new SourceBundle(
                    JarContent.of(Path.of(step.before())), OptionalInt.of(step.level())));
        case INSTALL -> removals.add(removal(step));
        case NOTHING -> {}
      }
    }
    List<UpgradeStep> steps = planner.planWith(before, removals);
    return new Operation(
        operation.id(),
        "rollback of " + last.source(),
        operation.state(),
        operation.started(),
        "",
        "",
        last.id(),
        steps);
  }

  private static UpgradeStep removal(UpgradeStep step) {
    return new UpgradeStep(
        step.bundle(),
        step.kind(),
        ReplacementStrategy.REMOVE,
        "none",
        "",
        "",
        step.jar(),
        step.version(),
        step.level(),
        UpgradeStep.State.PLANNED);
  }

  private void run(Operation operation, boolean mayRestart) throws UpgradeException, IOException {
    List<String> atRestart =
        operation.steps().stream()
            .filter(step -> step.way() == ReplacementStrategy.AT_RESTART)
            .map(UpgradeStep::bundle)
            .toList();
    if (atRestart.isEmpty()) {
      runNow(operation);
      return;
    }
    if (!mayRestart) {
      throw new UpgradeException(
          "the container must be restarted to replace "
              + atRestart.stream().collect(Collectors.joining(", "))
              + ": volumes stall during the restart, see --plan; to do it, add --restart. Nothing was done");
    }
    journal.record(operation.in(Operation.State.RESTARTING));
    LOG.info("restarting the container to replace {}", atRestart);
    restart.run();
  }

  private void runNow(Operation planned) throws IOException {
    Operation operation = planned.in(Operation.State.RUNNING);
    journal.record(operation);
    for (int i = 0; i < operation.steps().size(); i++) {
      UpgradeStep step = operation.steps().get(i);
      operation = operation.with(i, UpgradeStep.State.RUNNING);
      journal.record(operation);
      try {
        replacement.apply(step);
      } catch (UpgradeException | RuntimeException e) {
        if (Thread.currentThread().isInterrupted()) {
          // The container is stopping, and the next start repairs the operation.
          return;
        }
        LOG.warn("{} {}: {}; going back", step.bundle(), step.version(), e.getMessage(), e);
        goBack(operation, String.valueOf(e.getMessage()));
        return;
      }
      operation = operation.with(i, UpgradeStep.State.DONE);
      journal.record(operation);
      LOG.info("{} is now {} (it was {})", step.bundle(), step.version(), step.versionBefore());
    }
    done(operation);
  }

  /** Records the successful end of an operation. */
  void done(Operation operation) throws IOException {
    Optional<Operation> undone =
        journal.operations().stream()
            .filter(one -> one.id().equals(operation.undoes()))
            .findFirst();
    if (undone.isPresent()) {
      journal.record(undone.get().in(Operation.State.ROLLED_BACK));
    }
    journal.record(operation.ended(Operation.State.DONE, now(), ""));
  }

  private void goBack(Operation failed, String reason) throws IOException {
    Operation operation = failed;
    List<String> problems = new ArrayList<>();
    for (int i = operation.steps().size() - 1; i >= 0; i--) {
      UpgradeStep step = operation.steps().get(i);
      if (!step.hasBegun()) {
        continue;
      }
      try {
        replacement.undo(step);
        operation = operation.with(i, UpgradeStep.State.UNDONE);
        journal.record(operation);
      } catch (UpgradeException | RuntimeException e) {
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
        LOG.error("{}: going back failed", step.bundle(), e);
        problems.add(step.bundle() + " did not go back: " + e.getMessage());
      }
    }
    if (problems.isEmpty()) {
      journal.record(operation.ended(Operation.State.WENT_BACK, now(), reason));
    } else {
      journal.record(
          operation.ended(
              Operation.State.FAILED, now(), reason + "; " + String.join("; ", problems)));
    }
  }

  private String now() {
    return clock.instant().toString();
  }
}
