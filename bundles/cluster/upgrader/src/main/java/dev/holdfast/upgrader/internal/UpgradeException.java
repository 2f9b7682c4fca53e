package dev.holdfast.upgrader.internal;

/** A refused replacement; the message names the reason for users. */
final class UpgradeException extends Exception {
  private static final long serialVersionUID = 1;

  UpgradeException(String message) {
    super(message);
  }

  UpgradeException(String message, Throwable cause) {
    super(message, cause);
  }
}
