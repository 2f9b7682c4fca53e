package dev.holdfast.engine;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;

/**
 * One version of a record of {@link EngineRecords}. Immutable. Two versions are equal if they
 * originate from the same write.
 *
 * @since 2.1
 */
public final class EngineRecord {
  private final String name;
  private final long version;
  private final String writer;
  private final byte[] value;

  /**
   * Creates a version from stored data. Only the service uses this constructor; engines use {@link
   * #first} and {@link #next}.
   *
   * @param name of the record, not null
   * @param version number of the version, 1 for the first one
   * @param writer identity of the write, not null
   * @param value the bytes, not null, copied
   */
  public EngineRecord(String name, long version, String writer, byte[] value) {
    this.name = Objects.requireNonNull(name, "name");
    this.version = version;
    this.writer = Objects.requireNonNull(writer, "writer");
    this.value = value.clone();
  }

  /**
   * Returns the first version of a record, with a new identity of the write; never null.
   *
   * @param name of the record, not null; {@link EngineRecords} describes valid names
   * @param value the bytes, not null, copied
   */
  public static EngineRecord first(String name, byte[] value) {
    return new EngineRecord(name, 1, UUID.randomUUID().toString(), value);
  }

  /**
   * Returns the version that follows this one, with a new identity of the write; never null.
   *
   * @param newValue the bytes, not null, copied
   */
  public EngineRecord next(byte[] newValue) {
    return new EngineRecord(name, version + 1, UUID.randomUUID().toString(), newValue);
  }

  /** Returns the name without the engine's name; never null. */
  public String name() {
    return name;
  }

  /** Returns the number of writes since the record was created, including this one. */
  public long version() {
    return version;
  }

  /** Returns the identity of the write, unique among all writes; never null. */
  public String writer() {
    return writer;
  }

  /** Returns a copy of the bytes, never null. */
  public byte[] value() {
    return value.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EngineRecord that
        && name.equals(that.name)
        && version == that.version
        && writer.equals(that.writer)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, version, writer);
  }

  @Override
  public String toString() {
    return "record "
        + name
        + " version "
        + version
        + " by "
        + writer
        + ", "
        + value.length
        + " bytes";
  }
}
