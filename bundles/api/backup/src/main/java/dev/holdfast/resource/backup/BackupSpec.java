package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of a backup.
 *
 * @param volume name of the volume; never changes
 * @param snapshotName name of the Snapshot resource that is backed up; empty to take a snapshot;
 *     never changes
 * @param backupTargetName name of the target; never changes
 * @param backupMode incremental to send only blocks that the target does not have, full to send all
 *     blocks again; never changes
 * @param labels labels that the target keeps with the backup; never change
 * @param nameAtTarget name of the backup at the target; empty for the name of the resource; never
 *     changes
 * @param verifyRequest any text; a new text requests a comparison of all blocks at the target with
 *     their checksums, and status.verification.request contains the text when the comparison is
 *     complete
 * @param exported whether hosts can read the backup at status.endpoint, without a volume
 * @param exportFrontend name of the frontend of the export
 * @param exportNodeID the node of the export; empty for any node
 */
@RecordBuilder
public record BackupSpec(
    String volume,
    String snapshotName,
    String backupTargetName,
    BackupMode backupMode,
    Map<String, String> labels,
    String nameAtTarget,
    String verifyRequest,
    boolean exported,
    String exportFrontend,
    String exportNodeID)
    implements BackupSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupSpec EMPTY = BackupSpecBuilder.builder().build();

  private static final int SHORTEST_NAME = 2;
  private static final int LONGEST_NAME = 63;

  /** Replaces null components by their defaults and copies the collections. */
  public BackupSpec {
    volume = Defaults.text(volume);
    snapshotName = Defaults.text(snapshotName);
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    backupMode = Defaults.or(backupMode, BackupMode.INCREMENTAL);
    labels = Defaults.map(labels);
    nameAtTarget = Defaults.text(nameAtTarget);
    verifyRequest = Defaults.text(verifyRequest);
    exportFrontend = Defaults.or(exportFrontend, "nbd");
    exportNodeID = Defaults.text(exportNodeID);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    int length = metadata.name().length();
    return new Checks()
        .that(
            (length >= SHORTEST_NAME && length <= LONGEST_NAME) || !Checks.isName(metadata.name()),
            "metadata.name",
            metadata.name(),
            "must be 2 to " + LONGEST_NAME + " characters, because objects are named by it")
        .name(volume, "spec.volume")
        .that(
            volume.length() != 1,
            "spec.volume",
            volume,
            "must be at least 2 characters, because targets keep no shorter names")
        .optionalName(snapshotName, "spec.snapshotName")
        .name(backupTargetName, "spec.backupTargetName")
        .that(
            nameAtTarget.isEmpty() || nameAtTarget.matches("[a-zA-Z0-9][a-zA-Z0-9_.-]{1,199}"),
            "spec.nameAtTarget",
            nameAtTarget,
            "must be 2 to 200 letters, digits, dots, hyphens or underscores, or empty")
        .name(exportFrontend, "spec.exportFrontend")
        .optionalName(exportNodeID, "spec.exportNodeID")
        .all(SyncRequests.validate("spec.verifyRequest", verifyRequest))
        .errors();
  }

  List<FieldError> validateChange(BackupSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.snapshotName, snapshotName, "spec.snapshotName")
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.backupMode, backupMode, "spec.backupMode")
        .immutable(earlier.labels, labels, "spec.labels")
        .immutable(earlier.nameAtTarget, nameAtTarget, "spec.nameAtTarget")
        .errors();
  }
}
