package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Small records that the nodes share for one engine. Calls are linearizable, durable when they
 * return, and never served from a cache. A service of the platform. Each bundle has its own
 * instance, which sees only the records of the bundle's engine. The bundle must register exactly
 * one {@link EngineProvider} before it calls the service.
 *
 * <p>A name has at most {@value #LONGEST_NAME} lower-case letters, digits, '-' and '.'; each part
 * between dots starts and ends with a letter or digit. A record has at most {@value #LARGEST_VALUE}
 * bytes. Records remain when the engine's bundle is removed.
 *
 * <p><b>Lost answers.</b> A call that fails with UNREACHABLE or TIMEOUT may have taken effect or
 * may take effect later. Repeat {@link #compareAndSet} with the same arguments until it returns.
 * Each write has an identity, so a repetition returns true if the record still contains the earlier
 * attempt's write. It returns false if another write has replaced that one. An engine that must
 * know every write therefore stores the necessary facts in the bytes.
 *
 * <p>Thread-safe; all methods but {@link #watch} block. Every method fails with
 *
 * <ul>
 *   <li>INVALID for a wrong name, prefix or size, and for a bundle that does not offer exactly one
 *       engine;
 *   <li>FORBIDDEN if the engine's name belongs to another bundle;
 *   <li>UNREACHABLE or TIMEOUT while the store cannot be reached.
 * </ul>
 *
 * @since 2.1
 */
@ProviderType
public interface EngineRecords {
  /** Largest number of characters of a name. */
  int LONGEST_NAME = 180;

  /** Largest number of bytes of a record. */
  int LARGEST_VALUE = 64 << 10;

  /**
   * Reads a record.
   *
   * @param name of the record, not null
   * @return its present version, empty if it does not exist; never null
   * @throws StorageException as described above
   */
  Optional<EngineRecord> read(String name) throws StorageException;

  /**
   * Creates or replaces a record if its present version is the expected one.
   *
   * @param expected the version that the caller last read, empty for an absent record; not null
   * @param next made by {@link EngineRecord#next} of the expected version, or by {@link
   *     EngineRecord#first}; not null
   * @return whether the record now is {@code next}; false means that its version was not the
   *     expected one
   * @throws StorageException as described above; INVALID also when next does not follow expected;
   *     NO_SPACE; CONFLICT when the record changes too often, without any effect
   */
  boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next) throws StorageException;

  /**
   * Removes a record if its present version is the expected one. A later record of this name starts
   * with version 1.
   *
   * @param expected the version that the caller last read, not null
   * @return whether the record is absent now, because this or an earlier call removed it; false
   *     means that it has another version
   * @throws StorageException as described above; CONFLICT as {@link #compareAndSet}
   */
  boolean delete(EngineRecord expected) throws StorageException;

  /**
   * Reads all records whose names start with a prefix, consistent with each other.
   *
   * @param prefix of the names, empty for all; not null
   * @return by ascending name, never null
   * @throws StorageException as described above
   */
  List<EngineRecord> list(String prefix) throws StorageException;

  /**
   * Reports records that may have changed, until the watch is closed. First reports each existing
   * record, then each record that was created, changed or removed. Several changes of one record
   * may cause one report. While the store is unreachable, reports are delayed; the changes of that
   * time are reported afterwards.
   *
   * @param prefix of the names, empty for all; not null
   * @param changed receives the name of the record, on one dedicated thread at a time, which may
   *     block; not null
   * @return the watch, never null; it reports nothing after its close has returned
   * @throws StorageException INVALID, FORBIDDEN as described above
   */
  RecordWatch watch(String prefix, Consumer<String> changed) throws StorageException;

  /** A running watch. */
  interface RecordWatch extends AutoCloseable {
    /**
     * Ends the watch; idempotent. Waits for a running report unless that report calls this method.
     */
    @Override
    void close();
  }
}
