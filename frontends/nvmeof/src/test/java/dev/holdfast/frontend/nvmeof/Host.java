package dev.holdfast.frontend.nvmeof;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A host in tests: its name and how it connects queues. */
record Host(UUID id, String name, HostOptions options, Wire.Dialer dialer) {
  static final int ANY = 0xffff;

  private static final Wire.Dialer PLAIN = (endpoint, host, subsystem) -> Wire.plain(endpoint);

  static Host of(HostOptions options) {
    UUID id = new UUID(0x1122334455667788L, 42);
    return new Host(id, "nqn.2014-08.org.nvmexpress:uuid:" + id, options, PLAIN);
  }

  /** Returns the same host with another way to connect. */
  Host over(Wire.Dialer another) {
    return new Host(id, name, options, another);
  }

  Host another() {
    UUID other = new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
    return new Host(other, "nqn.2014-08.org.nvmexpress:uuid:" + other, options, dialer);
  }

  /** An admin queue and the number of its controller. */
  record Admin(HostQueue queue, int controller) {}

  /** Connects and enables a controller. */
  Admin admin(URI endpoint, String subsystem, int keepAlive) throws IOException {
    HostQueue queue = HostQueue.open(dialer.dial(endpoint, name, subsystem), options);
    try {
      int controller =
          (int) await(queue.send(connect(0, 32, keepAlive), data(subsystem, ANY))).result();
      Outcome enabled = await(queue.send(property(0x14, 0x460001), 0));
      if (enabled.status() != 0) {
        throw new IOException("the controller cannot be enabled: " + enabled.status());
      }
      return new Admin(queue, controller & 0xffff);
    } catch (IOException e) {
      queue.close();
      throw e;
    }
  }

  /** Connects an I/O queue. */
  HostQueue io(URI endpoint, String subsystem, int controller, int number) throws IOException {
    HostQueue queue = HostQueue.open(dialer.dial(endpoint, name, subsystem), options);
    try {
      Outcome connected =
          await(queue.send(connect(number, 128, 0), data(subsystem, controller))).orThrow();
      if (!options.flowControl() && connected.head() != 0xffff) {
        throw new IOException("flow control was not switched off");
      }
      return queue;
    } catch (IOException e) {
      queue.close();
      throw e;
    }
  }

  Entry connect(int number, int entries, int keepAlive) {
    int attributes = options.flowControl() ? 0 : 1 << 2;
    return Entry.fabrics(1)
        .dword(10, number << 16)
        .dword(11, entries - 1 | attributes << 16)
        .dword(12, keepAlive);
  }

  byte[] data(String subsystem, int controller) {
    ByteBuffer data = ByteBuffer.allocate(1024);
    data.putLong(0, id.getMostSignificantBits()).putLong(8, id.getLeastSignificantBits());
    data.order(ByteOrder.LITTLE_ENDIAN).putShort(16, (short) controller);
    data.put(256, subsystem.getBytes(StandardCharsets.UTF_8));
    data.put(512, name.getBytes(StandardCharsets.UTF_8));
    return data.array();
  }

  static Entry property(int offset, int value) {
    return Entry.fabrics(0).dword(11, offset).dword(12, value);
  }

  static Entry propertyGet(int offset, boolean eight) {
    return Entry.fabrics(4).dword(10, eight ? 1 : 0).dword(11, offset);
  }

  /** Waits for an outcome with a time limit; a failed status becomes an exception. */
  static Outcome await(java.util.concurrent.CompletableFuture<Outcome> answer) throws IOException {
    try {
      return answer.get(20, TimeUnit.SECONDS).orThrow();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("no answer came", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
