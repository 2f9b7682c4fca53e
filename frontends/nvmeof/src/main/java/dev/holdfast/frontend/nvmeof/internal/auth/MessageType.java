package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Messages of a transaction by type and number (Base 2.0, 8.13.5). */
enum MessageType {
  NEGOTIATE(0x00, 0x00),
  FAILURE_1(0x00, 0xf0),
  FAILURE_2(0x00, 0xf1),
  CHALLENGE(0x01, 0x01),
  REPLY(0x01, 0x02),
  SUCCESS_1(0x01, 0x03),
  SUCCESS_2(0x01, 0x04);

  /** Size in bytes of the common start of all messages. */
  static final int HEAD = 8;

  private static final int TRANSACTION_AT = 4;

  private final int type;
  private final int id;

  MessageType(int type, int id) {
    this.type = type;
    this.id = id;
  }

  /** Returns the type of a message; empty when it is unknown. */
  static Optional<MessageType> of(ByteBuffer message) {
    for (MessageType one : values()) {
      if (message.limit() >= HEAD && Le.u8(message, 0) == one.type && Le.u8(message, 1) == one.id) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  static int transaction(ByteBuffer message) {
    return Le.u16(message, TRANSACTION_AT);
  }

  /** Starts a message. */
  ByteBuffer message(int size, int transaction) {
    ByteBuffer message = ByteBuffer.allocate(size);
    Le.put8(message, 0, type);
    Le.put8(message, 1, id);
    Le.put16(message, TRANSACTION_AT, transaction);
    return message;
  }
}
