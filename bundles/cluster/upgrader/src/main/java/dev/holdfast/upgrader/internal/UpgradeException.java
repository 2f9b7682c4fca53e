package dev.holdfast.upgrader.internal;

/** Something is not replaced, for a reason that a person is told. */
final class UpgradeException extends Exception {
  private static final long serialVersionUID = 1;

  UpgradeException(String message) {
    super(message);
  }

  UpgradeException(String message, Throwable cause) {
    super(message, cause);
  }
}
