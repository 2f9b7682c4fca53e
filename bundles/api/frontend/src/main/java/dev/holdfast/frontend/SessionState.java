package dev.holdfast.frontend;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * State that a parked session leaves to the one that resumes it, in the same bundle or in another
 * version of it. It is text only, so that no class passes from one bundle to the other; it lives in
 * memory and is never stored.
 *
 * <p><b>Versions.</b> A frontend numbers its set of fields. A field may be added at any time, with
 * the next number; a reader passes over the fields that it does not know. A writer whose fields
 * must be understood raises {@code readableBy}: an older reader then refuses the state before it
 * has done anything, and the session goes back to where it came from. A reader accepts every older
 * version, back to the first that was released, by taking a default for what is missing.
 *
 * <p>What a client has sent and the session has not consumed does not belong to it: the portal
 * keeps those bytes. Neither do replies that were sent: the portal delivers them. It may contain
 * secrets, because it is never printed.
 *
 * @param format whose fields these are, for example {@code nbd}; not blank
 * @param version of the set of fields, from 1 on
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
   * Makes sure that a reader may resume this state.
   *
   * @param reads the format that the reader knows, not null
   * @param upTo the newest version of it that the reader knows
   * @throws StorageException UNSUPPORTED when it is of another format or needs a newer reader
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
   * Returns a field's value, or empty when the writer had none.
   *
   * @param name of the field, not null
   */
  public Optional<String> text(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /**
   * Returns a whole number.
   *
   * @param name of the field, not null
   * @param otherwise the value when the writer had none
   * @throws StorageException INVALID when it is not a number
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
   * Returns whether a field is {@code true}; one that is missing is not.
   *
   * @param name of the field, not null
   */
  public boolean flag(String name) {
    return Boolean.parseBoolean(fields.get(name));
  }

  /** Returns format and version without the fields, which may hold secrets. */
  @Override
  public String toString() {
    return "state of " + format + " version " + version;
  }
}
