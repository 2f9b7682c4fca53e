package dev.holdfast.engine.testkit;

import org.junit.jupiter.api.Nested;

/**
 * Contract of engines that keep replicas on shared disks and protect them by a lock: {@code
 * DiskEngine} with {@code Fencing.DISK_LOCK}.
 */
public abstract class SharedDiskEngineKit extends EngineKit {

  @Override
  protected abstract EngineLab.SharedDisk lab();

  /** Inspection, preparation and release of disks. */
  @Nested
  public class Disks extends DiskTests {
    Disks() {
      super(SharedDiskEngineKit.this.lab());
    }
  }

  /** Two nodes with one disk. */
  @Nested
  public class Fences extends FencingTests {
    Fences() {
      super(SharedDiskEngineKit.this.lab());
    }
  }
}
