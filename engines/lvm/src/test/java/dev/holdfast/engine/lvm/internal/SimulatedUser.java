package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.lvm.testkit.SimulatedDevice;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A program of the host that has a device open. */
record SimulatedUser(SimulatedDevice device) implements HostConnection {
  @Override
  public long size() {
    return device.size();
  }

  @Override
  public byte[] read(long offset, int length) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(length);
    device.read(offset, content);
    return content.array();
  }

  @Override
  public void write(long offset, byte[] content) throws IOException {
    device.write(offset, ByteBuffer.wrap(content));
  }

  @Override
  public void flush() throws IOException {
    device.flush();
  }

  @Override
  public void close() {
    device.close();
  }
}
