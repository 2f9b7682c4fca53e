package dev.holdfast.cli;

import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.VolumeSpec;
import picocli.CommandLine.Option;

/** Which rules hold for a volume whatever the settings say; what is not given stays as it is. */
final class RuleOptions {
  @Option(
      names = "--unmap-mark-snap-chain-removed",
      paramLabel = "RULE",
      description = {
        "Whether a trim gives up the snapshots that keep it from reclaiming space: enabled,"
            + " disabled, or ignored for what the setting says."
      })
  private SettingOverride unmapMarkSnapChainRemoved;

  @Option(
      names = "--freeze-filesystem-for-snapshot",
      paramLabel = "RULE",
      description = {
        "Whether the mounted filesystem is frozen while a snapshot is taken: enabled, disabled, or"
            + " ignored for what the setting says."
      })
  private SettingOverride freezeFilesystemForSnapshot;

  /** Returns a volume's spec with what was given. */
  VolumeSpec applyTo(VolumeSpec present) {
    VolumeSpec changed = present;
    if (unmapMarkSnapChainRemoved != null) {
      changed = changed.withUnmapMarkSnapChainRemoved(unmapMarkSnapChainRemoved);
    }
    if (freezeFilesystemForSnapshot != null) {
      changed = changed.withFreezeFilesystemForSnapshot(freezeFilesystemForSnapshot);
    }
    return changed;
  }
}
