package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of a snapshot.
 *
 * @param volume the volume; never changes
 * @param createSnapshot whether the snapshot must be taken; otherwise the resource describes an
 *     existing snapshot
 * @param labels labels that are kept with the snapshot on disk
 * @param snapshotName name in the volume; empty for the name of the resource; never changes
 * @param exported whether the snapshot must be readable through the volume's frontend
 * @param revertRequest a new id requests a revert of the volume to this snapshot; applied once,
 *     while the volume is attached without a frontend
 * @param scrubRequest a new id requests a comparison of the snapshot with its checksums
 * @param changes request for the ranges in which the snapshot differs from an earlier one
 */
@RecordBuilder
public record SnapshotSpec(
    String volume,
    Boolean createSnapshot,
    Map<String, String> labels,
    String snapshotName,
    boolean exported,
    String revertRequest,
    String scrubRequest,
    ChangesRequest changes)
    implements SnapshotSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SnapshotSpec EMPTY = SnapshotSpecBuilder.builder().build();

  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,199}";
  private static final int LONGEST_REQUEST = 253;

  /** Replaces null components by their defaults and copies the collections. */
  public SnapshotSpec {
    volume = Defaults.text(volume);
    createSnapshot = Defaults.or(createSnapshot, Boolean.TRUE);
    labels = Defaults.map(labels);
    snapshotName = Defaults.text(snapshotName);
    revertRequest = Defaults.text(revertRequest);
    scrubRequest = Defaults.text(scrubRequest);
    changes = Defaults.or(changes, ChangesRequest.NONE);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    String name = snapshotName.isEmpty() ? metadata.name() : snapshotName;
    return changes
        .checked(new Checks(), "spec.changes")
        .name(volume, "spec.volume")
        .that(
            name.matches(NAME) || (snapshotName.isEmpty() && !Checks.isName(name)),
            snapshotName.isEmpty() ? "metadata.name" : "spec.snapshotName",
            name,
            "must be at most 200 letters, digits, dots, dashes and underscores, starting with a"
                + " letter or digit")
        .that(
            revertRequest.length() <= LONGEST_REQUEST,
            "spec.revertRequest",
            revertRequest,
            "must be at most " + LONGEST_REQUEST + " characters")
        .that(
            scrubRequest.length() <= LONGEST_REQUEST,
            "spec.scrubRequest",
            scrubRequest,
            "must be at most " + LONGEST_REQUEST + " characters")
        .that(
            isTime(metadata.annotations().getOrDefault(Snapshot.CREATED_ANNOTATION, "")),
            "metadata.annotations[" + Snapshot.CREATED_ANNOTATION + "]",
            metadata.annotations().getOrDefault(Snapshot.CREATED_ANNOTATION, ""),
            "must be a time such as 2026-11-20T23:22:57Z")
        .errors();
  }

  private static boolean isTime(String text) {
    try {
      return text.isEmpty() || !Instant.parse(text).isBefore(Instant.EPOCH);
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  List<FieldError> validateChange(SnapshotSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.snapshotName, snapshotName, "spec.snapshotName")
        .errors();
  }
}
