package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Floods of requests without a credential by h2load at the API of a real node. {@code
 * FrameFloodTest} has floods of single frames; {@code holdfast bench http} has many slow clients.
 */
@Tag("repeatable")
class HttpFloodE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String REQUESTS = "5000";
  private static final Pattern STATUSES =
      Pattern.compile("status codes: (\\d+) 2xx, (\\d+) 3xx, (\\d+) 4xx, (\\d+) 5xx");

  @TempDir Path directory;

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void floodIsRefusedAndTheNodeServesOthersAndIsIdleAgain() throws IOException {
    try (RunningNode node = RunningNode.start(directory.resolve("node"), "--no-demo")) {
      URI api = URI.create(node.ok("page").lines().findFirst().orElseThrow()).resolve("/");
      refuses(api, node, "--h1", "-c", "40");
      refuses(api, node, "-c", "20", "-m", "100");
      CpuWindow use = new CpuWindow(ProcessHandle.of(node.pid()).orElseThrow());
      Await.until("the node is idle again", LIMIT, use::isIdle);
    }
  }

  /** Uses the node while it is flooded, and expects that the flood got no answer but refusals. */
  private void refuses(URI api, RunningNode node, String... options) throws IOException {
    List<String> words = new ArrayList<>(List.of("h2load", "-n", REQUESTS));
    words.addAll(List.of(options));
    words.add(api.resolve("apis/holdfast.dev/v1/volumes").toString());
    Path output = directory.resolve("flood.txt");
    Process flood = new ProcessBuilder(words).redirectOutput(output.toFile()).start();
    try {
      assertThat(node.ok("volume", "list")).contains("NAME");
      assertThat(node.api().items("nodes")).hasSize(1);
      assertThat(flood.onExit().join().exitValue()).isZero();
    } finally {
      flood.destroy();
    }
    String printed = Files.readString(output);
    Matcher statuses = STATUSES.matcher(printed);
    assertThat(statuses.find()).as(printed).isTrue();
    assertThat(Long.parseLong(statuses.group(1))).as("answers of class 2xx").isZero();
    assertThat(Long.parseLong(statuses.group(3))).as("refusals").isPositive();
  }

  /** CPU time of a process since the last reading, at least a second ago. */
  private static final class CpuWindow {
    private static final long LEAST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final double IDLE_SHARE = 0.3;

    private final ProcessHandle process;
    private long since = System.nanoTime();
    private Duration used;

    CpuWindow(ProcessHandle process) {
      this.process = process;
      used = used();
    }

    private Duration used() {
      return process.info().totalCpuDuration().orElseThrow();
    }

    boolean isIdle() {
      long now = System.nanoTime();
      if (now - since < LEAST_NANOS) {
        return false;
      }
      Duration before = used;
      used = used();
      double share = (double) used.minus(before).toNanos() / (now - since);
      since = now;
      return share < IDLE_SHARE;
    }
  }
}
