package dev.holdfast.lvm.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open device of a simulated host. Requests wait while the device or one below it is suspended,
 * and fail if a table requires it. Thread-safe.
 */
public final class SimulatedDevice implements AutoCloseable {
  private final SimulatedLvm host;
  private final SimulatedMapper.Device device;
  private boolean closed;

  SimulatedDevice(SimulatedLvm host, SimulatedMapper.Device device) {
    this.host = host;
    this.device = device;
    device.opened++;
  }

  /** Effect of a request on the content below. */
  private interface Request {
    void run(SimulatedBytes content);
  }

  private void request(long end, Request request) throws IOException {
    synchronized (host.group()) {
      SimulatedBytes content = host.awaitContent(device);
      if (closed || end > size()) {
        throw new IOException("the request ends behind the device, or the device is closed");
      }
      request.run(content);
    }
  }

  /** Returns the size in bytes. */
  public long size() {
    synchronized (host.group()) {
      return device.sectors() * 512;
    }
  }

  /**
   * Reads.
   *
   * @throws IOException when a table fails the request
   */
  public void read(long offset, ByteBuffer target) throws IOException {
    request(offset + target.remaining(), content -> content.read(offset, target));
  }

  /**
   * Writes.
   *
   * @throws IOException when a table fails the request
   */
  public void write(long offset, ByteBuffer source) throws IOException {
    request(offset + source.remaining(), content -> content.write(offset, source));
  }

  /**
   * Discards a range.
   *
   * @throws IOException when a table fails the request
   */
  public void discard(long offset, long length) throws IOException {
    request(offset + length, content -> content.discard(offset, length));
  }

  /**
   * Flushes.
   *
   * @throws IOException when a table fails the request
   */
  public void flush() throws IOException {
    request(0, content -> {});
  }

  /** Closes the device; idempotent. */
  @Override
  public void close() {
    synchronized (host.group()) {
      if (!closed) {
        closed = true;
        device.opened--;
        host.mapper.closed(device);
      }
    }
  }
}
