package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the health checks of one process, one at a time, and counts failures. A hanging check
 * occupies a thread of the executor; a second check is not started concurrently. Thread-safe.
 */
final class HealthWatch {
  private static final Logger LOG = LoggerFactory.getLogger(HealthWatch.class);

  private final HealthProbe probe;
  private final Clock clock;
  private final Executor executor;

  private Instant patientUntil = Instant.MIN;
  private Instant nextCheck = Instant.MIN;
  private Optional<Instant> checkingSince = Optional.empty();
  private long run;
  private boolean ready;
  private int failures;
  private String detail = "";

  HealthWatch(HealthProbe probe, Clock clock, Executor executor) {
    this.probe = probe;
    this.clock = clock;
    this.executor = executor;
  }

  /**
   * Result of the checks of the present process.
   *
   * @param isReady whether a check of this run succeeded
   * @param isFatal whether checks failed so often that the process must be restarted
   * @param detail cause of the last check's failure; empty if it succeeded
   */
  record Verdict(boolean isReady, boolean isFatal, String detail) {}

  /** Discards the results for an earlier process. */
  synchronized void begin(Instant startedAt) {
    run++;
    patientUntil = startedAt.plus(probe.startPatience());
    nextCheck = clock.instant();
    checkingSince = Optional.empty();
    ready = false;
    failures = 0;
    detail = "";
  }

  /** Starts a check if one is due, and returns the present result. */
  synchronized Verdict poll() {
    Instant now = clock.instant();
    if (checkingSince.isPresent()) {
      Duration taken = Duration.between(checkingSince.get(), now);
      if (taken.compareTo(probe.timeout()) >= 0) {
        checkingSince = Optional.of(now); // counts one failure for each elapsed timeout
        count("a check has not returned after " + probe.timeout().toMillis() + " ms", now);
      }
    } else if (!now.isBefore(nextCheck)) {
      checkingSince = Optional.of(now);
      long asked = run;
      executor.execute(() -> check(asked));
    }
    return new Verdict(ready, failures >= probe.failures(), detail);
  }

  private void check(long asked) {
    String problem = "";
    try {
      probe.check().check();
    } catch (StorageException e) {
      problem = String.valueOf(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("a health check failed unexpectedly", e);
      problem = e.toString();
    }
    checked(asked, problem);
  }

  private synchronized void checked(long asked, String problem) {
    if (asked != run) {
      return; // result for an earlier process
    }
    Instant now = clock.instant();
    checkingSince = Optional.empty();
    nextCheck = now.plus(probe.interval());
    if (problem.isEmpty()) {
      ready = true;
      failures = 0;
      detail = "";
    } else {
      count(problem, now);
    }
  }

  /** Counts a failure. The start patience does not apply after the first success. */
  private void count(String problem, Instant now) {
    detail = problem;
    if (ready || !now.isBefore(patientUntil)) {
      failures++;
    }
  }
}
