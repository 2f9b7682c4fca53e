package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.nbd.Wire;
import java.nio.charset.StandardCharsets;

/** Encodes and sends replies to options. */
final class OptionReplies {
  private static final int HEADER = 20;
  private static final int MINIMUM_BLOCK = 1;

  private final FrontendConnection connection;

  OptionReplies(FrontendConnection connection) {
    this.connection = connection;
  }

  void acknowledge(int option) {
    begin(option, Wire.REP_ACK, 0).send();
  }

  void error(int option, int type, String message) {
    byte[] text = bytes(message);
    Reply reply = begin(option, type, text.length);
    reply.buffer().put(text);
    reply.send();
  }

  void server(String export) {
    byte[] name = bytes(export);
    Reply reply = begin(Wire.OPT_LIST, Wire.REP_SERVER, Integer.BYTES + name.length);
    reply.buffer().putInt(name.length).put(name);
    reply.send();
  }

  void export(int option, long size, int flags) {
    Reply reply = begin(option, Wire.REP_INFO, 12);
    reply.buffer().putShort((short) Wire.INFO_EXPORT).putLong(size).putShort((short) flags);
    reply.send();
  }

  void name(int option, String export) {
    byte[] name = bytes(export);
    Reply reply = begin(option, Wire.REP_INFO, Short.BYTES + name.length);
    reply.buffer().putShort((short) Wire.INFO_NAME).put(name);
    reply.send();
  }

  void blockSize(int option, int preferred) {
    Reply reply = begin(option, Wire.REP_INFO, 14);
    reply
        .buffer()
        .putShort((short) Wire.INFO_BLOCK_SIZE)
        .putInt(MINIMUM_BLOCK)
        .putInt(preferred)
        .putInt(Wire.MAXIMUM_PAYLOAD);
    reply.send();
  }

  void context(int option, int id, String name) {
    byte[] text = bytes(name);
    Reply reply = begin(option, Wire.REP_META_CONTEXT, Integer.BYTES + text.length);
    reply.buffer().putInt(id).put(text);
    reply.send();
  }

  private Reply begin(int option, int type, int length) {
    Reply reply = connection.reply(HEADER + length);
    reply.buffer().putLong(Wire.OPTION_REPLY_MAGIC).putInt(option).putInt(type).putInt(length);
    return reply;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
