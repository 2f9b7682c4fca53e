package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A volume on a portal, and hosts that connect to it. */
@Timeout(60)
abstract class NvmeTestBase {
  static final int SIZE = 4 << 20;
  static final int BLOCK = 512;

  final MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
  final Host host = Host.of(HostOptions.PLAIN);
  private final List<HostQueue> queues = new ArrayList<>();
  NvmeServer server;
  URI endpoint;
  String subsystem;

  @BeforeEach
  final void startServer() throws Exception {
    server = server();
    endpoint = server.publish("volume", device).endpoint();
    subsystem = endpoint.getPath().substring(1);
  }

  NvmeServer server() throws Exception {
    return NvmeServer.start();
  }

  @AfterEach
  final void closeAll() throws Exception {
    for (HostQueue queue : queues) {
      queue.close();
    }
    server.close();
  }

  final Host.Admin admin() throws Exception {
    return admin(host, 0);
  }

  final Host.Admin admin(Host from, int keepAlive) throws Exception {
    Host.Admin admin = from.admin(endpoint, subsystem, keepAlive);
    queues.add(admin.queue());
    return admin;
  }

  /** Connects a controller and its first I/O queue. */
  final HostQueue io() throws Exception {
    return io(host, admin());
  }

  final HostQueue io(Host from, Host.Admin admin) throws Exception {
    HostQueue io = from.io(endpoint, subsystem, admin.controller(), 1);
    queues.add(io);
    return io;
  }

  final HostQueue opened(HostQueue queue) {
    queues.add(queue);
    return queue;
  }

  static Outcome get(CompletableFuture<Outcome> answer) throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }

  static ByteBuffer page(Outcome outcome) throws Exception {
    return ByteBuffer.wrap(outcome.orThrow().data()).order(ByteOrder.LITTLE_ENDIAN);
  }

  static Entry identify(int structure, int namespace) {
    return new Entry(0x06).namespace(namespace).dword(10, structure);
  }

  static Entry log(int log, int bytes) {
    return new Entry(0x02).namespace(0xffffffff).dword(10, log | (bytes / 4 - 1) << 16);
  }

  static Entry feature(boolean set, int feature, int value) {
    return new Entry(set ? 0x09 : 0x0a).dword(10, feature).dword(11, value);
  }

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
