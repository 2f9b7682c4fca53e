package dev.holdfast.engine.testkit;

class SharedMemoryEngineTest extends SharedDiskEngineKit {
  @Override
  protected EngineLab.SharedDisk lab() {
    return new SharedMemoryLab(Defect.NONE);
  }
}
