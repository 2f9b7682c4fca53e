package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The fields that one client manages, as in Kubernetes' {@code ManagedFieldsEntry}. Immutable.
 *
 * @param manager the client's name, for example {@code kubectl}
 * @param operation operation by which the client became their manager
 * @param apiVersion of the fields' names
 * @param time time of the client's last apply or write, to the microsecond
 * @param fieldsType always {@code FieldsV1}
 * @param fieldsV1 the fields
 */
@RecordBuilder
public record ManagedFields(
    String manager,
    ManagedFieldsOperation operation,
    String apiVersion,
    Optional<Instant> time,
    String fieldsType,
    FieldsV1 fieldsV1)
    implements ManagedFieldsBuilder.With {
  /**
   * Annotation in which a store keeps the managed fields if its server uses its own field of that
   * name.
   */
  public static final String ANNOTATION = "holdfast.dev/managed-fields";

  private static final String FIELDS_V1 = "FieldsV1";

  /** Replaces null components by their defaults. */
  public ManagedFields {
    manager = Defaults.text(manager);
    operation = Defaults.or(operation, ManagedFieldsOperation.UPDATE);
    apiVersion = Defaults.or(apiVersion, ResourceKind.API_VERSION);
    time = Defaults.optional(time);
    fieldsType = Defaults.or(fieldsType, FIELDS_V1);
    fieldsV1 = Defaults.or(fieldsV1, FieldsV1.NONE);
  }

  /**
   * Returns the fields of a client.
   *
   * @param manager the client's name, not null
   * @param operation operation by which the client became their manager, not null
   * @param time time of the operation, not null
   * @param fields the fields, not null
   */
  public static ManagedFields of(
      String manager, ManagedFieldsOperation operation, Instant time, FieldsV1 fields) {
    return new ManagedFields(
        manager, operation, ResourceKind.API_VERSION, Optional.of(time), FIELDS_V1, fields);
  }
}
