package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The source of a volume's first content.
 *
 * @param volume the volume to copy
 * @param snapshot name in that volume of the snapshot to copy; empty to take a new snapshot for the
 *     copy
 */
@RecordBuilder
public record CloneSource(String volume, String snapshot) implements CloneSourceBuilder.With {
  /** Finalizer of volumes and snapshots whose content an unfinished copy still needs. */
  public static final String NEEDED_FINALIZER = "holdfast.dev/copied";

  /** Annotation of a volume or snapshot with the copies that need it, separated by commas. */
  public static final String COPIES_ANNOTATION = "holdfast.dev/copied-into";

  /** Replaces null components by their defaults. */
  public CloneSource {
    volume = Defaults.text(volume);
    snapshot = Defaults.text(snapshot);
  }

  List<FieldError> validate(ObjectMeta metadata, String path) {
    return new Checks()
        .name(volume, path + ".volume")
        .that(
            !volume.equals(metadata.name()),
            path + ".volume",
            volume,
            "must be another volume than this one")
        .errors();
  }
}
