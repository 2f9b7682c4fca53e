package dev.holdfast.frontend.nbd.internal;

/** Reports an option that does not follow the protocol; the message is for the client. */
final class MalformedOptionException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedOptionException(String message) {
    super(message);
  }
}
