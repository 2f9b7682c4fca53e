package dev.holdfast.frontend.nvmeof.internal.auth;

/**
 * Reports a failed transaction; the host receives the number of the reason (Base 2.0, 8.13.5,
 * AUTH_Failure1).
 */
final class AuthenticationException extends Exception {
  static final int FAILED = 0x01;
  static final int PROTOCOL_UNUSABLE = 0x02;
  static final int SECURE_CHANNEL_MISMATCH = 0x03;
  static final int HASH_UNUSABLE = 0x04;
  static final int GROUP_UNUSABLE = 0x05;
  static final int INCORRECT_PAYLOAD = 0x06;
  static final int INCORRECT_MESSAGE = 0x07;

  private static final long serialVersionUID = 1L;

  private final int reason;

  AuthenticationException(int reason, String message) {
    super(message);
    this.reason = reason;
  }

  int reason() {
    return reason;
  }
}
