package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.resource.backup.BackupVolume;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Findings of a scan of one volume at a target.
 *
 * @param order the order that the scan serves
 * @param present whether the target has any object of the volume
 * @param volume its description; empty if it cannot be read
 * @param backups the complete backups that can be read
 * @param vanished names of expected backups that are certainly absent at the target
 * @param problems failures of reads
 */
record ScannedVolume(
    Order order,
    boolean present,
    Optional<StoredVolume> volume,
    List<BackupSummary> backups,
    Set<String> vanished,
    List<String> problems) {

  /**
   * Order for a scan of one volume, as of its start.
   *
   * @param volume the resource
   * @param scan number of the preceding scan of the target
   * @param known names of the backups of the volume that the store had
   * @param expected those of them that were complete, with the times of their completion
   */
  record Order(
      BackupVolume volume, long scan, Set<String> known, Map<String, Optional<Instant>> expected) {
    String volumeName() {
      return volume.spec().volumeName();
    }
  }
}
