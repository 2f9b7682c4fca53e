package dev.holdfast.jsonrpc;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * Splits a stream of bytes into JSON objects. JSON-RPC over a stream has no frames, so a message
 * ends where its outermost object ends. Keeps the start of a message between calls. For one thread.
 */
final class MessageSplitter {
  private static final int FIRST_SIZE = 4_096;

  private final JsonRpcLimits limits;
  private byte[] message = new byte[FIRST_SIZE];
  private int length;
  private int depth;

  /** Open brackets that belong to arrays, outermost first. */
  private final BitSet arrays = new BitSet();

  private boolean inString;
  private boolean escaped;

  MessageSplitter(JsonRpcLimits limits) {
    this.limits = limits;
  }

  /**
   * Takes received bytes.
   *
   * @param input buffer whose bytes are all consumed
   * @param complete receives the bytes of each message that ends in the input
   * @throws MessageException when the stream contains other data than objects, or exceeds a limit
   */
  void accept(ByteBuffer input, Consumer<byte[]> complete) throws MessageException {
    while (input.hasRemaining()) {
      byte next = input.get();
      if (depth == 0) {
        if (isSpace(next)) {
          continue;
        }
        if (next != '{') {
          throw new MessageException(
              "a message must be an object, found byte 0x" + Integer.toHexString(next & 0xff));
        }
      }
      append(next);
      follow(next);
      if (depth == 0) {
        complete.accept(Arrays.copyOf(message, length));
        message = new byte[FIRST_SIZE];
        length = 0;
      }
    }
  }

  /** Returns whether the stream ends between two messages. */
  boolean isBetweenMessages() {
    return depth == 0;
  }

  private static boolean isSpace(byte next) {
    return next == ' ' || next == '\n' || next == '\r' || next == '\t';
  }

  private void append(byte next) throws MessageException {
    if (length == limits.messageBytes()) {
      throw new MessageException("a message has more than " + length + " bytes");
    }
    if (length == message.length) {
      message = Arrays.copyOf(message, (int) Math.min(limits.messageBytes(), length * 2L));
    }
    message[length++] = next;
  }

  private void follow(byte next) throws MessageException {
    if (inString) {
      if (escaped) {
        escaped = false;
      } else if (next == '\\') {
        escaped = true;
      } else if (next == '"') {
        inString = false;
      }
    } else if (next == '"') {
      inString = true;
    } else if (next == '{' || next == '[') {
      open(next == '[');
    } else if (next == '}' || next == ']') {
      close(next == ']');
    }
  }

  private void open(boolean array) throws MessageException {
    if (depth == limits.depth()) {
      throw new MessageException("a message is nested deeper than " + depth);
    }
    arrays.set(depth++, array);
  }

  private void close(boolean array) throws MessageException {
    if (arrays.get(--depth) != array) {
      throw new MessageException("a message is not JSON: a bracket closes another kind");
    }
  }
}
