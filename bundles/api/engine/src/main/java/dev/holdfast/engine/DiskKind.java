package dev.holdfast.engine;

/**
 * Kinds of disks that can hold replicas.
 *
 * @since 2.1
 */
public enum DiskKind {
  /** A directory of a mounted filesystem. The platform inspects and measures it itself. */
  DIRECTORY,
  /** A block device that one engine uses alone. */
  DEVICE,
  /** A volume group of LVM; its path is {@code /dev/NAME}. */
  VOLUME_GROUP
}
