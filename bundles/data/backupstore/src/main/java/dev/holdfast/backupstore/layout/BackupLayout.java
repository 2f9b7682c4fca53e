package dev.holdfast.backupstore.layout;

/** How the backups of a volume are laid out at a target. */
public enum BackupLayout {
  /** The layout of Longhorn: blocks of 2 or 16 MiB, each an object. */
  LONGHORN,
  /** Chunks of 64 KiB and more in packs of 32 MiB, with maps of changes. */
  PACKED
}
