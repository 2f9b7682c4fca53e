package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Challenge of one side to the other, bound to its transaction and to shared keys. */
final class DhchapChallenge {
  private static final int NUMBERS = 7;

  private final DhchapHash hash;
  private final byte[] challenge;
  private final byte[] numbers;

  /**
   * Creates a challenge.
   *
   * @param challenge bytes as sent
   * @param shared shared key of the key exchange, empty without a group
   * @param sequence sequence number of the challenge
   * @param transaction identifier of the transaction
   */
  DhchapChallenge(DhchapHash hash, byte[] challenge, byte[] shared, int sequence, int transaction) {
    this.hash = hash;
    this.challenge = shared.length == 0 ? challenge : hash.mac(hash.digest(shared), challenge);
    // The last byte declares that no secure channel is requested.
    this.numbers =
        ByteBuffer.allocate(NUMBERS)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(sequence)
            .putShort((short) transaction)
            .array();
  }

  DhchapHash hash() {
    return hash;
  }

  /** Returns the challenge, augmented by the shared keys. */
  byte[] challenge() {
    return challenge;
  }

  /** Returns sequence, transaction and kind of channel. */
  byte[] numbers() {
    return numbers;
  }
}
