package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every five minutes whether the certificate of a running node ends soon, and renews it then.
 * A failed renewal is tried again at the next look; the log names each failure once.
 */
public final class CertificateRenewal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateRenewal.class);
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final Attempt attempt;
  private final ScheduledThreadPoolExecutor timer;
  private String told = "";

  /** Renews a certificate if it ends soon. Runs on one thread at a time and may block. */
  @FunctionalInterface
  public interface Attempt {
    /**
     * Renews the certificate if it ends soon.
     *
     * @return whether there is a new one
     * @throws StorageException if it ends soon and could not be renewed
     */
    boolean renewIfDue() throws StorageException;
  }

  private CertificateRenewal(Attempt attempt) {
    this.attempt = attempt;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "holdfast-certificate");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Begins with a look at once, on a thread of its own.
   *
   * @param attempt not null
   * @return to be closed, never null
   */
  public static CertificateRenewal start(Attempt attempt) {
    CertificateRenewal renewal = new CertificateRenewal(attempt);
    Future<?> unused =
        renewal.timer.scheduleWithFixedDelay(
            renewal::look, 0, PERIOD.toSeconds(), TimeUnit.SECONDS);
    return renewal;
  }

  private void look() {
    try {
      if (attempt.renewIfDue()) {
        LOG.info("renewed the certificate of this node");
      }
      told = "";
    } catch (StorageException | RuntimeException e) {
      String failure = String.valueOf(e.getMessage());
      if (!told.equals(failure)) {
        told = failure;
        LOG.warn(
            "could not renew the certificate of this node: {}; retrying every {} min",
            failure,
            PERIOD.toMinutes());
      }
    }
  }

  /** Ends it; an attempt that runs is interrupted. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
