package dev.holdfast.engine.example.outside.internal.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * Limits of an export as those of a throttle group. All values are named each time, because the
 * group keeps those that are not.
 */
public final class Throttle {
  private static final long LARGEST = 1_000_000_000_000_000L;

  private Throttle() {}

  /**
   * Checks that a throttle group can keep limits.
   *
   * @throws StorageException UNSUPPORTED naming the limit that it cannot keep
   */
  public static void require(String export, ExportLimits limits) throws StorageException {
    requireOne(export, "requests", limits.requests(), limits.reads(), limits.writes());
    requireOne(export, "bytes", limits.bytes(), limits.bytesRead(), limits.bytesWritten());
    long largest =
        Math.max(
            Math.max(limits.requests(), limits.bytes()),
            Math.max(
                Math.max(limits.reads(), limits.bytesRead()),
                Math.max(limits.writes(), limits.bytesWritten())));
    if (largest > LARGEST / limits.burstSeconds()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "export "
              + export
              + ": a limit times burstSeconds is "
              + largest
              + " times "
              + limits.burstSeconds()
              + ", at most "
              + LARGEST
              + " is possible: lower it");
    }
  }

  private static void requireOne(String export, String name, long both, long read, long written)
      throws StorageException {
    if (both > 0 && (read > 0 || written > 0)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "export "
              + export
              + ": a limit of "
              + name
              + " of both directions cannot be kept beside one of reads or writes: remove one");
    }
  }

  /** Returns the value of the group's property. */
  static ObjectNode limits(ExportLimits limits) {
    ObjectNode value = Qmp.arguments();
    int burst = limits.burstSeconds();
    add(value, "iops-total", limits.requests(), burst);
    add(value, "bps-total", limits.bytes(), burst);
    add(value, "iops-read", limits.reads(), burst);
    add(value, "bps-read", limits.bytesRead(), burst);
    add(value, "iops-write", limits.writes(), burst);
    add(value, "bps-write", limits.bytesWritten(), burst);
    return value;
  }

  /** Without a burst, the group keeps the allowance of a tenth of a second. */
  private static void add(ObjectNode value, String name, long limit, int burstSeconds) {
    value.put(name, limit);
    value.put(name + "-max", burstSeconds > 1 ? limit * burstSeconds : 0);
    value.put(name + "-max-length", 1);
  }
}
