package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Small records that the nodes of one engine share: linearizable, durable when a call returns,
 * never answered from a cache. A service of the platform. Each bundle gets an instance of its own,
 * which sees only the records of the engine that the bundle offers. The bundle must offer exactly
 * one {@link EngineProvider}. Do not call the service before that is registered.
 *
 * <p>A name has at most {@value #LONGEST_NAME} lower-case letters, digits, '-' and '.'; each part
 * between dots starts and ends with a letter or digit. A record has at most {@value #LARGEST_VALUE}
 * bytes. Records stay when the engine's bundle is removed.
 *
 * <p><b>Lost answers.</b> A call that fails with UNREACHABLE or TIMEOUT may or may not have taken
 * effect, or takes effect later. Repeat {@link #compareAndSet} with the same arguments until it
 * returns: each write has an identity, so that a repetition returns true if the record still is
 * what the earlier attempt wrote. It returns false if another write has replaced that since; an
 * engine that must know every write keeps the facts that it needs in the bytes.
 *
 * <p>Thread-safe; all methods but {@link #watch} block. Every method fails with
 *
 * <ul>
 *   <li>INVALID for a wrong name, prefix or size, and for a bundle that offers no engine or
 *       several;
 *   <li>FORBIDDEN if the engine's name belongs to another bundle;
 *   <li>UNREACHABLE or TIMEOUT while the store cannot be asked.
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
   * @return its present version, empty when there is none; never null
   * @throws StorageException as described above
   */
  Optional<EngineRecord> read(String name) throws StorageException;

  /**
   * Creates or replaces a record if it still is the expected version.
   *
   * @param expected what the caller last read, empty for no record; not null
   * @param next made by {@link EngineRecord#next} of the expected version, or by {@link
   *     EngineRecord#first}; not null
   * @return whether it stands there now; false means that the record is not the expected version
   * @throws StorageException as described above; INVALID also when next does not follow expected;
   *     NO_SPACE; CONFLICT when the record changes too often, without any effect
   */
  boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next) throws StorageException;

  /**
   * Removes a record if it still is the expected version. A record that is created later under this
   * name begins with version 1.
   *
   * @param expected what the caller last read, not null
   * @return whether there is no record of this name now: it was removed, or had been before; false
   *     means that there is another version
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
   * Reports records that may have changed, until it is closed: first each one that there is, later
   * each one that was created, changed or removed. Several changes of one record may be reported
   * once. While the store cannot be reached nothing is reported; changes of that time are reported
   * afterwards.
   *
   * @param prefix of the names, empty for all; not null
   * @param changed receives the name of the record, on one thread at a time that may block and is
   *     not used for anything else; not null
   * @return the watch, never null; after its close returned, nothing is reported any more
   * @throws StorageException INVALID, FORBIDDEN as described above
   */
  RecordWatch watch(String prefix, Consumer<String> changed) throws StorageException;

  /** A running watch. */
  interface RecordWatch extends AutoCloseable {
    /** Ends the watch; idempotent. Waits for a running report unless it is called by that. */
    @Override
    void close();
  }
}
