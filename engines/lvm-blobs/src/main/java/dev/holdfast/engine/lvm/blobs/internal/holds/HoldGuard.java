package dev.holdfast.engine.lvm.blobs.internal.holds;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that lets the requests of a device pass when its input ends: when it is told to, and
 * when this process dies. A signal to all processes of the service does not end it earlier. Used by
 * one thread.
 */
public final class HoldGuard {
  private static final Logger LOG = LoggerFactory.getLogger(HoldGuard.class);
  private static final String SCRIPT =
      "trap : HUP INT TERM; cat >/dev/null; exec \"$1\" resume \"$2\"";
  private static final Duration END = Duration.ofSeconds(30);

  private final HostProcess process;
  private final String device;

  private HoldGuard(HostProcess process, String device) {
    this.process = process;
    this.device = device;
  }

  /**
   * Starts to guard a device that is about to be suspended.
   *
   * @param dmsetup path of the program
   * @param device its name
   */
  public static HoldGuard start(Host host, String dmsetup, String device) throws StorageException {
    List<String> command =
        List.of(host.require("sh", "dash"), "-c", SCRIPT, "hold-guard", dmsetup, device);
    return new HoldGuard(host.start(command), device);
  }

  /**
   * Lets the requests pass, and waits until it has done so. What it cannot do is left to the
   * caller, who resumes the device itself then.
   */
  public void release() {
    try {
      process.input().close();
      int code = process.exit().get(END.toMillis(), TimeUnit.MILLISECONDS);
      if (code != 0) {
        LOG.debug("the guard of device {} ended with {}", device, code);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ExecutionException | TimeoutException e) {
      LOG.warn("device {}: its guard did not end: {}", device, e.toString());
    }
  }
}
