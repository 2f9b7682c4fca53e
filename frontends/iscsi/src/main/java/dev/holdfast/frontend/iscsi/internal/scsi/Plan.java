package dev.holdfast.frontend.iscsi.internal.scsi;

import java.nio.ByteBuffer;

/**
 * Data that a command needs from its initiator before it can be executed. Derived from the
 * descriptor block alone, so that another bundle derives the same plan.
 *
 * @param kind how data is received
 * @param length bytes that the initiator sends
 * @param offset offset on the device, for data written on arrival
 * @param flags flags for the device, for data written on arrival
 * @param exact whether the initiator must send exactly this length
 * @param action executes the command with gathered data, not null
 */
public record Plan(Kind kind, int length, long offset, int flags, boolean exact, Action action) {

  /** How data is received. */
  public enum Kind {
    /** No data. */
    NOW,
    /** Data is gathered and passed to the action. */
    GATHERED,
    /** Data is written to the device on arrival. */
    WRITTEN
  }

  /** Execution of a command. */
  @FunctionalInterface
  public interface Action {
    /**
     * Executes the command; may wait for the device.
     *
     * @param task not null
     * @param data from its position to its limit, not null
     */
    void run(ScsiTask task, ByteBuffer data) throws CommandException;
  }

  /** Returns the plan of a command to an absent logical unit. */
  public static Plan absent(Action action) {
    return now(action);
  }

  static Plan now(Action action) {
    return new Plan(Kind.NOW, 0, 0, 0, false, action);
  }

  static Plan gathered(int length, Action action) {
    return new Plan(Kind.GATHERED, length, 0, 0, false, action);
  }

  static Plan exactly(int length, Action action) {
    return new Plan(Kind.GATHERED, length, 0, 0, true, action);
  }

  static Plan written(long offset, int length, int flags) {
    return new Plan(Kind.WRITTEN, length, offset, flags, false, (task, data) -> {});
  }
}
