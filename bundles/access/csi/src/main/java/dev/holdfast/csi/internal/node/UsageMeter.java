package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;

/** Measures the usage of volumes. Thread-safe. */
@FunctionalInterface
interface UsageMeter {

  /**
   * Measures a volume.
   *
   * @param record how it is used on this host
   * @param path where it is
   * @throws StorageException IO, also when it is unmounted during the call
   */
  Csi.NodeGetVolumeStatsResponse measure(StagedVolume record, String path) throws StorageException;
}
