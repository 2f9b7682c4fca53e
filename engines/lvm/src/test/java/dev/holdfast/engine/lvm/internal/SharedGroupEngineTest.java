package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.SharedDiskEngineKit;

/** The kit over a simulated group that several nodes share, with its disks and its locks. */
class SharedGroupEngineTest extends SharedDiskEngineKit {
  @Override
  protected EngineLab.SharedDisk lab() {
    return new SharedLab();
  }
}
