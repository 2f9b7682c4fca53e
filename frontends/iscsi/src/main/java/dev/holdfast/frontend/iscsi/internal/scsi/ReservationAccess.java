package dev.holdfast.frontend.iscsi.internal.scsi;

/** Relation of a command to reservations (SPC-4, 5.13.3; SBC-3, 4.17). */
enum ReservationAccess {
  /** The command is always permitted. */
  ALWAYS,
  /** The command checks reservations itself. */
  OWN_RULES,
  /**
   * The command needs no persistent reservation, but conflicts with RESERVE of another initiator.
   */
  UNRESERVED,
  /** The command reads the medium. */
  READ,
  /** The command changes the medium or state that others see. */
  WRITE
}
