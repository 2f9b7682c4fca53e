package dev.holdfast.store.records;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecordSpec;
import dev.holdfast.store.LabelSelector;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The records of one engine as resources of the kind {@code EngineRecord}. A removal first marks
 * the record as removed by compare-and-set, and then deletes the resource by its uid, because a
 * store deletes without checking the version. A marked record counts as absent. The next creation
 * deletes it first, so that a late deletion never affects a new record. Thread-safe.
 */
public final class StoreEngineRecords implements EngineRecords {
  private static final int ATTEMPTS = 1000;

  private final StoreSource store;
  private final String engine;

  /**
   * Creates the records of one engine.
   *
   * @param store returns the store, at every call
   * @param engine name of the engine
   * @throws StorageException INVALID for a name that cannot have records
   */
  public StoreEngineRecords(StoreSource store, String engine) throws StorageException {
    if (!StoredEngineRecordSpec.isEngine(engine)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "engine "
              + engine
              + ": an engine with records has a name of lower-case letters, digits and '-', at most "
              + StoredEngineRecordSpec.LONGEST_ENGINE
              + " characters: choose such a name");
    }
    this.store = store;
    this.engine = engine;
  }

  @Override
  public Optional<EngineRecord> read(String name) throws StorageException {
    requireName(name);
    return ask(() -> stored(name).filter(Contents::isPresent).map(Contents::record));
  }

  @Override
  public boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next)
      throws StorageException {
    requireName(next.name());
    requireSuccessor(expected, next);
    byte[] value = next.value();
    if (value.length > LARGEST_VALUE) {
      throw invalid(
          next.name(),
          "has " + value.length + " bytes, the limit is " + LARGEST_VALUE + ": store less in it");
    }
    return ask(() -> replaced(expected, Contents.spec(engine, next)));
  }

  private boolean replaced(Optional<EngineRecord> expected, StoredEngineRecordSpec next)
      throws StorageException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<StoredEngineRecord> stored = stored(next.name());
      Optional<StoredEngineRecord> present = stored.filter(Contents::isPresent);
      if (present.isPresent() && present.get().spec().equals(next)) {
        // An earlier attempt took effect and its reply was lost.
        return true;
      }
      if (!present.map(Contents::record).equals(expected)) {
        return false;
      }
      if (written(stored, next)) {
        return true;
      }
    }
    throw tooManyChanges(next.name());
  }

  /** Writes once; returns false when another write was faster. */
  private boolean written(Optional<StoredEngineRecord> stored, StoredEngineRecordSpec next)
      throws StorageException {
    try {
      if (stored.isEmpty()) {
        store.get().create(StoredEngineRecord.of(next));
        return true;
      }
      if (!Contents.isPresent(stored.get())) {
        deleteResource(stored.get());
        return false;
      }
      store.get().update(stored.get().withSpec(next));
      return true;
    } catch (StorageException e) {
      if (!isLostRace(e)) {
        throw e;
      }
      return false;
    }
  }

  @Override
  public boolean delete(EngineRecord expected) throws StorageException {
    requireName(expected.name());
    return ask(() -> deleted(expected, UUID.randomUUID().toString()));
  }

  private boolean deleted(EngineRecord expected, String writer) throws StorageException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<StoredEngineRecord> stored = stored(expected.name());
      if (stored.isEmpty()) {
        return true;
      }
      try {
        if (!Contents.isPresent(stored.get())) {
          deleteResource(stored.get());
          return true;
        }
        if (!Contents.record(stored.get()).equals(expected)) {
          return false;
        }
        StoredEngineRecordSpec removed =
            stored
                .get()
                .spec()
                .withVersion(expected.version() + 1)
                .withWriter(writer)
                .withRemoved(true)
                .withValue("");
        deleteResource(store.get().update(stored.get().withSpec(removed)));
        return true;
      } catch (StorageException e) {
        if (!isLostRace(e)) {
          throw e;
        }
      }
    }
    throw tooManyChanges(expected.name());
  }

  /** Deletes a resource that is marked as removed; another node may have deleted it already. */
  private void deleteResource(StoredEngineRecord removed) throws StorageException {
    try {
      var unused =
          store.get().delete(StoredEngineRecord.KIND, removed.name(), removed.metadata().uid());
    } catch (StorageException e) {
      if (!isLostRace(e)) {
        throw e;
      }
    }
  }

  private static boolean isLostRace(StorageException failure) {
    return switch (failure.code()) {
      case CONFLICT, ALREADY_EXISTS, NOT_FOUND -> true;
      case INVALID,
          UNSUPPORTED,
          NO_SPACE,
          BUSY,
          UNREACHABLE,
          TIMEOUT,
          EXPIRED,
          FORBIDDEN,
          IO,
          INTERNAL ->
          false;
    };
  }

  @Override
  public List<EngineRecord> list(String prefix) throws StorageException {
    requirePrefix(prefix);
    LabelSelector mine = LabelSelector.label(StoredEngineRecord.ENGINE_LABEL, engine);
    return ask(
        () ->
            store.get().list(StoredEngineRecord.KIND, mine).items().stream()
                .filter(stored -> Contents.isBelow(stored, engine, prefix))
                .filter(Contents::isPresent)
                .map(Contents::record)
                .sorted(Comparator.comparing(EngineRecord::name))
                .toList());
  }

  @Override
  public RecordWatch watch(String prefix, Consumer<String> changed) throws StorageException {
    requirePrefix(prefix);
    return new StoreRecordWatch(store, engine, prefix, changed);
  }

  private Optional<StoredEngineRecord> stored(String name) throws StorageException {
    return store.get().get(StoredEngineRecord.KIND, StoredEngineRecord.nameFor(engine, name));
  }

  private void requireName(String name) throws StorageException {
    if (!StoredEngineRecordSpec.isRecord(name)) {
      throw invalid(
          name,
          "a name has lower-case letters, digits, '-' and '.', each part between dots starts and"
              + " ends with a letter or digit, at most "
              + LONGEST_NAME
              + " characters: choose such a name");
    }
  }

  private void requirePrefix(String prefix) throws StorageException {
    if (prefix.length() > LONGEST_NAME || !prefix.matches("[-.a-z0-9]*")) {
      throw invalid(
          prefix,
          "a prefix has lower-case letters, digits, '-' and '.', at most "
              + LONGEST_NAME
              + " characters: choose such a prefix");
    }
  }

  private void requireSuccessor(Optional<EngineRecord> expected, EngineRecord next)
      throws StorageException {
    long before = expected.map(EngineRecord::version).orElse(0L);
    if (next.version() != before + 1
        || !expected.map(EngineRecord::name).orElse(next.name()).equals(next.name())) {
      throw invalid(
          next.name(),
          "version "
              + next.version()
              + " does not follow "
              + expected.map(EngineRecord::toString).orElse("no record")
              + ": make it by EngineRecord.next of the expected version, or by EngineRecord.first");
    }
    if (next.writer().isEmpty()
        || next.writer().length() > StoredEngineRecordSpec.LONGEST_WRITER
        || expected.map(EngineRecord::writer).orElse("").equals(next.writer())) {
      throw invalid(
          next.name(),
          "writer '"
              + next.writer()
              + "' must have 1 to "
              + StoredEngineRecordSpec.LONGEST_WRITER
              + " characters and differ from the one before: use EngineRecord.next");
    }
  }

  private StorageException invalid(String name, String problem) {
    return new StorageException(
        ErrorCode.INVALID, "record '" + name + "' of engine " + engine + ": " + problem);
  }

  private StorageException tooManyChanges(String name) {
    return new StorageException(
        ErrorCode.CONFLICT,
        "record "
            + name
            + " of engine "
            + engine
            + ": it changes too often, no change was written: try again later");
  }

  /** A call of the store. */
  @FunctionalInterface
  private interface Question<T> {
    T ask() throws StorageException;
  }

  /**
   * Calls the store and converts FORBIDDEN. A store that rejects this node, for example because it
   * has just started and does not know its nodes yet, has made no decision.
   */
  private <T> T ask(Question<T> question) throws StorageException {
    try {
      return question.ask();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        throw new StorageException(
            ErrorCode.UNREACHABLE,
            "records of engine " + engine + ": the store refuses this node: " + e.getMessage(),
            e);
      }
      throw e;
    }
  }
}
