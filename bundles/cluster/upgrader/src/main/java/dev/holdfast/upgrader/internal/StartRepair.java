package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends an interrupted operation while the container starts, before the affected bundles are
 * started. The operation is then either applied completely or rolled back.
 *
 * <pre>
 *   RUNNING ────► WENT_BACK             (killed in the middle)
 *   RESTARTING ─► VERIFYING ─► DONE     (the restart was part of it)
 *                     └─► REVERTING ─► WENT_BACK
 * </pre>
 *
 * <p>This bundle itself comes last, after all steps are recorded. Its successor, perhaps of an
 * older release, finds an operation that only has to be observed or ended.
 */
final class StartRepair {
  private static final Logger LOG = LoggerFactory.getLogger(StartRepair.class);

  private final BundleContext context;
  private final StepExecutor replacement;
  private final Journal journal;
  private final Clock clock;
  private final SelfUpdate self;

  StartRepair(BundleContext context, StepExecutor replacement, Journal journal, Clock clock) {
    this.context = context;
    this.replacement = replacement;
    this.journal = journal;
    this.clock = clock;
    this.self = new SelfUpdate(context.getBundle());
  }

  /**
   * Completes or rolls back open operations.
   *
   * @param sameCache whether the framework still has the bundles of the operation's time
   * @return an operation whose new content must be observed after the start
   */
  Optional<Operation> run(boolean sameCache) throws IOException {
    Optional<Operation> open = journal.open();
    if (open.isEmpty()) {
      return Optional.empty();
    }
    Operation operation = open.get();
    if (!sameCache) {
      end(operation, Operation.State.ABANDONED, "the distribution was replaced");
      return Optional.empty();
    }
    return switch (operation.state()) {
      case RUNNING -> back(operation, "the node was stopped in the middle");
      case REVERTING -> back(operation, operation.reason());
      case RESTARTING -> forward(operation);
      case VERIFYING -> selfIsDone(operation) ? Optional.of(operation) : Optional.empty();
      case PLANNED, REFUSED, DONE, WENT_BACK, FAILED, ROLLED_BACK, ABANDONED -> Optional.empty();
    };
  }

  /**
   * Returns whether this bundle was replaced. A kill may have interrupted the process between the
   * record and the replacement.
   */
  private boolean selfIsDone(Operation operation) throws IOException {
    Optional<UpgradeStep> own = own(operation);
    if (own.isEmpty() || self.is(Path.of(own.get().jar()))) {
      return true;
    }
    self.to(Path.of(own.get().jar()), List.of());
    return false;
  }

  private Optional<UpgradeStep> own(Operation operation) {
    return operation.steps().stream().filter(self::isOf).findFirst();
  }

  private Optional<Operation> back(Operation failed, String reason) throws IOException {
    Operation operation = failed;
    List<Bundle> changed = new ArrayList<>();
    for (int i = operation.steps().size() - 1; i >= 0; i--) {
      UpgradeStep step = operation.steps().get(i);
      if (!step.hasBegun() || step.way() == ReplacementStrategy.NOTHING || self.isOf(step)) {
        continue;
      }
      try {
        replacement.restore(step).ifPresent(changed::add);
        operation = operation.with(i, UpgradeStep.State.UNDONE);
        journal.record(operation);
      } catch (UpgradeException e) {
        LOG.error("{}: going back failed", step.bundle(), e);
        end(operation, Operation.State.FAILED, reason + "; " + e.getMessage());
        return Optional.empty();
      }
    }
    Optional<Path> before = ownBefore(operation);
    if (before.isPresent()) {
      operation =
          operation
              .with(
                  operation.steps().indexOf(own(operation).orElseThrow()), UpgradeStep.State.UNDONE)
              .ended(Operation.State.REVERTING, "", reason);
      journal.record(operation);
      self.to(before.get(), changed);
    } else {
      end(operation, Operation.State.WENT_BACK, reason);
      refresh(changed);
    }
    return Optional.empty();
  }

  /** Returns the former content of this bundle; empty if it is already installed. */
  private Optional<Path> ownBefore(Operation operation) throws IOException {
    Optional<UpgradeStep> own =
        own(operation).filter(step -> step.state() != UpgradeStep.State.PLANNED);
    if (own.isEmpty() || self.is(Path.of(own.get().before()))) {
      return Optional.empty();
    }
    return Optional.of(Path.of(own.get().before()));
  }

  private Optional<Operation> forward(Operation wanted) throws IOException {
    Operation operation = wanted;
    List<Bundle> changed = new ArrayList<>();
    for (int i = 0; i < operation.steps().size(); i++) {
      UpgradeStep step = operation.steps().get(i);
      if (step.way() == ReplacementStrategy.NOTHING
          || step.state() == UpgradeStep.State.DONE
          || self.isOf(step)) {
        continue;
      }
      operation = operation.with(i, UpgradeStep.State.RUNNING);
      journal.record(operation);
      try {
        if (step.way() == ReplacementStrategy.REMOVE) {
          replacement.takeAway(step).ifPresent(changed::add);
        } else {
          changed.add(replacement.put(step, Path.of(step.jar())));
        }
      } catch (UpgradeException e) {
        LOG.warn("{} {}: {}; going back", step.bundle(), step.version(), e.getMessage(), e);
        return back(operation, e.getMessage());
      }
      operation = operation.with(i, UpgradeStep.State.DONE);
      journal.record(operation);
    }
    Optional<UpgradeStep> own = own(operation);
    if (own.isPresent()) {
      operation = operation.with(operation.steps().indexOf(own.get()), UpgradeStep.State.DONE);
    }
    operation = operation.in(Operation.State.VERIFYING);
    journal.record(operation);
    Path becomes = own.map(step -> Path.of(step.jar())).orElse(Path.of(""));
    if (own.isPresent() && !self.is(becomes)) {
      self.to(becomes, changed);
      return Optional.empty();
    }
    refresh(changed);
    return Optional.of(operation);
  }

  /** Refreshes without waiting, because this bundle may be among the refreshed ones. */
  private void refresh(List<Bundle> changed) {
    if (!changed.isEmpty()) {
      context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(changed);
    }
  }

  private void end(Operation operation, Operation.State state, String reason) throws IOException {
    LOG.info("upgrade to {}: {}: {}", operation.source(), state, reason);
    journal.record(operation.ended(state, clock.instant().toString(), reason));
  }
}
