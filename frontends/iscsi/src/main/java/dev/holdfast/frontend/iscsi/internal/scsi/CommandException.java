package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import java.util.Optional;

/** Ends a command with another status than GOOD. */
public final class CommandException extends Exception {
  /** CHECK CONDITION: the sense data contains the reason. */
  public static final int CHECK_CONDITION = 0x02;

  /** Another initiator has reserved the logical unit. */
  public static final int RESERVATION_CONFLICT = 0x18;

  /** The initiator has too many commands in flight. */
  public static final int TASK_SET_FULL = 0x28;

  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient Optional<Sense> sense;

  private CommandException(int status, Optional<Sense> sense) {
    super("status " + status + ", " + sense);
    this.status = status;
    this.sense = sense;
  }

  /** Creates a failure with sense data. */
  public static CommandException of(Sense sense) {
    return new CommandException(CHECK_CONDITION, Optional.of(sense));
  }

  /** Creates a failure for a failed device. */
  static CommandException of(StorageException failure, boolean write) {
    return of(Sense.of(failure.code(), write));
  }

  /** Creates an end with a status that needs no sense data. */
  public static CommandException of(int status) {
    return new CommandException(status, Optional.empty());
  }

  static CommandException conflict() {
    return of(RESERVATION_CONFLICT);
  }

  /** Creates a refusal because the initiator has too many commands in flight. */
  public static CommandException full() {
    return of(TASK_SET_FULL);
  }

  /** Returns the SCSI status. */
  public int status() {
    return status;
  }

  /** Returns whether this is the sense data of the failure. */
  public boolean isFor(Sense reason) {
    return sense.filter(reason::equals).isPresent();
  }

  /** Returns the sense data of a CHECK CONDITION. */
  public Optional<Sense> sense() {
    return sense;
  }
}
