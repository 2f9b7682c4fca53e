package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues of one controller move to another version of the bundle one by one, in any order. */
@Timeout(60)
final class NvmeHandoverTest {
  private static final int BLOCK = 512;
  private static final long GREETED = 128;
  private static final long RESPONSE = 24;

  private final MemoryBlockDevice device = new MemoryBlockDevice(64 << 10);
  private final ExportState texts = ScriptedNvmeConnection.newState();
  private final NvmeofFrontend before = new NvmeofFrontend();
  private final NvmeofFrontend after = new NvmeofFrontend();
  private final ScriptedNvmeConnection admin = connection();
  private final ScriptedNvmeConnection io = connection();

  @Test
  void ioQueueThatConnectsToTheNextVersionWaitsForItsController() throws Exception {
    FrontendSession controller = enabled();
    FrontendSession queue = after.open(io);
    io.offer(queue, Streams.intoIo());
    assertThat(io.sent()).isEqualTo(GREETED);
    FrontendSession moved = after.resume(admin, parked(controller));
    awaitSent(io, GREETED + RESPONSE);
    io.offer(queue, read());
    assertThat(io.sent()).isGreaterThan(GREETED + RESPONSE + BLOCK);
    stop(moved, queue);
  }

  @Test
  void connectThatWaitsMovesToo() throws Exception {
    FrontendSession controller = enabled();
    NvmeofFrontend between = new NvmeofFrontend();
    FrontendSession waiting = between.open(io);
    io.offer(waiting, Streams.intoIo());
    FrontendSession queue = after.resume(io, parked(waiting));
    FrontendSession moved = after.resume(admin, parked(controller));
    awaitSent(io, GREETED + RESPONSE);
    stop(moved, queue);
  }

  @Test
  void ioQueueMayComeBeforeItsController() throws Exception {
    FrontendSession controller = enabled();
    FrontendSession queue = before.open(io);
    io.offer(queue, Streams.concat(List.of(Streams.intoIo(), read())));
    long sent = io.sent();
    FrontendSession next = after.resume(io, parked(queue));
    io.offer(next, read());
    assertThat(io.sent()).isEqualTo(sent + BLOCK + RESPONSE);
    FrontendSession moved = after.resume(admin, parked(controller));
    io.offer(next, read());
    assertThat(io.sent()).isEqualTo(sent + 2 * (BLOCK + RESPONSE));
    admin.offer(moved, Streams.capsule(Host.property(0x14, 0), 9, new byte[0]));
    assertThat(io.closed()).as("the disabled controller's queue").isTrue();
    stop(moved, next);
  }

  private FrontendSession enabled() {
    FrontendSession session = before.open(admin);
    admin.offer(session, Streams.intoAdmin(Streams.SUBSYSTEM));
    return session;
  }

  private static byte[] read() {
    return Streams.bare(Entry.io(0x02, 0, 1).descriptor(0x5a, BLOCK), 7);
  }

  private static SessionState parked(FrontendSession session) {
    session.stop(() -> {});
    return ((ReplaceableSession) session).state();
  }

  private static void stop(FrontendSession... sessions) {
    for (FrontendSession session : sessions) {
      session.stop(() -> {});
    }
  }

  private static void awaitSent(ScriptedNvmeConnection connection, long bytes) {
    while (connection.sent() < bytes) {
      Thread.onSpinWait();
    }
    assertThat(connection.sent()).isEqualTo(bytes);
  }

  private ScriptedNvmeConnection connection() {
    return new ScriptedNvmeConnection(Streams.EXPORT, device, texts);
  }
}
