package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;

/** Measures the usage of volumes. Thread-safe. */
@FunctionalInterface
interface UsageMeter {

  /**
   * Measures a volume.
   *
   * @param record its record on this host
   * @param path its path
   * @throws StorageException IO, also when it is unmounted during the call
   */
  Csi.NodeGetVolumeStatsResponse measure(StagedVolume record, String path) throws StorageException;
}
