package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A gate that is continuously held and released. */
class HeldDeviceKitTest extends BlockDeviceKit {
  @Override
  protected BlockDevice create(long size) {
    GatedDevice gate = new GatedDevice("kit", new ArrayDevice((int) size));
    Thread holder = new Thread(() -> holdUntilShut(gate), "holder");
    holder.setDaemon(true);
    holder.start();
    return gate;
  }

  private static void holdUntilShut(GatedDevice gate) {
    while (true) {
      try (GatedDevice.Hold hold = gate.hold(Duration.ofSeconds(10))) {
        hold.replace(hold.vacate());
      } catch (StorageException e) {
        if (e.code() == ErrorCode.IO) {
          return;
        }
        throw new AssertionError(e);
      }
      LockSupport.parkNanos(1_000);
    }
  }
}
