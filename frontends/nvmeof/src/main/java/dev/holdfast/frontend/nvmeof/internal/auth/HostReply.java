package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.nio.ByteBuffer;
import java.util.Optional;

/** DH-HMAC-CHAP_Reply. */
final class HostReply {
  private static final int LENGTH_AT = 6;
  private static final int CHALLENGED_AT = 8;
  private static final int PUBLIC_LENGTH_AT = 10;
  private static final int SEQUENCE_AT = 12;
  private static final int VALUES_AT = 16;

  private final byte[] response;
  private final Optional<byte[]> challenge;
  private final int sequence;
  private final byte[] publicValue;

  private HostReply(byte[] response, Optional<byte[]> challenge, int sequence, byte[] publicValue) {
    this.response = response;
    this.challenge = challenge;
    this.sequence = sequence;
    this.publicValue = publicValue;
  }

  static HostReply parse(ByteBuffer message, int hashLength) throws AuthenticationException {
    if (message.limit() < VALUES_AT || Le.u8(message, LENGTH_AT) != hashLength) {
      throw wrong();
    }
    int publicAt = VALUES_AT + 2 * hashLength;
    int publicLength = Le.u16(message, PUBLIC_LENGTH_AT);
    if (message.limit() < publicAt + publicLength) {
      throw wrong();
    }
    Optional<byte[]> challenge =
        Le.u8(message, CHALLENGED_AT) == 1
            ? Optional.of(Le.bytes(message, VALUES_AT + hashLength, hashLength))
            : Optional.empty();
    return new HostReply(
        Le.bytes(message, VALUES_AT, hashLength),
        challenge,
        Le.i32(message, SEQUENCE_AT),
        Le.bytes(message, publicAt, publicLength));
  }

  /** Returns the response to the controller's challenge. */
  byte[] response() {
    return response;
  }

  /**
   * Returns the challenge for the controller, empty when the host does not authenticate the
   * controller.
   */
  Optional<byte[]> challenge() {
    return challenge;
  }

  /** Returns the number of that challenge. */
  int sequence() {
    return sequence;
  }

  /** Returns the host's public value of the key exchange, empty without a group. */
  byte[] publicValue() {
    return publicValue;
  }

  private static AuthenticationException wrong() {
    return new AuthenticationException(
        AuthenticationException.INCORRECT_PAYLOAD, "the lengths of the host's reply are wrong");
  }
}
