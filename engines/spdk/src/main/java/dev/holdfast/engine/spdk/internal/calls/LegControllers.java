package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Controllers of other targets that this target has attached, as legs of mirrors. A link never
 * fails by itself: requests wait for a lost peer until it is back or the controller is dropped.
 * Thread-safe.
 */
public final class LegControllers {
  private static final long ATTEMPT_MS = 100;
  private static final int ATTEMPTS = 150;
  private static final int CONNECT_MS = 500;
  private static final int ACK_TIMEOUT = 12; // 2^12 ms

  private final TargetCalls target;

  /** Creates the calls of a target. */
  public LegControllers(TargetCalls target) {
    this.target = target;
  }

  private static ObjectNode named(String name) {
    return SpdkTarget.params().put("name", name);
  }

  /** Returns the attached controllers whose names begin with a text. */
  public List<AttachedLeg> all(String prefix) throws StorageException {
    List<AttachedLeg> found = new ArrayList<>();
    for (JsonNode one : target.call("bdev_nvme_get_controllers", SpdkTarget.params())) {
      JsonNode path = one.path("ctrlrs").path(0);
      if (one.path("name").asText().startsWith(prefix)) {
        found.add(
            new AttachedLeg(
                one.path("name").asText(),
                path.path("trid").path("subnqn").asText(),
                path.path("host").path("nqn").asText(),
                path.path("state").asText()));
      }
    }
    return found;
  }

  /** Returns a controller, empty when there is none of this name. */
  public Optional<AttachedLeg> find(String name) throws StorageException {
    return all(name).stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /**
   * Attaches a controller.
   *
   * @param host NQN by which this target connects
   * @param keys by which the targets know each other
   */
  public void attach(
      String name, String nqn, TargetListener listener, String host, KeyringNames keys)
      throws StorageException {
    setLimitsOfConnecting();
    ObjectNode params = named(name);
    listener.describe(params);
    keys.describe(params);
    target.run(
        "bdev_nvme_attach_controller",
        params
            .put("subnqn", nqn)
            .put("hostnqn", host)
            .put("ctrlr_loss_timeout_sec", -1)
            .put("reconnect_delay_sec", 1)
            .put("fast_io_fail_timeout_sec", 0));
  }

  /**
   * A controller can be dropped only between two attempts to connect, so an attempt must be short.
   * The exchange of keys keeps a core of the target busy, so the group is the smallest one. SPDK
   * takes these options only while no controller is attached.
   */
  private void setLimitsOfConnecting() throws StorageException {
    try {
      ObjectNode options =
          SpdkTarget.params()
              .put("tcp_connect_timeout_ms", CONNECT_MS)
              .put("transport_ack_timeout", ACK_TIMEOUT);
      options.putArray("dhchap_dhgroups").add("ffdhe2048");
      target.run("bdev_nvme_set_options", options);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.BUSY) {
        throw e;
      }
    }
  }

  /**
   * Drops a controller: requests that wait for it end, and mirrors continue without it. Succeeds
   * when there is none. SPDK keeps requests stuck if a lost controller is detached, reset or taken
   * out of its mirror before it is disabled.
   *
   * @throws StorageException BUSY when attempts to connect left no time for it: call it again
   */
  public void drop(String name) throws StorageException {
    if (find(name).isEmpty()) {
      return;
    }
    disable(name);
    ignoreAbsent(() -> target.run("bdev_nvme_detach_controller", named(name)));
  }

  /** SPDK refuses it while it tries to connect. */
  private void disable(String name) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      try {
        ignoreAbsent(() -> target.run("bdev_nvme_disable_controller", named(name)));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.BUSY || attempt == ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ATTEMPT_MS));
      }
    }
  }

  /** A call about a controller. */
  private interface Change {
    void run() throws StorageException;
  }

  private static void ignoreAbsent(Change change) throws StorageException {
    try {
      change.run();
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
