package dev.holdfast.reservation;

import java.util.Objects;

/** Rejection of a request about reservations, which has no effect. */
public final class ReservationException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Reasons of a rejection. */
  public enum Reason {
    /** The key is wrong, or another participant holds the reservation. */
    CONFLICT,
    /** The type of the reservation to release differs. */
    WRONG_TYPE,
    /** The request contains a forbidden key. */
    INVALID_KEY
  }

  private final Reason reason;

  ReservationException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Returns the reason, never null. */
  public Reason reason() {
    return reason;
  }
}
