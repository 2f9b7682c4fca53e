package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * What is wanted of a snapshot.
 *
 * @param volume the volume; never changes
 * @param createSnapshot whether it is to be taken, or only describes one that is there
 * @param labels kept with the snapshot on disk
 */
@RecordBuilder
public record SnapshotSpec(String volume, Boolean createSnapshot, Map<String, String> labels)
    implements SnapshotSpecBuilder.With {
  /** Nothing set. */
  public static final SnapshotSpec EMPTY = new SnapshotSpec(null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public SnapshotSpec {
    volume = Defaults.text(volume);
    createSnapshot = Defaults.or(createSnapshot, Boolean.TRUE);
    labels = Defaults.map(labels);
  }

  List<FieldError> validate() {
    return new Checks().name(volume, "spec.volume").errors();
  }

  List<FieldError> validateChange(SnapshotSpec earlier) {
    return new Checks().immutable(earlier.volume, volume, "spec.volume").errors();
  }
}
