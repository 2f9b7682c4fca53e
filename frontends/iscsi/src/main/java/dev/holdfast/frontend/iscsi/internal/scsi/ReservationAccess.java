package dev.holdfast.frontend.iscsi.internal.scsi;

/** What a command needs of reservations (SPC-4, 5.13.3; SBC-3, 4.17). */
enum ReservationAccess {
  /** It is done whoever holds the logical unit. */
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
