package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.wire.DataHandshake;
import dev.holdfast.engine.sparse.internal.wire.PlainDataSocket;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session with a replica of another node, with and without TLS. */
@Timeout(60)
class NetworkLinkTest {
  private static final long SIZE = 64 << 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir Path folder;
  private TwoNodes nodes;
  private ReplicaLocation replica;
  private final BlockingQueue<StorageException> lost = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes(folder, true);
    replica = nodes.replica("r-1", SIZE);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private ReplicaSessionLink connect(long generation, long session) throws StorageException {
    return nodes.links.connect(
        replica, new Token(generation, session), TIMEOUT, cause -> lost.add(cause));
  }

  private void overPlainSockets() throws Exception {
    nodes.close();
    Path other = Files.createDirectories(folder.resolve("plain"));
    nodes = new TwoNodes(other, false);
    replica = nodes.replica("r-1", SIZE);
  }

  /** A completion for which a test can wait. */
  private static final class Outcome implements MemberCompletion {
    private final CountDownLatch ended = new CountDownLatch(1);
    private StorageException failure;
    private long bytes;

    @Override
    public void completed(StorageException cause, long done) {
      assertThat(ended.getCount()).as("completed once").isEqualTo(1);
      failure = cause;
      bytes = done;
      ended.countDown();
    }

    long await() throws Exception {
      assertThat(ended.await(30, TimeUnit.SECONDS)).as("completed").isTrue();
      if (failure != null) {
        throw failure;
      }
      return bytes;
    }
  }

  private static void write(ReplicaSessionLink link, long offset, byte[] content) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(content.length + 7).put(7, content);
    Outcome outcome = new Outcome();
    link.write(offset, buffer, 7, content.length, outcome);
    link.endOfBatch();
    assertThat(outcome.await()).isEqualTo(content.length);
  }

  private static byte[] read(ReplicaSessionLink link, long offset, int length) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length + 3);
    Outcome outcome = new Outcome();
    link.read(offset, buffer, 3, length, outcome);
    link.endOfBatch();
    assertThat(outcome.await()).isEqualTo(length);
    byte[] content = new byte[length];
    buffer.get(3, content);
    return content;
  }

  private static byte[] bytes(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  @Test
  void nodeIsUnreachableWhileItsEngineIsReplaced() throws Exception {
    nodes.server.remove(nodes.replicas);
    assertThatThrownBy(() -> connect(1, 1))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    nodes.server.add(nodes.replicas);
    connect(1, 1).close();
  }

  @Test
  void permanentRefusalOfAReplicaIsNotRetried() throws Exception {
    Path meta = nodes.disk.resolve("replicas/dir-r-1/volume.meta");
    Files.writeString(
        meta,
        Files.readString(meta)
            .replace("\"BackingFilePath\":\"\"", "\"BackingFilePath\":\"/image\""));
    assertThatThrownBy(() -> connect(1, 1))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  @Test
  void writtenBytesAreRead() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    for (int length : new int[] {1, 512, 4096, 16 << 10, (16 << 10) + 1, 1 << 20, 5 << 20}) {
      byte[] content = bytes(length, length);
      write(link, 4096 + length, content);
      assertThat(read(link, 4096 + length, length)).isEqualTo(content);
    }
    link.close();
  }

  @Test
  void rangeLongerThanOneRequestIsSplit() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    byte[] content = bytes((int) SIZE - 12_345, 3);
    write(link, 1_000, content);
    assertThat(read(link, 1_000, content.length)).isEqualTo(content);
    link.close();
  }

  @Test
  void fencedReplicaReportsItsIdentity() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    BitSet marked = new BitSet();
    marked.set(2, 4);
    link.replaceMarks(new BitSet());
    link.mark(marked);
    link.recordEpoch(
        new Epoch(1, 1, new TreeSet<>(List.of("a"))), new TreeSet<>(List.of("b")), marked);
    ReplicaSessionLink next = connect(2, 1);
    assertThat(next.fenced().size()).isEqualTo(SIZE);
    assertThat(next.fenced().identity()).isEqualTo(link.fenced().identity());
    assertThat(next.fenced().boot()).isEqualTo("this-boot");
    assertThat(next.fenced().history().promise()).isEqualTo(new Token(1, 1));
    assertThat(next.fenced().history().epoch().members()).containsExactly("a");
    assertThat(next.fenced().history().marked()).isEqualTo(marked);
    assertThat(next.fenced().history().missed()).containsEntry("b", marked);
    next.close();
  }

  @Test
  void zeroesSyncsAndExtentsWork() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    write(link, 0, bytes(64 << 10, 1));
    Outcome zeroed = new Outcome();
    link.zero(4096, 8192, false, zeroed);
    link.endOfBatch();
    assertThat(zeroed.await()).isEqualTo(8192);
    assertThat(read(link, 4096, 8192)).containsOnly(0);
    Outcome synced = new Outcome();
    link.sync(synced);
    link.endOfBatch();
    synced.await();
    List<String> extents = new ArrayList<>();
    Outcome asked = new Outcome();
    link.extents(
        0,
        128 << 10,
        (offset, length, kind) -> extents.add(offset + "+" + length + (kind == ExtentKind.DATA)),
        asked);
    asked.await();
    assertThat(extents).contains("0+4096true", "4096+8192false");
    link.close();
  }

  @Test
  void aLaterSessionEndsTheEarlier() throws Exception {
    ReplicaSessionLink early = connect(1, 1);
    write(early, 0, bytes(4096, 1));
    ReplicaSessionLink late = connect(1, 2);
    assertThat(lost.poll(30, TimeUnit.SECONDS)).isNotNull();
    write(late, 0, bytes(4096, 2));
    Outcome ignored = new Outcome();
    early.write(0, ByteBuffer.allocateDirect(4096), 0, 4096, ignored);
    early.endOfBatch();
    assertThatThrownBy(() -> early.mark(new BitSet())).isInstanceOf(StorageException.class);
    assertThat(read(late, 0, 4096)).isEqualTo(bytes(4096, 2));
    assertThat(ignored.ended.getCount()).as("a lost link completes nothing").isEqualTo(1);
    late.close();
  }

  @Test
  void anOldTokenIsRefused() throws Exception {
    ReplicaSessionLink link = connect(2, 1);
    assertThatThrownBy(() -> connect(1, 9))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    link.close();
  }

  @Test
  void controlOfAnEndedSessionIsForbidden() throws Exception {
    ReplicaCalls old =
        new ReplicaCalls(
            "old", nodes.channels.channel(TwoNodes.FAR), replica, new Token(1, 1), TIMEOUT);
    ReplicaSessionLink link = connect(2, 1);
    assertThatThrownBy(() -> new LinkChain(old).snapshots())
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    link.close();
  }

  @Test
  void onlyPlacesOnADiskOfTheNodeAreOpened() throws Exception {
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    ReplicaLocation outside = new ReplicaLocation("vol", "r-1", TwoNodes.FAR, elsewhere, "dir");
    assertInvalid(outside);
    Path link = nodes.disk.resolve("replicas").resolve("link");
    Files.createSymbolicLink(link, elsewhere);
    assertInvalid(new ReplicaLocation("vol", "r-1", TwoNodes.FAR, nodes.disk, "link"));
    assertInvalid(
        new ReplicaLocation("vol", "r-1", TwoNodes.FAR, nodes.disk.resolve("../disk"), "dir-r-1"));
  }

  private void assertInvalid(ReplicaLocation location) {
    assertThatThrownBy(
            () -> nodes.links.connect(location, new Token(1, 1), TIMEOUT, cause -> lost.add(cause)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }

  @Test
  void aNodeOfAnotherClusterIsRefused() throws Exception {
    Path other = Files.createDirectories(folder.resolve("other"));
    try (TwoNodes strangers = new TwoNodes(other, true)) {
      strangers.movedTo(nodes.server.port());
      assertThatThrownBy(
              () ->
                  strangers.links.connect(
                      replica, new Token(1, 1), Duration.ofSeconds(5), cause -> lost.add(cause)))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.code()).isIn(ErrorCode.UNREACHABLE, ErrorCode.TIMEOUT));
    }
    assertThat(nodes.host.holds(replica)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHangUpHandsBackWhatWasNotAnswered(boolean tls) throws Exception {
    if (!tls) {
      overPlainSockets();
    }
    ReplicaSessionLink link = connect(1, 1);
    Semaphore answered = new Semaphore(0);
    ByteBuffer content = ByteBuffer.allocateDirect(1 << 20);
    // More than the sockets buffer: some of these are in transit when the node stops.
    for (int i = 0; i < 48; i++) {
      link.write(i << 20, content, 0, 1 << 20, (failure, done) -> answered.release());
    }
    link.endOfBatch();
    nodes.portal.close();
    assertThat(lost.poll(30, TimeUnit.SECONDS)).isNotNull();
    int then = answered.availablePermits();
    Outcome ignored = new Outcome();
    link.read(0, ByteBuffer.allocateDirect(512), 0, 512, ignored);
    link.endOfBatch();
    assertThat(answered.availablePermits()).isEqualTo(then);
    assertThat(lost).as("told once").isEmpty();
    link.close();
  }

  @Test
  void closedLinkCallsNoListener() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    write(link, 0, bytes(4096, 1));
    link.close();
    link.close();
    nodes.portal.close();
    assertThat(lost).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void randomRequestsInFlightKeepTheirBytes(boolean tls) throws Exception {
    if (!tls) {
      overPlainSockets();
    }
    long total = Long.getLong("holdfast.link.bytes", 48L << 20);
    new RandomTraffic(connect(1, 1), SIZE, total).run();
    assertThat(lost).isEmpty();
  }

  @Test
  void aConnectionWithoutTlsGetsNoExport() throws Exception {
    ReplicaSessionLink link = connect(1, 1);
    int port =
        nodes.sessions.find("vol", "r-1", new Token(1, 1)).endpoint().orElseThrow().getPort();
    try (java.nio.channels.SocketChannel channel =
        java.nio.channels.SocketChannel.open(
            new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), port))) {
      DataHandshake handshake = new DataHandshake("plain", new PlainDataSocket(channel));
      handshake.greet();
      assertThatThrownBy(() -> handshake.go("vol/r-1/1.1"))
          .isInstanceOfAny(StorageException.class, IOException.class);
    }
    write(link, 0, bytes(512, 1));
    link.close();
  }
}
