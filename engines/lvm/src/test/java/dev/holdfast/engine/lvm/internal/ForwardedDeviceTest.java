package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume that node-2 has open, as a device of node-1, which calls node-2 over TLS. */
class ForwardedDeviceTest {
  /** Larger than one message. */
  private static final int LONG = (5 << 20) / 2;

  @TempDir Path folder;
  private ForwardingLab lab;

  @BeforeEach
  void start() throws Exception {
    lab = new ForwardingLab(folder);
  }

  @AfterEach
  void stop() {
    lab.close();
  }

  private static byte[] bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void nodeThatIsNotAdmittedIsRefused() {
    assertThatThrownBy(() -> lab.join("unknown"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("volume unknown does not admit node node-1");
  }

  @Test
  void transferThatIsLongerThanAMessageArrivesWhole() throws Exception {
    try (BlockDevice device = lab.create(4 << 20)) {
      DeviceIo io = new DeviceIo(device);
      io.write(4096, bytes(LONG, 7));
      assertThat(io.read(4096, LONG)).containsOnly(7);
      assertThat(io.read(0, 4096)).containsOnly(0);
    }
  }

  @Test
  void requestsWaitUntilTheNodeIsAdmittedAgain() throws Exception {
    BlockDevice volume = lab.opened(1 << 20);
    Admission first = lab.admitted.admit("again", ForwardingLab.NEAR, volume);
    try (RemoteVolumeDevice device = lab.join("again")) {
      first.close();
      Outcome waiting = new Outcome();
      device.write(0, DeviceIo.direct(bytes(4096, 5)), IoFlags.FUA, waiting);
      assertThat(new DeviceIo(volume).read(0, 4096)).as("while it is refused").containsOnly(0);
      assertThat(waiting.calls()).isZero();
      Admission second = lab.admitted.admit("again", ForwardingLab.NEAR, volume);
      waiting.get();
      second.close();
      assertThat(new DeviceIo(volume).read(0, 4096)).containsOnly(5);
    }
  }
}
