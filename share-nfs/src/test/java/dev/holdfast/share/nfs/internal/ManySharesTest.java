package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several shares of one node at the same time. Prints the memory of each. */
@Tag("slow")
@Timeout(600)
class ManySharesTest {
  private static final int SHARES = Boolean.getBoolean("holdfast.soak") ? 50 : 5;

  @TempDir Path folder;
  private final Map<ShareRequest, LoopDevice> shares = new LinkedHashMap<>();

  @Test
  void sharesOfOneNodeServeTheirOwnContentAndLeaveNothing() throws Exception {
    Path data = folder.resolve("data");
    ShareFixture node = new ShareFixture(data);
    try {
      for (int i = 0; i < SHARES; i++) {
        LoopDevice device = new LoopDevice(folder.resolve("volume-" + i), ShareFixture.SIZE);
        ShareRequest request = ShareFixture.request("files-" + i, device);
        shares.put(request, device);
        assertThat(node.start(request).serves()).isTrue();
        assertThat(ShareFixture.client(request).write("name", request.volume()).output())
            .contains("copied");
      }
      for (ShareRequest request : shares.keySet()) {
        assertThat(node.observe(request).serves()).isTrue();
        assertThat(ShareFixture.client(request).read("name").output()).isEqualTo(request.volume());
      }
      long kilobytes = memory(ShareLeftovers.processes(data));
      System.out.printf(
          "%d shares: %d KiB of memory for each (proportional set size of server and bus)%n",
          SHARES, kilobytes / SHARES);
      assertThat(kilobytes).isPositive();
      for (ShareRequest request : shares.keySet()) {
        node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT);
      }
      assertThat(ShareLeftovers.of(data)).isEmpty();
    } finally {
      node.close();
      for (LoopDevice device : shares.values()) {
        device.close();
      }
    }
  }

  private static long memory(List<ProcessHandle> processes) throws Exception {
    long kilobytes = 0;
    for (ProcessHandle process : processes) {
      Path memory = Path.of("/proc/" + process.pid() + "/smaps_rollup");
      kilobytes +=
          Files.readAllLines(memory).stream()
              .filter(line -> line.startsWith("Pss:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum();
    }
    return kilobytes;
  }
}
