package dev.holdfast.frontend.iscsi.internal.login;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys and values as text: {@code key=value}, each followed by a zero byte (RFC 7143, 6.1). */
public final class TextKeys {
  /** Maximum bytes of one negotiation's text, which limits the memory that an initiator can use. */
  public static final int MOST_BYTES = 64 << 10;

  private static final int LONGEST_KEY = 63;

  private TextKeys() {}

  /**
   * Reads keys and values in order.
   *
   * @param text received bytes, not null
   * @return never null
   * @throws LoginException when the text is malformed or repeats a key
   */
  public static Map<String, String> read(byte[] text) throws LoginException {
    Map<String, String> keys = new LinkedHashMap<>();
    String whole = new String(text, StandardCharsets.UTF_8);
    for (String pair : List.of(whole.split("\0"))) {
      int equals = pair.indexOf('=');
      if (pair.isEmpty()) {
        continue;
      }
      if (equals < 1 || equals > LONGEST_KEY) {
        throw new LoginException(LoginException.INITIATOR_ERROR, "a key has no value or no name");
      }
      if (keys.put(pair.substring(0, equals), pair.substring(equals + 1)) != null) {
        throw new LoginException(LoginException.INITIATOR_ERROR, "a key is there twice");
      }
    }
    return keys;
  }

  /** Writes keys and values. */
  public static byte[] write(Map<String, String> keys) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    keys.forEach((key, value) -> add(text, key, value));
    return text.toByteArray();
  }

  /** Adds a pair. */
  public static void add(ByteArrayOutputStream text, String key, String value) {
    text.writeBytes((key + '=' + value).getBytes(StandardCharsets.UTF_8));
    text.write(0);
  }
}
