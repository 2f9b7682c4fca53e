package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.PublishedExport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Devices may complete later, on other threads, in any order. */
public abstract class LaterCompletionContract extends FrontendContract {
  private static final int REQUESTS = 64;

  /** Not whole pages, but whole blocks for protocols that support only those. */
  private static final int LARGE = 195 * 512;

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected LaterCompletionContract(FrontendFixture fixture) {
    super(fixture);
  }

  /** With tags in the order of completion, without tags in the order of the requests. */
  @Test
  final void answersInTheOrderOfTheProtocol() throws Exception {
    HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("later", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        writes.add(client.write(i * 8192L, random(8192, i), false));
      }
      completeNewestFirst(device, writes);
      for (CompletableFuture<Void> write : writes) {
        get(write);
      }
      List<CompletableFuture<byte[]>> reads = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        reads.add(client.read(i * 8192L, 8192));
      }
      completeNewestFirst(device, reads);
      for (int i = 0; i < REQUESTS; i++) {
        assertContent(get(reads.get(i)), random(8192, i));
      }
    }
  }

  private <T> void completeNewestFirst(HeldBlockDevice device, List<CompletableFuture<T>> requests)
      throws Exception {
    boolean ordered = fixture().repliesInOrder();
    awaitHeld(device, REQUESTS);
    for (int i = REQUESTS - 1; i >= 0; i--) {
      device.releaseNewest();
      if (!ordered) {
        T unused = get(requests.get(i));
      }
      if (i > 0) {
        assertThat(requests.get(ordered ? REQUESTS - 1 : i - 1).isDone())
            .as(
                "%s: a reply to a request came",
                ordered ? "before an earlier request" : "too early")
            .isFalse();
      }
    }
  }

  @Test
  final void keepsWrittenBytesUntilTheDeviceHasThem() throws Exception {
    HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("later", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      CompletableFuture<Void> first = client.write(0, random(LARGE, 1), false);
      // More input than one buffer holds arrives while the first write still needs its buffer.
      List<CompletableFuture<Void>> others = new ArrayList<>();
      for (int i = 1; i < REQUESTS; i++) {
        others.add(client.write((long) LARGE * i, random(LARGE, i + 1), false));
      }
      awaitHeld(device, REQUESTS);
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
        assertContent(get(read), random(LARGE, i + 1));
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
      assertContent(get(client.read(0, 4096)), new byte[4096]);
      assertThat(pending).as("a read at the slow device").isNotDone();
      slow.releaseOldest();
      assertContent(get(pending), new byte[4096]);
    }
  }
}
