package dev.holdfast.store.records;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecordSpec;
import java.util.Base64;

/** Interprets stored records. */
final class Contents {
  private Contents() {}

  /** Returns whether it is a record: not marked as removed. */
  static boolean isPresent(StoredEngineRecord stored) {
    return !stored.spec().removed();
  }

  static EngineRecord record(StoredEngineRecord stored) {
    StoredEngineRecordSpec spec = stored.spec();
    return new EngineRecord(
        spec.name(), spec.version(), spec.writer(), Base64.getDecoder().decode(spec.value()));
  }

  static StoredEngineRecordSpec spec(String engine, EngineRecord record) {
    return new StoredEngineRecordSpec(
        engine,
        record.name(),
        record.version(),
        record.writer(),
        false,
        Base64.getEncoder().encodeToString(record.value()));
  }

  static boolean isBelow(StoredEngineRecord stored, String engine, String prefix) {
    return stored.spec().engine().equals(engine) && stored.spec().name().startsWith(prefix);
  }
}
