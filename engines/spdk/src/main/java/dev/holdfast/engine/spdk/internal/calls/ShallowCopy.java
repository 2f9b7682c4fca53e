package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** A copy of the clusters that a snapshot itself has allocated. For one thread. */
public final class ShallowCopy {
  private static final long MIB = 1 << 20;

  private final TargetCalls target;
  private final String what;
  private final long operation;
  private long copied;

  private ShallowCopy(TargetCalls target, String what, long operation) {
    this.target = target;
    this.what = what;
    this.operation = operation;
  }

  /**
   * Starts a copy.
   *
   * @param snapshot with its store
   * @param device at least as large as the snapshot
   */
  static ShallowCopy start(TargetCalls target, String snapshot, String device)
      throws StorageException {
    JsonNode started =
        target.call(
            "bdev_lvol_start_shallow_copy",
            SpdkTarget.params().put("src_lvol_name", snapshot).put("dst_bdev_name", device));
    return new ShallowCopy(
        target, "copy of " + snapshot + " to " + device, started.path("operation_id").longValue());
  }

  /**
   * Returns whether it has ended. The target tells the end once, so this is not called again.
   *
   * @throws StorageException IO when it failed
   */
  public boolean isOver() throws StorageException {
    JsonNode state =
        target.call(
            "bdev_lvol_check_shallow_copy", SpdkTarget.params().put("operation_id", operation));
    copied = state.path("copied_clusters").longValue() * MIB;
    return switch (state.path("state").asText()) {
      case "in progress" -> false;
      case "complete" -> true;
      default ->
          throw new StorageException(ErrorCode.IO, what + ": " + state.path("error").asText());
    };
  }

  /** Returns the bytes that were copied when {@link #isOver} was called last. */
  public long copiedBytes() {
    return copied;
  }
}
