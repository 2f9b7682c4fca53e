package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.PublishedExport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Data reaches its place, and durability reaches the device. */
public abstract class DataContract extends FrontendContract {

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected DataContract(FrontendFixture fixture) {
    super(fixture);
  }

  @Test
  final void readsWhatWasWritten() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    byte[] expected = new byte[SIZE];
    Random random = new Random(7);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      for (int i = 0; i < 200; i++) {
        byte[] data = random(blocks(1 + random.nextInt(70_000)), i);
        int offset = blocks(random.nextInt(SIZE - data.length));
        get(client.write(offset, data, false));
        System.arraycopy(data, 0, expected, offset, data.length);
      }
      assertContent(get(client.read(0, SIZE)), expected);
    }
  }

  @Test
  final void keepsManyRequestsInFlightApart() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        writes.add(client.write(i * 4096L, random(4096, i), false));
      }
      for (CompletableFuture<Void> write : writes) {
        get(write);
      }
      List<CompletableFuture<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        reads.add(client.read(i * 4096L, 4096));
      }
      for (int i = 0; i < 256; i++) {
        assertContent(get(reads.get(i)), random(4096, i));
      }
    }
  }

  @Test
  final void movesMegabytesInOneRequest() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    byte[] data = random(SIZE, 3);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, data, false));
      assertContent(get(client.read(0, SIZE)), data);
      int block = fixture().blockSize();
      assertContent(
          get(client.read(block, SIZE - 3 * block)),
          Arrays.copyOfRange(data, block, SIZE - 2 * block));
    }
  }

  @Test
  final void seesOneDeviceThroughTwoConnections() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    try (FrontendClient writer = fixture().connect(export.endpoint());
        FrontendClient reader = fixture().connect(export.endpoint())) {
      get(writer.write(8192, random(4096, 1), false));
      assertContent(get(reader.read(8192, 4096)), random(4096, 1));
    }
  }

  @Test
  final void writesZeroes() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(65_536, 1), false));
      get(client.writeZeroes(4096, 8192));
      byte[] expected = random(65_536, 1);
      Arrays.fill(expected, 4096, 4096 + 8192, (byte) 0);
      assertContent(get(client.read(0, 65_536)), expected);
    }
  }

  @Test
  final void flushReachesTheDevice() throws Exception {
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("data", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(4096, 1), false));
      assertThat(device.flushes()).as("flushes at the device before a flush").isZero();
      get(client.flush());
      assertThat(device.flushes()).as("flushes at the device").isEqualTo(1);
    }
  }

  @Test
  final void durableWriteReachesTheDeviceAsSuch() throws Exception {
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("data", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(4096, 1), false));
      assertThat(device.durableWrites()).as("durable writes before one").isZero();
      get(client.write(0, random(4096, 1), true));
      assertThat(device.durableWrites() + device.flushes())
          .as("durable writes and flushes at the device")
          .isEqualTo(1);
    }
  }

  /** The protocol decides whether an empty request succeeds; the connection must survive it. */
  @Test
  final void emptyRequestsAreAnsweredAndChangeNothing() throws Exception {
    PublishedExport export = publish("data", new MemoryBlockDevice(SIZE));
    byte[] content = random(8192, 1);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, content, false));
      for (long offset : new long[] {0, 4096, SIZE}) {
        requireAnswer("read", offset, client.read(offset, 0));
        requireAnswer("write", offset, client.write(offset, new byte[0], false));
        requireAnswer("durable write", offset, client.write(offset, new byte[0], true));
        requireAnswer("zeroing", offset, client.writeZeroes(offset, 0));
        assertContent(get(client.read(0, content.length)), content);
      }
    }
  }

  private static void requireAnswer(String request, long offset, CompletableFuture<?> answer)
      throws Exception {
    try {
      Object found = get(answer);
      if (found instanceof byte[] bytes) {
        assertThat(bytes).as("empty %s at %d", request, offset).isEmpty();
      }
    } catch (ExecutionException e) {
      assertThat(e.getCause())
          .as("empty %s at %d: refused, not a lost connection", request, offset)
          .isInstanceOf(RequestFailedException.class);
    }
  }

  /** Rounds up to complete blocks of the protocol. */
  private int blocks(int bytes) {
    int block = fixture().blockSize();
    return (bytes + block - 1) / block * block;
  }
}
