package dev.holdfast.frontend.iscsi.internal.scsi;

import java.nio.ByteBuffer;

/**
 * Data that a command needs of its initiator before it can be done. It follows from the descriptor
 * block alone, so that another bundle makes the same one.
 *
 * @param kind how data is taken
 * @param length bytes that the initiator sends
 * @param offset of the device, for what is written as it comes
 * @param flags for the device, for what is written as it comes
 * @param exact whether the initiator must send just as much
 * @param action what to do, not null; with what was gathered
 */
public record Plan(Kind kind, int length, long offset, int flags, boolean exact, Action action) {

  /** How data is taken. */
  public enum Kind {
    /** None is. */
    NOW,
    /** It is gathered, and given to the action. */
    GATHERED,
    /** It is written to the device as it comes. */
    WRITTEN
  }

  /** Execution of a command. */
  @FunctionalInterface
  public interface Action {
    /**
     * Does it; may wait for the device.
     *
     * @param task not null
     * @param data from its position to its limit, not null
     */
    void run(ScsiTask task, ByteBuffer data) throws CommandException;
  }

  /** A command to a logical unit that is not there. */
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
