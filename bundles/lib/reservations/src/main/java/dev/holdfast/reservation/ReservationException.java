package dev.holdfast.reservation;

import java.util.Objects;

/** A request about reservations is refused; nothing has changed. */
public final class ReservationException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** The key is wrong, or another participant holds the reservation. */
    CONFLICT,
    /** The reservation to be released is of another type. */
    WRONG_TYPE,
    /** The request names a key that it must not. */
    INVALID_KEY
  }

  private final Reason reason;

  ReservationException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Returns why, never null. */
  public Reason reason() {
    return reason;
  }
}
