package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks repeatedly whether the certificate of a running node ends soon, or its files must follow
 * the cluster's authority, and acts then. A failed attempt is repeated at the next look; the log
 * names each failure once.
 */
public final class CertificateRenewal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateRenewal.class);
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final Attempt attempt;
  private final String work;
  private final Duration period;
  private final ScheduledThreadPoolExecutor timer;
  private String told = "";

  /** Renews a certificate that expires soon. Runs on one thread at a time and may block. */
  @FunctionalInterface
  public interface Attempt {
    /**
     * Renews the certificate if it expires soon.
     *
     * @return whether a new certificate was stored
     * @throws StorageException if it expires soon and could not be renewed
     */
    boolean renewIfDue() throws StorageException;
  }

  private CertificateRenewal(String work, Duration period, Attempt attempt) {
    this.attempt = attempt;
    this.work = work;
    this.period = period;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "holdfast-certificate");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Begins with a look at once, on a thread of its own. Looks every five minutes.
   *
   * @param attempt not null
   * @return the renewal, which the caller closes, never null
   */
  public static CertificateRenewal start(Attempt attempt) {
    return start("renew the certificate of this node", PERIOD, attempt);
  }

  /**
   * Begins with a look at once, on a thread of its own.
   *
   * @param work what an attempt does, for the log, not null
   * @param period time between the end of a look and the next one, at least a second
   * @param attempt not null
   * @return to be closed, never null
   */
  public static CertificateRenewal start(String work, Duration period, Attempt attempt) {
    CertificateRenewal renewal = new CertificateRenewal(work, period, attempt);
    Future<?> unused =
        renewal.timer.scheduleWithFixedDelay(
            renewal::look, 0, period.toSeconds(), TimeUnit.SECONDS);
    return renewal;
  }

  private void look() {
    try {
      if (attempt.renewIfDue()) {
        LOG.info("done: {}", work);
      }
      told = "";
    } catch (StorageException | RuntimeException e) {
      String failure = String.valueOf(e.getMessage());
      if (!told.equals(failure)) {
        told = failure;
        LOG.warn("could not {}: {}; retrying every {} s", work, failure, period.toSeconds());
      }
    }
  }

  /** Ends the checks; interrupts a running attempt. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
