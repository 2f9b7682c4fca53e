package dev.holdfast.frontend.nbd;

import static dev.holdfast.frontend.nbd.FrontendWait.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.nbd.NbdClient.Extent;
import dev.holdfast.frontend.nbd.NbdClient.Style;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.RequestFailedException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NBD commands beyond reads and writes. */
final class NbdTransmissionTest {
  private static final int SIZE = 4 << 20;
  private static final String EINVAL = "22";
  private static final String ENOSPC = "28";
  private static final String EOVERFLOW = "75";
  private static final String ENOTSUP = "95";

  private final MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
  private NbdServerFixture server;
  private URI endpoint;

  @BeforeEach
  void start() throws Exception {
    server = NbdServerFixture.start();
    endpoint = server.publish("export with space", device);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(Style.class)
  void outsideTheDeviceWritesLackSpaceAndOthersAreInvalid(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      assertRefused(client.write(SIZE - 1, new byte[2], false), ENOSPC);
      assertRefused(client.request(NbdClient.WRITE_ZEROES, 0, SIZE, 1), ENOSPC);
      assertRefused(client.read(SIZE - 1, 2), EINVAL);
      assertRefused(client.request(NbdClient.TRIM, 0, -8, 16), EINVAL);
      assertRefused(client.request(NbdClient.CACHE, 0, Long.MAX_VALUE, 16), EINVAL);
      assertThat(get(client.read(SIZE - 1, 1))).isEqualTo(new byte[1]);
    }
  }

  @ParameterizedTest
  @EnumSource(Style.class)
  void unknownCommandsAndFlagsAreInvalid(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      assertRefused(client.request(99, 0, 0, 0), EINVAL);
      assertRefused(client.request(NbdClient.TRIM, 1 << 14, 0, 4096), EINVAL);
      assertRefused(client.request(NbdClient.READ, NbdClient.NO_HOLE, 0, 1), EINVAL);
      assertRefused(client.request(NbdClient.FLUSH, 0, 0, 1), EINVAL);
      assertThat(get(client.read(0, 1))).isEqualTo(new byte[1]);
    }
  }

  @ParameterizedTest
  @EnumSource(Style.class)
  void emptyRequestsLeaveTheConnectionInOrder(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      get(client.write(0, filled(8192), false));
      for (int flags : style == Style.SIMPLE ? new int[] {0} : new int[] {0, NbdClient.DF}) {
        CompletableFuture<byte[]> read = client.request(NbdClient.READ, flags, 4096, 0);
        if (style == Style.SIMPLE) {
          assertThat(get(read)).isEmpty();
        } else {
          assertRefused(read, EINVAL);
        }
      }
      for (int type : new int[] {NbdClient.TRIM, NbdClient.CACHE, NbdClient.WRITE_ZEROES}) {
        assertThat(get(client.request(type, 0, 4096, 0))).isEmpty();
        assertThat(get(client.request(type, 0, SIZE, 0))).isEmpty();
      }
      get(client.write(4096, new byte[0], true));
      assertRefused(client.request(NbdClient.BLOCK_STATUS, 0, 4096, 0), EINVAL);
      assertThat(get(client.read(0, 8192))).isEqualTo(filled(8192));
    }
  }

  @ParameterizedTest
  @EnumSource(Style.class)
  void trimsAndCaches(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      get(client.write(0, filled(8192), false));
      byte[] cached = get(client.request(NbdClient.CACHE, 0, 0, 8192));
      assertThat(cached).isEmpty();
      byte[] trimmed = get(client.request(NbdClient.TRIM, NbdClient.FUA, 0, 4096));
      assertThat(trimmed).isEmpty();
      assertThat(device.durableWrites()).isEqualTo(1);
      assertThat(get(client.read(0, 4096))).isEqualTo(new byte[4096]);
      assertThat(get(client.read(4096, 4096))).isEqualTo(filled(4096));
    }
  }

  /** Completes the reads of the parts of one request at the same time, each on another thread. */
  private static final class TogetherDevice extends ForwardingBlockDevice {
    private final CyclicBarrier together;

    TogetherDevice(BlockDevice below, int parts) {
      super(below);
      this.together = new CyclicBarrier(parts);
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      new Thread(() -> readTogether(offset, target, completion)).start();
    }

    private void readTogether(long offset, ByteBuffer target, Completion completion) {
      try {
        together.await();
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new IllegalStateException(e);
      }
      below().read(offset, target, completion);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STRUCTURED", "EXTENDED"})
  void nothingFollowsTheLastPartOfAReadWhosePartsCompleteTogether(Style style) throws Exception {
    int parts = 8;
    byte[] content = new byte[parts * (256 << 10)];
    new Random(7).nextBytes(content);
    device.write(0, ByteBuffer.wrap(content), 0, failure -> {});
    URI together = server.publish("together", new TogetherDevice(device, parts));
    try (NbdClient client = NbdClient.connect(together, style)) {
      for (int i = 0; i < 200; i++) {
        assertThat(Arrays.equals(get(client.read(0, content.length)), content)).isTrue();
      }
    }
  }

  @Test
  void fastZeroesArePromisedOnlyWithHoles() throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, Style.STRUCTURED)) {
      int fast = NbdClient.FAST_ZERO;
      assertThat(get(client.request(NbdClient.WRITE_ZEROES, fast, 0, 4096))).isEmpty();
      assertRefused(
          client.request(NbdClient.WRITE_ZEROES, fast | NbdClient.NO_HOLE, 0, 4096), ENOTSUP);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STRUCTURED", "EXTENDED"})
  void reportsHolesAndData(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      get(client.write(8192, filled(4096), false));
      get(client.write(12_288, filled(4096), false));
      assertThat(client.blockStatus(0, SIZE, 0))
          .containsExactly(new Extent(8192, 3), new Extent(8192, 0), new Extent(SIZE - 16_384, 3));
      assertThat(client.blockStatus(10_000, SIZE - 10_000, NbdClient.REQ_ONE))
          .containsExactly(new Extent(6384, 0));
      assertThat(client.blockStatus(100, 10, 0)).containsExactly(new Extent(10, 3));
      assertRefused(client.request(NbdClient.BLOCK_STATUS, 0, 0, 0), EINVAL);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STRUCTURED", "EXTENDED"})
  void zeroesThatStayAllocatedAreNotReportedAsAHole(Style style) throws Exception {
    BlockDevice reserving =
        new ForwardingBlockDevice(device) {
          @Override
          public void extents(long offset, long length, ExtentVisitor visitor, Completion done) {
            boolean unused =
                visitor.extent(0, 4096, ExtentKind.ZERO)
                    && visitor.extent(4096, length - 4096, ExtentKind.HOLE);
            done.completed(null);
          }
        };
    try (NbdClient client = NbdClient.connect(server.publish("reserving", reserving), style)) {
      assertThat(client.blockStatus(0, SIZE, 0))
          .containsExactly(new Extent(4096, 2), new Extent(SIZE - 4096, 3));
      get(client.write(0, filled(4096), false));
      assertThat(get(client.request(NbdClient.WRITE_ZEROES, NbdClient.NO_HOLE, 0, 4096))).isEmpty();
    }
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      assertThat(client.blockStatus(0, 4096, 0)).containsExactly(new Extent(4096, 0));
    }
  }

  @Test
  void reportsAsManyExtentsAsOneReplyHolds() throws Exception {
    for (int offset = 0; offset < SIZE; offset += 8192) {
      device.write(offset, ByteBuffer.wrap(filled(4096)), 0, failure -> {});
    }
    try (NbdClient client = NbdClient.connect(endpoint, Style.EXTENDED)) {
      assertThat(client.blockStatus(0, SIZE, 0)).hasSize(SIZE / 4096);
    }
  }

  @Test
  void statusNeedsItsContext() throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, Style.SIMPLE)) {
      assertRefused(client.request(NbdClient.BLOCK_STATUS, 0, 0, 4096), EINVAL);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STRUCTURED", "EXTENDED"})
  void largeReadsComeInChunksUnlessTheClientForbidsIt(Style style) throws Exception {
    try (NbdClient client = NbdClient.connect(endpoint, style)) {
      assertThat(client.chunksOfRead(0, 1 << 20, 0)).isGreaterThan(1);
      assertThat(client.chunksOfRead(0, 1 << 20, NbdClient.DF)).isEqualTo(1);
    }
  }

  @Test
  void lengthsAboveThirtyTwoMebibytesAreRefusedAndSkipped() throws Exception {
    MemoryBlockDevice large = new MemoryBlockDevice(64 << 20);
    URI other = server.publish("large", large);
    try (NbdClient client = NbdClient.connect(other, Style.EXTENDED)) {
      int tooLong = (32 << 20) + 1;
      assertRefused(client.request(NbdClient.READ, 0, 0, tooLong), EINVAL);
      assertRefused(client.request(NbdClient.READ, NbdClient.DF, 0, tooLong), EOVERFLOW);
      assertRefused(client.write(0, new byte[tooLong], false), EINVAL);
      assertThat(get(client.request(NbdClient.WRITE_ZEROES, 0, 0, 64 << 20))).isEmpty();
      assertThat(get(client.read(0, 32 << 20))).hasSize(32 << 20);
      get(client.write(0, new byte[32 << 20], false));
    }
  }

  @Test
  void extendedHeadersTakeLengthsBeyondThirtyTwoBits() throws Exception {
    HugeBlockDevice huge = new HugeBlockDevice(1L << 40);
    try (NbdClient client = NbdClient.connect(server.publish("huge", huge), Style.EXTENDED)) {
      assertThat(client.size()).isEqualTo(1L << 40);
      assertThat(client.blockStatus(0, 1L << 40, 0)).containsExactly(new Extent(1L << 40, 3));
      assertThat(get(client.request(NbdClient.WRITE_ZEROES, 0, 5, 1L << 39))).isEmpty();
      assertThat(huge.lastLength()).isEqualTo(1L << 39);
    }
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    java.util.Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  private static void assertRefused(CompletableFuture<?> answer, String status) {
    assertThatThrownBy(() -> get(answer))
        .cause()
        .isInstanceOfSatisfying(
            RequestFailedException.class,
            failure -> assertThat(failure.status()).isEqualTo(status));
  }
}
