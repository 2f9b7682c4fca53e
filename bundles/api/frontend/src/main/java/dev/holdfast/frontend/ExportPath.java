package dev.holdfast.frontend;

import java.util.Objects;
import java.util.Optional;

/**
 * Path of an export, for volumes that hosts reach by several exports at the same time. The portal
 * keeps it as a text of the {@link ExportState}, so that each version of a frontend finds it.
 *
 * @param id number from 0 to {@link #MAXIMUM_ID}, unique among the paths of a volume
 * @param access the access state, not null
 * @param changes number of changes of the access state since the publication of the export, not
 *     negative
 * @since 2.1
 */
public record ExportPath(int id, AccessState access, long changes) {
  /** The highest id of a path. */
  public static final int MAXIMUM_ID = 15;

  /** Name of the text in an {@link ExportState}. An export with a single path has none. */
  public static final String TEXT = "path";

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException when the number or the count of changes is out of range
   */
  public ExportPath {
    Objects.requireNonNull(access, "access");
    if (id < 0 || id > MAXIMUM_ID) {
      throw new IllegalArgumentException("path: must be from 0 to " + MAXIMUM_ID + ": " + id);
    }
    if (changes < 0) {
      throw new IllegalArgumentException("changes: must not be negative: " + changes);
    }
  }

  /** Returns a path with an unchanged access state. */
  public static ExportPath of(int id, AccessState access) {
    return new ExportPath(id, access, 0);
  }

  /** Returns this path with another access state; the same path if it already has that state. */
  public ExportPath with(AccessState next) {
    return next == access ? this : new ExportPath(id, next, changes + 1);
  }

  /** Returns the text of the {@link ExportState}, never null. */
  public String text() {
    return id + " " + access + " " + changes;
  }

  /**
   * Parses a text of the {@link ExportState}.
   *
   * @param text as {@link #text()} writes it, not null; further words are ignored
   * @return the path, or empty if this version does not know the form
   */
  public static Optional<ExportPath> read(String text) {
    String[] words = text.split(" ", -1);
    try {
      return words.length < 3
          ? Optional.empty()
          : Optional.of(
              new ExportPath(
                  Integer.parseInt(words[0]),
                  AccessState.valueOf(words[1]),
                  Long.parseLong(words[2])));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
