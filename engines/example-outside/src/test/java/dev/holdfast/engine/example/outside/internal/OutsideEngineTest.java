package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.SharedDiskEngineKit;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class OutsideEngineTest extends SharedDiskEngineKit {
  @Override
  protected EngineLab.SharedDisk lab() {
    return new OutsideLab();
  }
}
