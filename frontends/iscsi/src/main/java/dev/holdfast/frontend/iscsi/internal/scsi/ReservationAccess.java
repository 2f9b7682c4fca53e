package dev.holdfast.frontend.iscsi.internal.scsi;

/** Demand of a command on reservations (SPC-4, 5.13.3; SBC-3, 4.17). */
enum ReservationAccess {
  /** The command runs for each holder of the logical unit. */
  ALWAYS,
  /** It looks after reservations itself. */
  OWN_RULES,
  /** It needs no persistent reservation, but conflicts with RESERVE of another initiator. */
  UNRESERVED,
  /** It reads the medium. */
  READ,
  /** It changes the medium, or what others see of it. */
  WRITE
}
