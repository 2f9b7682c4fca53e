package dev.holdfast.portal.internal.replace;

import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.upgrade.TakeOverFailure;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log of the moves of one frontend's sessions between bundles. Thread-safe. */
public final class ReplacementLog {
  private static final Logger log = LoggerFactory.getLogger(ReplacementLog.class);
  private static final int FAILURES = 32;
  private static final int PAUSES = 1024;

  private final String frontend;
  private final Clock clock;
  private final ArrayDeque<TakeOverFailure> failures = new ArrayDeque<>();
  private final List<Duration> pauses = new ArrayList<>();
  private FrontendRank takingOver;
  private int told;

  public ReplacementLog(String frontend, Clock clock) {
    this.frontend = frontend;
    this.clock = clock;
  }

  /** Records that a session was resumed in another bundle, after a pause. */
  synchronized void moved(FrontendRank to, Duration pause) {
    if (!to.equals(takingOver)) {
      takingOver = to;
      pauses.clear();
      told = 0;
    }
    if (pauses.size() < PAUSES) {
      pauses.add(pause);
    }
  }

  /** Records that a bundle could not resume a session, or could not park it. */
  synchronized void failed(FrontendRank bundle, String subject, String reason) {
    if (failures.size() == FAILURES) {
      failures.removeFirst();
    }
    failures.addLast(new TakeOverFailure(clock.instant(), bundle.bundle(), subject, reason));
    log.error("frontend {}: {} did not take over {}: {}", frontend, bundle, subject, reason);
  }

  /** Logs how many sessions moved since the last line. */
  synchronized void tell() {
    if (pauses.size() > told) {
      log.info(
          "frontend {}: {} sessions resumed in {}; the longest pause was {} ms",
          frontend,
          pauses.size() - told,
          takingOver,
          Collections.max(pauses).toMillis());
      told = pauses.size();
    }
  }

  public synchronized List<TakeOverFailure> failures() {
    return List.copyOf(failures);
  }

  /** Returns the pauses of the last take-over. */
  public synchronized List<Duration> pauses() {
    return List.copyOf(pauses);
  }
}
