package dev.holdfast.backupstore.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads one configuration as a stream of JSON within limits: a configuration is hostile input.
 * Values of fields that are not asked for are skipped.
 */
public final class ConfigReader {
  private static final int LONGEST_TEXT = 64 << 10;
  private static final int DEEPEST = 16;

  public static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(LONGEST_TEXT)
                  .maxNameLength(LONGEST_TEXT)
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(20)
                  .build())
          .build();

  private final ObjectStore store;
  private final String subject;

  public ConfigReader(ObjectStore store, String subject) {
    this.store = store;
    this.subject = subject;
  }

  /** Takes the fields of an object one by one. */
  public interface Fields {
    /**
     * Takes the value at which the parser stands, to its end.
     *
     * @return false to read no further field
     */
    boolean field(String name, JsonParser value) throws IOException, StorageException;
  }

  /** Passes the fields of the object that a configuration consists of. */
  public void read(StoredObject config, long largest, Fields fields) throws StorageException {
    if (config.size() > largest) {
      throw damaged("has " + config.size() + " bytes; at most " + largest + " are possible");
    }
    try (InputStream stream = new ObjectInput(store, config.key(), config.size());
        JsonParser json = JSON.createParser(stream)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw damaged("is not a JSON object");
      }
      object(json, fields);
    } catch (JsonProcessingException e) {
      throw damaged(e.getOriginalMessage());
    } catch (IOException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw new StorageException(cause.code(), subject + ": " + cause.getMessage(), cause);
      }
      throw damaged(e.getMessage());
    }
  }

  /** Passes the fields of the object at which the parser stands. */
  public static void object(JsonParser json, Fields fields) throws IOException, StorageException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      if (!fields.field(name, json)) {
        return;
      }
    }
  }

  /** Returns a text, or the empty one for null. */
  public String text(String field, JsonParser value) throws IOException, StorageException {
    return switch (value.currentToken()) {
      case VALUE_STRING -> value.getText();
      case VALUE_NULL -> "";
      default -> throw damaged("field " + field + " is not a text");
    };
  }

  /** Returns a text that volume.cfg quotes twice; also the plain form that other writers use. */
  public String quotedText(String field, JsonParser value) throws IOException, StorageException {
    String text = text(field, value);
    if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
      return text;
    }
    try (JsonParser inner = JSON.createParser(text)) {
      inner.nextToken();
      return text(field, inner);
    }
  }

  /** Returns a whole number that stands as a number or as a text. */
  public long number(String field, JsonParser value) throws IOException, StorageException {
    try {
      return switch (value.currentToken()) {
        case VALUE_STRING -> Long.parseLong(value.getText());
        case VALUE_NUMBER_INT -> value.getLongValue();
        case VALUE_NULL -> 0;
        default -> throw damaged("field " + field + " is not a whole number");
      };
    } catch (NumberFormatException e) {
      throw damaged("field " + field + ": \"" + value.getText() + "\" is not a whole number");
    }
  }

  public StorageException damaged(String what) {
    return new StorageException(
        ErrorCode.IO, subject + ": damaged configuration: " + Printable.of(what));
  }
}
