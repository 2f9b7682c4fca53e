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
 * What an operation left open is ended while the container starts, before the bundles concerned are
 * started: it is all there or not at all.
 *
 * <pre>
 *   RUNNING ────► WENT_BACK             (killed in the middle)
 *   RESTARTING ─► VERIFYING ─► DONE     (the restart was part of it)
 *                     └─► REVERTING ─► WENT_BACK
 * </pre>
 */
final class StartRepair {
  private static final Logger LOG = LoggerFactory.getLogger(StartRepair.class);

  private final BundleContext context;
  private final Replacement replacement;
  private final Journal journal;
  private final Clock clock;

  StartRepair(BundleContext context, Replacement replacement, Journal journal, Clock clock) {
    this.context = context;
    this.replacement = replacement;
    this.journal = journal;
    this.clock = clock;
  }

  /**
   * Puts right what is open.
   *
   * @param sameCache whether the framework still has the bundles of the operation's time
   * @return an operation whose new content is to be watched once all is started
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
      case VERIFYING -> Optional.of(operation);
      case PLANNED, REFUSED, DONE, WENT_BACK, FAILED, ROLLED_BACK, ABANDONED -> Optional.empty();
    };
  }

  private Optional<Operation> back(Operation failed, String reason) throws IOException {
    Operation operation = failed;
    List<Bundle> changed = new ArrayList<>();
    for (int i = operation.steps().size() - 1; i >= 0; i--) {
      Step step = operation.steps().get(i);
      if (!step.hasBegun() || step.way() == Way.NOTHING) {
        continue;
      }
      try {
        replacement.restore(step).ifPresent(changed::add);
        operation = operation.with(i, Step.State.UNDONE);
        journal.record(operation);
      } catch (UpgradeException e) {
        LOG.error("{}: going back failed", step.bundle(), e);
        end(operation, Operation.State.FAILED, reason + "; " + e.getMessage());
        return Optional.empty();
      }
    }
    end(operation, Operation.State.WENT_BACK, reason);
    refresh(changed);
    return Optional.empty();
  }

  private Optional<Operation> forward(Operation wanted) throws IOException {
    Operation operation = wanted;
    List<Bundle> changed = new ArrayList<>();
    for (int i = 0; i < operation.steps().size(); i++) {
      Step step = operation.steps().get(i);
      if (step.way() == Way.NOTHING || step.state() == Step.State.DONE) {
        continue;
      }
      operation = operation.with(i, Step.State.RUNNING);
      journal.record(operation);
      try {
        if (step.way() == Way.REMOVE) {
          replacement.apply(step);
        } else {
          changed.add(replacement.put(step, Path.of(step.jar())));
        }
      } catch (UpgradeException e) {
        LOG.warn("{} {}: {}; going back", step.bundle(), step.version(), e.getMessage(), e);
        return back(operation, e.getMessage());
      }
      operation = operation.with(i, Step.State.DONE);
      journal.record(operation);
    }
    operation = operation.in(Operation.State.VERIFYING);
    journal.record(operation);
    refresh(changed);
    return Optional.of(operation);
  }

  /** Without waiting: this bundle may be among those that are wired anew. */
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
