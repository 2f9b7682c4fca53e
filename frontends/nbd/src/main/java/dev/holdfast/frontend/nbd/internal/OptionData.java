package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Decodes the data of an option; checks every length before using it. */
final class OptionData {
  private final ByteBuffer data;

  OptionData(ByteBuffer data) {
    this.data = data;
  }

  /** Data of INFO and GO. */
  record InfoRequest(String export, List<Integer> items) {}

  /** Data of LIST_META_CONTEXT and SET_META_CONTEXT. */
  record ContextRequest(String export, List<String> queries) {}

  InfoRequest infoRequest() throws MalformedOptionException {
    String export = string(number());
    int count = require(Short.BYTES).getShort() & 0xffff;
    List<Integer> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add(require(Short.BYTES).getShort() & 0xffff);
    }
    end();
    return new InfoRequest(export, items);
  }

  ContextRequest contextRequest() throws MalformedOptionException {
    String export = string(number());
    int count = number();
    List<String> queries = new ArrayList<>();
    // Each query needs at least four bytes, so the loop ends with the data.
    for (int i = 0; i < count; i++) {
      queries.add(string(number()));
    }
    end();
    return new ContextRequest(export, queries);
  }

  /** Returns the complete data as a name. */
  String name() throws MalformedOptionException {
    return string(data.remaining());
  }

  void empty() throws MalformedOptionException {
    end();
  }

  private int number() throws MalformedOptionException {
    int number = require(Integer.BYTES).getInt();
    if (number < 0) {
      throw new MalformedOptionException("a count or length is too large");
    }
    return number;
  }

  private String string(int length) throws MalformedOptionException {
    if (length > Wire.MAXIMUM_STRING) {
      throw new MalformedOptionException("a string is longer than 4096 bytes");
    }
    byte[] bytes = new byte[length];
    require(length).get(bytes);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedOptionException("a string is not UTF-8");
    }
  }

  private ByteBuffer require(int bytes) throws MalformedOptionException {
    if (data.remaining() < bytes) {
      throw new MalformedOptionException("the option's data is too short");
    }
    return data;
  }

  private void end() throws MalformedOptionException {
    if (data.hasRemaining()) {
      throw new MalformedOptionException("the option's data is too long");
    }
  }
}
