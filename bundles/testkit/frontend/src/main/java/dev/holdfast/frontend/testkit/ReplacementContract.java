package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.ReplaceableFrontend;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The frontend's bundle is replaced under I/O. Connections stay open, and requests do not fail, are
 * not lost and are not repeated. For frontends that implement {@link ReplaceableFrontend}.
 */
public abstract class ReplacementContract extends FrontendContract {
  private static final int DEPTH = 32;
  private static final int BLOCK = 4096;
  private static final int TIMES = 20;

  private Replacements replacements;

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected ReplacementContract(FrontendFixture fixture) {
    super(fixture);
  }

  @BeforeEach
  final void begin() throws Exception {
    assumeTrue(
        frontend() instanceof ReplaceableFrontend,
        "the frontend is not replaceable: its connections are closed");
    replacements = new Replacements(portal(), frontend());
  }

  @Test
  final void everyRequestIsDoneOnceWhileVersionsFollowEachOther() throws Exception {
    CountingBlockDevice device = new CountingBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("replaced", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      int rounds = 0;
      for (int i = 0; i < TIMES; i++) {
        List<CompletableFuture<Void>> round = writeRound(client, rounds++);
        switch (i % 3) {
          case 0 -> replacements.sideBySide(fixture().frontend());
          case 1 -> replacements.inPlace(fixture().frontend());
          default -> replacements.thereAndBack(fixture().frontend());
        }
        for (CompletableFuture<Void> write : round) {
          get(write);
        }
        readBack(client, rounds - 1);
      }
      assertThat(device.changes()).as("writes at the device").isEqualTo(rounds * DEPTH);
    }
  }

  @Test
  final void durabilityReachesTheDeviceOnce() throws Exception {
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("durable", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      for (int i = 0; i < TIMES; i++) {
        CompletableFuture<Void> write = client.write(0, random(BLOCK, i), true);
        CompletableFuture<Void> flush = client.flush();
        replacements.sideBySide(fixture().frontend());
        get(write);
        get(flush);
      }
      assertThat(device.durableWrites() + device.flushes())
          .as("durable writes and flushes at the device")
          .isEqualTo(2 * TIMES);
    }
  }

  @Test
  final void requestReceivedInPartIsDoneByTheNextVersion() throws Exception {
    PublishedExport export = publish("partial", new MemoryBlockDevice(SIZE));
    try (Relay relay = Relay.to(export.endpoint().getPort());
        FrontendClient client = fixture().connect(through(relay, export, "partial"))) {
      for (int bytes : new int[] {1, 7, 27, 30, 300, 9000}) {
        byte[] data = random(20 * 512, bytes);
        relay.sendOnly(bytes);
        CompletableFuture<Void> write = client.write(0, data, false);
        awaitThat(relay::sent, () -> "expected " + bytes + " bytes of a request to be received");
        replacements.sideBySide(fixture().frontend());
        replacements.inPlace(fixture().frontend());
        assertThat(write).as("a write that was received in part").isNotDone();
        relay.open();
        get(write);
        assertContent(get(client.read(0, data.length)), data);
      }
    }
  }

  @Test
  final void replySentInPartIsSentToItsEnd() throws Exception {
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("answered", device);
    byte[] data = random(SIZE, 1);
    try (Relay relay = Relay.to(export.endpoint().getPort());
        FrontendClient client = fixture().connect(through(relay, export, "answered"))) {
      get(client.write(0, data, false));
      relay.answerOnly(50_000);
      CompletableFuture<byte[]> read = client.read(0, SIZE);
      CompletableFuture<byte[]> behind = client.read(BLOCK, BLOCK);
      replacements.beside(fixture().frontend());
      replacements.leave();
      assertThat(read).as("a read whose reply was sent in part").isNotDone();
      relay.open();
      assertContent(get(read), data);
      assertContent(get(behind), Arrays.copyOfRange(data, BLOCK, 2 * BLOCK));
    }
  }

  @Test
  final void requestsAtTheDeviceAreAwaitedAndAnswered() throws Exception {
    HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("held", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      List<CompletableFuture<Void>> writes = writeRound(client, 1);
      awaitHeld(device, DEPTH);
      replacements.beside(fixture().frontend());
      // The client's other connections have no requests at the device and continue at once.
      replacements.awaitAtNewest(fixture().connections() - 1);
      // Checked only now, because another session may have been parked before.
      replacements.await("one session that waits for its requests", part -> part.parked() == 1);
      CompletableFuture<byte[]> behind = client.read(0, BLOCK);
      for (int i = 0; i < DEPTH; i++) {
        device.releaseNewest();
      }
      for (CompletableFuture<Void> write : writes) {
        get(write);
      }
      device.releaseOldest();
      assertContent(get(behind), content(1, 0));
      replacements.awaitAtNewest(fixture().connections());
    }
  }

  @Test
  final void newSizeIsSeenByTheNextVersion() throws Exception {
    AtomicLong size = new AtomicLong(SIZE / 2);
    BlockDevice device =
        new ForwardingBlockDevice(new MemoryBlockDevice(SIZE)) {
          @Override
          public long size() {
            return size.get();
          }

          @Override
          public void read(long offset, ByteBuffer target, Completion completion) {
            if (BlockRanges.inside(offset, target.remaining(), size(), completion)) {
              super.read(offset, target, completion);
            }
          }
        };
    PublishedExport export = publish("grown", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      assertThatThrownBy(
              () -> get(client.read(SIZE / 2, BLOCK)),
              "a read behind the end of the device, before it grows")
          .hasCauseInstanceOf(RequestFailedException.class);
      size.set(SIZE);
      replacements.sideBySide(fixture().frontend());
      assertContent(get(client.read(SIZE / 2, BLOCK)), new byte[BLOCK]);
    }
  }

  @Test
  final void encryptedConnectionsContinue(@TempDir Path directory) throws Exception {
    assumeTrue(
        fixture() instanceof SecureFrontendFixture,
        "the protocol has no TLS, or the fixture has no client with TLS");
    NodeTls tls = TlsDirectory.prepare(directory, List.of("127.0.0.1"), Clock.systemUTC());
    portal().arrived(tls);
    PublishedExport export = publish("secret", new MemoryBlockDevice(SIZE));
    SecureFrontendFixture secure = (SecureFrontendFixture) fixture();
    try (FrontendClient client = secure.connectSecurely(export.endpoint(), tls.peerContext())) {
      for (int i = 0; i < TIMES; i++) {
        List<CompletableFuture<Void>> round = writeRound(client, i);
        if (i % 2 == 0) {
          replacements.sideBySide(fixture().frontend());
        } else {
          replacements.inPlace(fixture().frontend());
        }
        for (CompletableFuture<Void> write : round) {
          get(write);
        }
        readBack(client, i);
      }
    }
  }

  @Test
  final void manyConnectionsMove() throws Exception {
    PublishedExport export = publish("crowd", new MemoryBlockDevice(SIZE));
    int connections = 40 * fixture().connections();
    List<FrontendClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        clients.add(fixture().connect(export.endpoint()));
      }
      replacements.sideBySide(fixture().frontend());
      assertThat(replacements.servedByNewest())
          .as("sessions of the newest version")
          .isEqualTo(connections);
      assertThat(replacements.part().lastPauses()).hasSize(connections);
      replacements.inPlace(fixture().frontend());
      for (int i = 0; i < clients.size(); i++) {
        get(clients.get(i).write((long) BLOCK * i, content(i, i), false));
        assertContent(get(clients.get(i).read((long) BLOCK * i, BLOCK)), content(i, i));
      }
    } finally {
      for (FrontendClient client : clients) {
        client.close();
      }
    }
  }

  private URI through(Relay relay, PublishedExport export, String name) {
    return frontend().endpoint(export.endpoint().getHost(), relay.port(), name);
  }

  private static List<CompletableFuture<Void>> writeRound(FrontendClient client, int round) {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < DEPTH; i++) {
      writes.add(client.write((long) BLOCK * i, content(round, i), false));
    }
    return writes;
  }

  private static void readBack(FrontendClient client, int round) throws Exception {
    List<CompletableFuture<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < DEPTH; i++) {
      reads.add(client.read((long) BLOCK * i, BLOCK));
    }
    for (int i = 0; i < DEPTH; i++) {
      assertContent(get(reads.get(i)), content(round, i));
    }
  }

  private static byte[] content(int round, int block) {
    return random(BLOCK, 1000L * round + block);
  }
}
