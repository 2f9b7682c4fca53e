package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

/** Runs inside the virtual machine: the kit on real LVM. */
final class LvmKitInGuest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new RealLab(4096);
  }
}
