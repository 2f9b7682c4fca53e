package dev.holdfast.backupstore.internal.packed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A JSON object in one line, and its SHA-256 as a JSON text in a second one, so that a flipped bit
 * is found. Reads strictly: each field must be there and have its type.
 */
final class SealedText {
  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              ConfigReader.JSON
                  .rebuild()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final String SUM = "\"sha256:";
  private static final int SEAL = SUM.length() + 64 + 2;

  private final String subject;
  private final JsonNode node;

  private SealedText(String subject, JsonNode node) {
    this.subject = subject;
    this.node = node;
  }

  static ObjectNode create() {
    return MAPPER.createObjectNode();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }

  /** Returns the bytes of an object. */
  static ByteBuffer seal(ObjectNode fields) throws StorageException {
    try {
      byte[] text = MAPPER.writeValueAsBytes(fields);
      byte[] sum = sum(text).getBytes(StandardCharsets.US_ASCII);
      return ByteBuffer.allocate(text.length + 1 + sum.length)
          .put(text)
          .put((byte) '\n')
          .put(sum)
          .flip();
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "a text cannot be written: " + e, e);
    }
  }

  private static String sum(byte[] text) {
    return SUM + hex(sha256().digest(text)) + "\"\n";
  }

  /** Reads an object of the target. */
  static SealedText read(ObjectStore store, StoredObject object, int largest, String subject)
      throws StorageException {
    if (object.size() > largest || object.size() <= SEAL) {
      throw damaged(subject, object.key() + " has " + object.size() + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) object.size());
    store.get(object.key(), 0, bytes);
    requirePlain(bytes.array(), object.key());
    return open(bytes.array(), subject);
  }

  private static void requirePlain(byte[] bytes, String key) throws StorageException {
    if (Arrays.equals(
        bytes, 0, SealedObjects.MAGIC.length, SealedObjects.MAGIC, 0, SealedObjects.MAGIC.length)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          key
              + ": is encrypted: name the secret with its key in spec.encryptionSecret of the"
              + " target, or for commands without a node the folder of its keys in the variable"
              + " HOLDFAST_BACKUP_KEYS");
    }
  }

  /** Reads the bytes of an object. */
  static SealedText open(byte[] bytes, String subject) throws StorageException {
    int end = bytes.length - SEAL - 1;
    if (end < 0 || bytes[end] != '\n') {
      throw damaged(subject, "has no checksum at its end");
    }
    byte[] text = new byte[end];
    System.arraycopy(bytes, 0, text, 0, end);
    String found = new String(bytes, end + 1, SEAL, StandardCharsets.ISO_8859_1);
    if (!found.equals(sum(text))) {
      throw damaged(subject, "has other bytes than its checksum");
    }
    try {
      JsonNode node = MAPPER.readTree(text);
      if (!node.isObject()) {
        throw damaged(subject, "is not a JSON object");
      }
      return new SealedText(subject, node);
    } catch (JsonProcessingException e) {
      throw damaged(subject, e.getOriginalMessage());
    } catch (java.io.IOException e) {
      throw damaged(subject, String.valueOf(e.getMessage()));
    }
  }

  private static StorageException damaged(String subject, String what) {
    return new StorageException(
        ErrorCode.IO, subject + ": damaged configuration: " + Printable.of(what));
  }

  StorageException damaged(String what) {
    return damaged(subject, what);
  }

  private JsonNode field(JsonNode from, String name, boolean right) throws StorageException {
    if (!right) {
      throw damaged("field " + name + " is missing or has another type");
    }
    return from.get(name);
  }

  SealedText part(String name) throws StorageException {
    return new SealedText(subject, field(node, name, node.has(name) && node.get(name).isObject()));
  }

  List<SealedText> parts(String name) throws StorageException {
    List<SealedText> found = new ArrayList<>();
    for (JsonNode item : field(node, name, node.has(name) && node.get(name).isArray())) {
      if (!item.isObject()) {
        throw damaged("field " + name + " has an item that is not an object");
      }
      found.add(new SealedText(subject, item));
    }
    return found;
  }

  List<String> texts(String name) throws StorageException {
    List<String> found = new ArrayList<>();
    for (JsonNode item : field(node, name, node.has(name) && node.get(name).isArray())) {
      if (!item.isTextual()) {
        throw damaged("field " + name + " has an item that is not a text");
      }
      found.add(item.textValue());
    }
    return found;
  }

  Iterable<String> names() {
    return node::fieldNames;
  }

  String text(String name) throws StorageException {
    return field(node, name, node.has(name) && node.get(name).isTextual()).textValue();
  }

  boolean flag(String name) throws StorageException {
    return field(node, name, node.has(name) && node.get(name).isBoolean()).booleanValue();
  }

  /** Returns a whole number within limits. */
  long number(String name, long least, long most) throws StorageException {
    JsonNode value =
        field(
            node,
            name,
            node.has(name)
                && node.get(name).canConvertToLong()
                && node.get(name).isIntegralNumber());
    long number = value.longValue();
    if (number < least || number > most) {
      throw damaged("field " + name + ": " + number + " is not from " + least + " to " + most);
    }
    return number;
  }

  /** Returns a text that is a time. */
  String time(String name) throws StorageException {
    String text = text(name);
    try {
      var unused = Instant.parse(text);
      return text;
    } catch (DateTimeException e) {
      throw damaged("field " + name + " is not a time");
    }
  }
}
