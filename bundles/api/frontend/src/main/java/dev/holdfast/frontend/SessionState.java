package dev.holdfast.frontend;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * State that a parked session passes to the resuming session, in the same bundle or another version
 * of it. The state is text only, so that bundles do not share classes. It exists in memory and is
 * never stored.
 *
 * <p><b>Versions.</b> A frontend versions its set of fields. A new field raises the version;
 * readers ignore unknown fields. If readers must understand a field, the writer raises {@code
 * readableBy}: an older reader then rejects the state before it has any effect, and the session
 * returns to the former bundle. A reader accepts all released older versions and uses defaults for
 * missing fields.
 *
 * <p>The state excludes unconsumed input, which the portal keeps, and sent replies, which the
 * portal delivers. It may contain secrets, because it is never printed.
 *
 * @param format name of the format, for example {@code nbd}; not blank
 * @param version version of the set of fields, at least 1
 * @param readableBy the lowest version whose reader may resume these fields, from 1 to {@code
 *     version}
 * @param fields names and values, not null; copied
 */
public record SessionState(String format, int version, int readableBy, Map<String, String> fields) {

  /** Checks the numbers and copies the fields. */
  public SessionState {
    if (Objects.requireNonNull(format, "format").isBlank()) {
      throw new IllegalArgumentException("a session's state names its format");
    }
    if (readableBy < 1 || readableBy > version) {
      throw new IllegalArgumentException(
          "state of version " + version + " cannot be readable by version " + readableBy);
    }
    fields = Map.copyOf(fields);
  }

  /**
   * Checks that a reader may resume this state.
   *
   * @param reads the format that the reader knows, not null
   * @param upTo the newest version of the format that the reader knows
   * @throws StorageException UNSUPPORTED when the format differs or needs a newer reader
   */
  public void requireReadable(String reads, int upTo) throws StorageException {
    if (!format.equals(reads)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the session's state is of the format " + format + ", and only " + reads + " is known");
    }
    if (readableBy > upTo) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the session's state needs a reader of version "
              + readableBy
              + " of "
              + format
              + ", and this one is of version "
              + upTo);
    }
  }

  /**
   * Returns a field's value, or empty if the writer did not set it.
   *
   * @param name of the field, not null
   */
  public Optional<String> text(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /**
   * Returns the integer value of a field.
   *
   * @param name of the field, not null
   * @param otherwise the value if the writer did not set the field
   * @throws StorageException INVALID when the value is not a number
   */
  public long number(String name, long otherwise) throws StorageException {
    String value = fields.get(name);
    try {
      return value == null ? otherwise : Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new StorageException(
          ErrorCode.INVALID, "field " + name + " of the session's state is not a number", e);
    }
  }

  /**
   * Returns whether a field is {@code true}; false for a missing field.
   *
   * @param name of the field, not null
   */
  public boolean flag(String name) {
    return Boolean.parseBoolean(fields.get(name));
  }

  /** Returns format and version without the fields, which may contain secrets. */
  @Override
  public String toString() {
    return "state of " + format + " version " + version;
  }
}
