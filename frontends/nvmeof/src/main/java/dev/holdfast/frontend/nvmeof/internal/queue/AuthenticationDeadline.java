package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.controller.ControllerQueue;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the connection of a host that must authenticate and does not in time. */
final class AuthenticationDeadline implements Controllers.Watched {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Logger log = LoggerFactory.getLogger(AuthenticationDeadline.class);

  private final ControllerQueue queue;
  private final BooleanSupplier passed;
  private long since;

  /**
   * Starts the time at the first check.
   *
   * @param queue queue of the host
   * @param passed returns whether the host has authenticated; called on any thread
   */
  AuthenticationDeadline(ControllerQueue queue, BooleanSupplier passed) {
    this.queue = queue;
    this.passed = passed;
  }

  @Override
  public boolean tick(long nowNanos) {
    since = since == 0 ? nowNanos : since;
    if (passed.getAsBoolean() || queue.gone()) {
      return false;
    }
    boolean late = nowNanos - since > PATIENCE_NANOS;
    if (late) {
      log.warn("a host did not authenticate within a minute; closing its connection");
      queue.disconnect();
    }
    return !late;
  }
}
