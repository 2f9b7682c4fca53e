package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.lvm.testkit.SimulatedDevice;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A simulated device with the rules of O_DIRECT. */
record SimulatedRaw(SimulatedDevice device, Access access) implements RawDevice {
  private static void requireAligned(long offset, ByteBuffer buffer) {
    assertThat(offset % ALIGNMENT).as("offset %d", offset).isZero();
    assertThat(buffer.remaining() % ALIGNMENT).as("length %d", buffer.remaining()).isZero();
    assertThat(buffer.alignmentOffset(buffer.position(), ALIGNMENT)).as("address").isZero();
  }

  @Override
  public void read(long offset, ByteBuffer target) throws IOException {
    requireAligned(offset, target);
    device.read(offset, target);
  }

  @Override
  public void write(long offset, ByteBuffer source) throws IOException {
    requireAligned(offset, source);
    assertThat(access).as("access of a write").isNotEqualTo(Access.READ);
    device.write(offset, source);
  }

  @Override
  public void flush() throws IOException {
    device.flush();
  }

  @Override
  public boolean discard(long offset, long length) throws IOException {
    boolean able = access == Access.WRITE_AND_DISCARD || access == Access.WRITE_THROUGH;
    if (able) {
      device.discard(offset, length);
    }
    return able;
  }

  @Override
  public void close() {
    device.close();
  }
}
