package dev.holdfast.frontend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.PublishedExport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Devices may complete later, on other threads, in any order. */
public abstract class LaterCompletionContract extends FrontendContract {
  private static final int REQUESTS = 64;

  /** Not whole pages, but whole blocks for the protocols that know only those. */
  private static final int LARGE = 195 * 512;

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected LaterCompletionContract(FrontendFixture fixture) {
    super(fixture);
  }

  @Test
  final void answersInTheOrderOfCompletion() throws Exception {
    MemoryBlockDevice memory = new MemoryBlockDevice(SIZE);
    HeldBlockDevice device = new HeldBlockDevice(memory);
    PublishedExport export = publish("later", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        writes.add(client.write(i * 8192L, random(8192, i), false));
      }
      awaitHeld(device);
      for (int i = REQUESTS - 1; i >= 0; i--) {
        device.releaseNewest();
        get(writes.get(i));
        assertThat(i == 0 || !writes.get(i - 1).isDone()).isTrue();
      }
      readBackNewestFirst(client, device);
    }
  }

  @Test
  final void keepsWrittenBytesUntilTheDeviceHasThem() throws Exception {
    HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("later", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      CompletableFuture<Void> first = client.write(0, random(LARGE, 1), false);
      // More input than one buffer holds comes while the first write still needs its own.
      List<CompletableFuture<Void>> others = new ArrayList<>();
      for (int i = 1; i < REQUESTS; i++) {
        others.add(client.write((long) LARGE * i, random(LARGE, i + 1), false));
      }
      awaitHeld(device);
      for (int i = 0; i < REQUESTS; i++) {
        device.releaseNewest();
      }
      get(first);
      for (CompletableFuture<Void> other : others) {
        get(other);
      }
      for (int i = 0; i < REQUESTS; i++) {
        CompletableFuture<byte[]> read = client.read((long) LARGE * i, LARGE);
        device.releaseOldest();
        assertThat(get(read)).isEqualTo(random(LARGE, i + 1));
      }
    }
  }

  @Test
  final void oneSlowDeviceDoesNotHoldUpAnother() throws Exception {
    HeldBlockDevice slow = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport held = publish("slow", slow);
    PublishedExport quick = publish("quick", new MemoryBlockDevice(SIZE));
    try (FrontendClient waiting = fixture().connect(held.endpoint());
        FrontendClient client = fixture().connect(quick.endpoint())) {
      CompletableFuture<byte[]> pending = waiting.read(0, 4096);
      assertThat(get(client.read(0, 4096))).isEqualTo(new byte[4096]);
      assertThat(pending).isNotDone();
      slow.releaseOldest();
      assertThat(get(pending)).isEqualTo(new byte[4096]);
    }
  }

  private static void readBackNewestFirst(FrontendClient client, HeldBlockDevice device)
      throws Exception {
    List<CompletableFuture<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      reads.add(client.read(i * 8192L, 8192));
    }
    awaitHeld(device);
    for (int i = REQUESTS - 1; i >= 0; i--) {
      device.releaseNewest();
      assertThat(get(reads.get(i))).isEqualTo(random(8192, i));
    }
  }

  private static void awaitHeld(HeldBlockDevice device) {
    while (device.waiting() < REQUESTS) {
      Thread.onSpinWait();
    }
  }
}
