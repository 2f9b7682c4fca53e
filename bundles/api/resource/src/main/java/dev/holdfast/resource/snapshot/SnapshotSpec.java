package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * What is wanted of a snapshot.
 *
 * @param volume the volume; never changes
 * @param createSnapshot whether it is to be taken, or only describes one that is there
 * @param labels kept with the snapshot on disk
 * @param snapshotName its name in the volume, empty for the name of the resource; never changes
 * @param exported whether it is to be readable through the volume's frontend
 * @param revertRequest an id that nobody used before asks to make it the volume's content; carried
 *     out once, while the volume is attached without a frontend
 * @param scrubRequest an id that nobody used before asks to compare it with its checksum
 * @param changes asks where it differs from an earlier snapshot
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
  /** Nothing set. */
  public static final SnapshotSpec EMPTY =
      new SnapshotSpec(null, null, null, null, false, null, null, null);

  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,199}";
  private static final int LONGEST_REQUEST = 253;

  /** Replaces what is null by its default and copies the collections. */
  public SnapshotSpec {
    volume = Defaults.text(volume);
    createSnapshot = Defaults.or(createSnapshot, Boolean.TRUE);
    labels = Defaults.map(labels);
    snapshotName = Defaults.text(snapshotName);
    revertRequest = Defaults.text(revertRequest);
    scrubRequest = Defaults.text(scrubRequest);
    changes = Defaults.or(changes, ChangesRequest.NONE);
  }

  /** A snapshot with nothing asked of it. */
  public SnapshotSpec(String volume, Boolean createSnapshot, Map<String, String> labels) {
    this(volume, createSnapshot, labels, null, false, null, null, null);
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
        .errors();
  }

  List<FieldError> validateChange(SnapshotSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.snapshotName, snapshotName, "spec.snapshotName")
        .errors();
  }
}
