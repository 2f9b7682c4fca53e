package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Content of an engine's record.
 *
 * @param engine name of the engine that keeps the record; never changes
 * @param name name of the record, unique among those of the engine; never changes
 * @param version number of writes since the record was created, including the first one
 * @param writer identity of the last write, different for each write
 * @param removed whether the engine removed the record; the resource is then deleted
 * @param value bytes of the record in Base64
 */
@RecordBuilder
public record StoredEngineRecordSpec(
    String engine, String name, long version, String writer, boolean removed, String value)
    implements StoredEngineRecordSpecBuilder.With {
  /** Nothing set. */
  public static final StoredEngineRecordSpec EMPTY =
      new StoredEngineRecordSpec("", "", 0, "", false, "");

  /** Largest number of characters of an engine's name. */
  public static final int LONGEST_ENGINE = 63;

  /** Largest number of characters of a record's name. */
  public static final int LONGEST_NAME = 180;

  /** Largest number of characters of a write's identity. */
  public static final int LONGEST_WRITER = 64;

  /** Largest number of bytes of a record. */
  public static final int LARGEST_VALUE = 64 << 10;

  private static final Pattern ENGINE = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");

  /** Replaces null components by their defaults. */
  public StoredEngineRecordSpec {
    engine = Defaults.text(engine);
    name = Defaults.text(name);
    writer = Defaults.text(writer);
    value = Defaults.text(value);
  }

  /** Returns whether an engine of this name can have records. */
  public static boolean isEngine(String engine) {
    return engine.length() <= LONGEST_ENGINE && ENGINE.matcher(engine).matches();
  }

  /** Returns whether a record can have this name. */
  public static boolean isRecord(String name) {
    return name.length() <= LONGEST_NAME && Checks.isName(name);
  }

  List<FieldError> validate() {
    return new Checks()
        .that(
            isEngine(engine),
            "spec.engine",
            engine,
            "must have lower-case letters, digits and '-', starting and ending with a letter or"
                + " digit, at most 63 characters")
        .that(
            isRecord(name),
            "spec.name",
            name,
            "must be a name of lower-case letters, digits, '-' and '.', starting and ending with a"
                + " letter or digit, at most 180 characters")
        .that(version >= 1, "spec.version", version, "must be at least 1")
        .that(
            !writer.isEmpty() && writer.length() <= LONGEST_WRITER,
            "spec.writer",
            writer,
            "must have 1 to 64 characters")
        .that(
            isValue(value),
            "spec.value",
            value.length() + " characters",
            "must be at most 64 KiB in Base64")
        .errors();
  }

  private static boolean isValue(String text) {
    try {
      return Base64.getDecoder().decode(text).length <= LARGEST_VALUE;
    } catch (IllegalArgumentException e) {
      // The caller reports the expected form.
      return false;
    }
  }

  List<FieldError> validateChange(StoredEngineRecordSpec earlier) {
    return new Checks()
        .immutable(earlier.engine, engine, "spec.engine")
        .immutable(earlier.name, name, "spec.name")
        .that(
            equals(earlier) || version == earlier.version + 1,
            "spec.version",
            version,
            "must be one more than " + earlier.version + ", because each write counts")
        .errors();
  }
}
