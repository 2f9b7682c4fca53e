package dev.holdfast.engine.spdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A lab that ends its engine or target at a chosen effect: a call that changes the target, or a
 * write of a record. The end before an effect is also the end after the previous effect.
 */
class SpdkCrashLab extends SpdkLab {
  /** The end of the process. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  private static final int NEVER = Integer.MAX_VALUE;

  private int left = NEVER;
  private boolean crashed;
  private SpdkCrashEnd end = SpdkCrashEnd.ENGINE;
  private Predicate<String> omitted = effect -> false;

  /** Ends processes before a future effect. The next effect has the number 0. */
  final synchronized void crashBefore(int effect, SpdkCrashEnd of) {
    left = effect;
    end = of;
  }

  /** Plants a fault: these effects are omitted, but the engine receives a success. */
  final void omit(Predicate<String> effects) {
    omitted = effects;
  }

  /** Permits the next engine to run. Returns whether a process has ended. */
  final synchronized boolean restart() {
    boolean ended = crashed;
    crashed = false;
    left = NEVER;
    return ended;
  }

  final void restartTarget() throws IOException {
    killTarget();
    startTarget();
  }

  /** Counts an effect. Returns whether the effect is applied. */
  private synchronized boolean effect(String name) {
    boolean last = left-- == 0;
    if (end == SpdkCrashEnd.TARGET && last) {
      crashed = true;
      try {
        restartTarget();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else if (end != SpdkCrashEnd.TARGET && (crashed || last)) {
      crashed = true;
      throw new Crash();
    }
    return !omitted.test(name);
  }

  private static boolean isEffect(String method) {
    return !method.contains("_get_") && !method.equals("bdev_wait_for_examine");
  }

  @Override
  SpdkTarget target() {
    return new SpdkTarget(socket()) {
      @Override
      public JsonNode call(String method, ObjectNode params, Duration patience)
          throws StorageException {
        if (isEffect(method) && !effect(method + " " + params)) {
          return params;
        }
        return super.call(method, params, patience);
      }
    };
  }

  @Override
  Connector connector() {
    Connector tcp = super.connector();
    return (address, nqn, host) -> {
      BlockDevice device = tcp.connect(address, nqn, host);
      return nqn.endsWith("-meta") ? new CrashingRecord(device) : device;
    };
  }

  /** The volume of a record. */
  private final class CrashingRecord extends ForwardingBlockDevice {
    CrashingRecord(BlockDevice below) {
      super(below);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      if (effect("record")) {
        super.write(offset, source, flags, completion);
      } else {
        completion.completed(null);
      }
    }
  }

  /** Returns the objects of the target, without disks. */
  final List<String> leftovers() throws StorageException {
    List<String> all = new ArrayList<>();
    try (SpdkTarget plain = new SpdkTarget(socket())) {
      for (String method : List.of("bdev_lvol_get_lvols", "nvmf_get_subsystems")) {
        for (JsonNode one : plain.call(method, SpdkTarget.params())) {
          if (!one.path("nqn").asText().endsWith("discovery")) {
            all.add(one.path("name").asText() + one.path("nqn").asText());
          }
        }
      }
      plain
          .call("bdev_raid_get_bdevs", SpdkTarget.params().put("category", "all"))
          .forEach(raid -> all.add(raid.path("name").asText()));
    }
    return all;
  }
}
