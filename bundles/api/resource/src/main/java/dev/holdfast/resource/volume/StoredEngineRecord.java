package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Map;

/**
 * A small record that the nodes of one engine share. Only engines write it; clients read it.
 *
 * @param metadata name and bookkeeping; the name is the engine's name, a dot and the record's name
 * @param spec content of the record
 * @param status observed state
 */
public record StoredEngineRecord(
    ObjectMeta metadata, StoredEngineRecordSpec spec, StoredEngineRecordStatus status)
    implements Resource<StoredEngineRecord> {
  /** Label with the name of the engine. */
  public static final String ENGINE_LABEL = "holdfast.dev/engine";

  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<StoredEngineRecord> KIND =
      new ResourceKind<>(
          "EngineRecord",
          "enginerecords",
          List.of("hfer"),
          StoredEngineRecord.class,
          "A small record that the nodes of one engine share. Only engines write it.",
          List.of(
              ResourceKind.Column.of("Engine", "string", ".spec.engine", "Engine that wrote it."),
              ResourceKind.Column.of("Record", "string", ".spec.name", "Name of the record."),
              ResourceKind.Column.of("Version", "integer", ".spec.version", "Number of writes."),
              ResourceKind.Column.wide(
                  "Removed", "boolean", ".spec.removed", "Whether the engine removed it.")));

  /** Replaces null components by empty values. */
  public StoredEngineRecord {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, StoredEngineRecordSpec.EMPTY);
    status = Defaults.or(status, StoredEngineRecordStatus.EMPTY);
  }

  /** Returns a new resource with this content. */
  public static StoredEngineRecord of(StoredEngineRecordSpec spec) {
    ObjectMeta metadata =
        ObjectMeta.named(nameFor(spec.engine(), spec.name()))
            .withLabels(Map.of(ENGINE_LABEL, spec.engine()));
    return new StoredEngineRecord(metadata, spec, StoredEngineRecordStatus.EMPTY);
  }

  /**
   * Returns the name of the resource of a record. Engine names contain no dots, so the result is
   * unique.
   *
   * @param engine name of the engine
   * @param name of the record
   */
  public static String nameFor(String engine, String name) {
    return engine + "." + name;
  }

  @Override
  public ResourceKind<StoredEngineRecord> resourceKind() {
    return KIND;
  }

  @Override
  public StoredEngineRecord withMetadata(ObjectMeta newMetadata) {
    return new StoredEngineRecord(newMetadata, spec, status);
  }

  /** Returns this record with another content. */
  public StoredEngineRecord withSpec(StoredEngineRecordSpec newSpec) {
    return new StoredEngineRecord(metadata, newSpec, status);
  }

  @Override
  public StoredEngineRecord withSpecOf(StoredEngineRecord other) {
    return withSpec(other.spec());
  }

  @Override
  public StoredEngineRecord withStatusOf(StoredEngineRecord other) {
    return new StoredEngineRecord(metadata, spec, other.status());
  }

  @Override
  public List<FieldError> validate() {
    return new Checks()
        .all(spec.validate())
        .that(
            name().equals(nameFor(spec.engine(), spec.name())),
            "metadata.name",
            name(),
            "must be spec.engine, a dot and spec.name")
        .errors();
  }

  @Override
  public List<FieldError> validateChange(StoredEngineRecord earlier) {
    return spec.validateChange(earlier.spec());
  }
}
