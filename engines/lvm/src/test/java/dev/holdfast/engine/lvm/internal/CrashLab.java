package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.vm.testkit.RecordingHost;
import java.util.List;

/** A lab that can end its process at each command and at each write of a record. */
interface CrashLab extends EngineLab {
  RecordingHost host();

  MemoryRecords records();

  /** Returns the logical volumes and mapped devices of the host. */
  List<String> leftovers() throws StorageException;

  @Override
  LvmEngine start();
}
