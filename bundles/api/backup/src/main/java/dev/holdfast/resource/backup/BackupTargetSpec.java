package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Set;

/**
 * The wanted state of a backup target. The fields have the names that Longhorn uses.
 *
 * @param backupTargetURL address of the target, for example file:///backups; each node must reach
 *     it
 * @param credentialSecret name of the secret that holds the credentials of the target; empty for
 *     none
 * @param layout form of the backups of volumes without a backup at the target. longhorn is the form
 *     of Longhorn; packed stores changes of 64 KiB and sends few objects. A volume stays in the
 *     layout of its first backup
 * @param compressionMethod how the blocks of volumes without a backup at the target are stored:
 *     lz4, gzip, none, or zstd with the packed layout. The backups of images are in the layout of
 *     Longhorn, and stored by lz4 instead of zstd
 * @param blockSize size of the blocks of volumes without a backup at the target: 2Mi or 16Mi;
 *     without effect on the packed layout
 * @param pollInterval seconds after which the target is scanned again for backups of other
 *     clusters; 0 to scan only on request
 * @param encryptionSecret name of the secret with the keys of packed backups; empty for none. Each
 *     entry is a key of at least 32 characters, and the last one by its name is the newest. To
 *     rotate, add an entry, wait until the target is available, and remove the earlier one. Without
 *     a key, no backup can be read
 * @param syncRequest any text; a new text requests a scan of the target, and status.synced contains
 *     the text when the scan is complete
 */
@RecordBuilder
public record BackupTargetSpec(
    String backupTargetURL,
    String credentialSecret,
    String layout,
    String compressionMethod,
    Quantity blockSize,
    int pollInterval,
    String encryptionSecret,
    String syncRequest)
    implements BackupTargetSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupTargetSpec EMPTY = BackupTargetSpecBuilder.builder().build();

  private static final int LONGEST_ADDRESS = 1024;
  private static final int SHORTEST_INTERVAL = 30;
  private static final int LONGEST_INTERVAL = 30 * 86_400;
  private static final Set<String> METHODS = Set.of("lz4", "gzip", "none");
  private static final Set<Long> BLOCK_SIZES = Set.of(2L << 20, 16L << 20);

  /** Replaces null components by their defaults. */
  public BackupTargetSpec {
    backupTargetURL = Defaults.text(backupTargetURL);
    credentialSecret = Defaults.text(credentialSecret);
    layout = Defaults.or(layout, "longhorn");
    compressionMethod = Defaults.or(compressionMethod, "lz4");
    blockSize = Defaults.or(blockSize, new Quantity(2 << 20));
    encryptionSecret = Defaults.text(encryptionSecret);
    syncRequest = Defaults.text(syncRequest);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    return new Checks()
        .that(
            backupTargetURL.length() <= LONGEST_ADDRESS
                && backupTargetURL.matches("[a-z][a-z0-9+.-]*://[^\\p{Cntrl} #]*")
                && !BackupAddresses.namesContent(backupTargetURL),
            "spec.backupTargetURL",
            backupTargetURL,
            "must be an address that names no backup, for example file:///backups, of at most "
                + LONGEST_ADDRESS
                + " characters")
        .optionalName(credentialSecret, "spec.credentialSecret")
        .that(
            Set.of("longhorn", "packed").contains(layout),
            "spec.layout",
            layout,
            "must be longhorn or packed")
        .that(
            METHODS.contains(compressionMethod) || compressionMethod.equals("zstd"),
            "spec.compressionMethod",
            compressionMethod,
            "must be lz4, gzip, zstd or none")
        .that(
            layout.equals("packed") || !compressionMethod.equals("zstd"),
            "spec.compressionMethod",
            compressionMethod,
            "needs the packed layout: set spec.layout to packed, or use lz4, gzip or none")
        .that(
            BLOCK_SIZES.contains(blockSize.bytes()),
            "spec.blockSize",
            blockSize,
            "must be 2Mi or 16Mi")
        .that(
            pollInterval == 0
                || (pollInterval >= SHORTEST_INTERVAL && pollInterval <= LONGEST_INTERVAL),
            "spec.pollInterval",
            pollInterval,
            "must be 0 for scans on request only, or "
                + SHORTEST_INTERVAL
                + " to "
                + LONGEST_INTERVAL
                + " seconds")
        .optionalName(encryptionSecret, "spec.encryptionSecret")
        .that(
            encryptionSecret.isEmpty() || layout.equals("packed"),
            "spec.encryptionSecret",
            encryptionSecret,
            "needs the packed layout: set spec.layout to packed")
        .all(SyncRequests.validate("spec.syncRequest", syncRequest))
        .errors();
  }

  List<FieldError> validateChange(BackupTargetSpec earlier) {
    return List.of();
  }
}
