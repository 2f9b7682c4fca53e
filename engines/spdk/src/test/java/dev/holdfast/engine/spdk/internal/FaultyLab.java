package dev.holdfast.engine.spdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A node whose engine has a planted fault. */
final class FaultyLab extends SpdkLab {
  /** Faults of the engine. */
  enum Fault {
    /** A link to a leg fails by itself, so that the mirror drops the leg without a decision. */
    LINK_FAILS,
    /** A fence does not remove the subsystems through which earlier openings reach the replica. */
    FENCE_LEAVES_SUBSYSTEM,
    /** The head of a rebuilt leg is read before it is based on the copied snapshots. */
    PARENT_NOT_SET,
    /** Hosts are not drained before a snapshot, so they write between the snapshots of the legs. */
    NO_DRAIN
  }

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
  private static final int WRITES = 20;

  private final Fault fault;

  FaultyLab(Fault fault, Fabric fabric, String node, LegNodes nodes) {
    super(fabric, node, nodes);
    this.fault = fault;
  }

  @Override
  SpdkTarget target() {
    return new SpdkTarget(socket()) {
      @Override
      public JsonNode call(String method, ObjectNode params, Duration patience)
          throws StorageException {
        if (fault == Fault.LINK_FAILS && method.equals("bdev_nvme_attach_controller")) {
          params.put("ctrlr_loss_timeout_sec", 0).put("reconnect_delay_sec", 0);
        }
        boolean omitted =
            switch (fault) {
              case LINK_FAILS -> false;
              case FENCE_LEAVES_SUBSYSTEM ->
                  method.equals("nvmf_delete_subsystem")
                      && params.path("nqn").asText().contains("spdk-leg:");
              case PARENT_NOT_SET -> method.equals("bdev_lvol_set_parent");
              case NO_DRAIN ->
                  method.equals("nvmf_subsystem_set_ns_ana_group")
                      || (method.equals("nvmf_subsystem_listener_set_ana_state")
                          && params.path("ana_state").asText().equals("inaccessible"));
            };
        if (omitted) {
          return params;
        }
        JsonNode answer = super.call(method, params, patience);
        if (fault == Fault.NO_DRAIN && method.equals("bdev_lvol_snapshot")) {
          awaitWrites();
        }
        return answer;
      }

      /** Waits until hosts have written more. Hosts write unless they are held. */
      private void awaitWrites() throws StorageException {
        long end = System.nanoTime() + PATIENCE;
        long before = writes();
        while (writes() < before + WRITES && System.nanoTime() < end) {
          Thread.onSpinWait();
        }
      }

      private long writes() throws StorageException {
        long all = 0;
        for (JsonNode one :
            super.call("bdev_get_iostat", SpdkTarget.params(), Duration.ofSeconds(10))
                .path("bdevs")) {
          all += one.path("num_write_ops").longValue();
        }
        return all;
      }
    };
  }
}
