package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kube.testkit.EtcdServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes whose resources are kept elsewhere: in a real API server of Kubernetes, in a real etcd.
 * That is away for a while, and nobody who reads and writes notices.
 */
class StoresE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int BLOCKS = 64;

  @TempDir Path directory;

  /** Something that is killed and started again. */
  private interface Outage {
    void run() throws IOException;
  }

  @Test
  void anEtcdIsTheStore() throws IOException {
    try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"));
        RunningNode node =
            RunningNode.start(
                directory.resolve("data"), "--store", "etcd", "--endpoints", etcd.endpoint())) {
      writeThroughAnOutage(node, etcd::kill, etcd::restart);

      assertThat(node.ok("volume", "list")).contains("before").contains("after");
    }
  }

  private static void writeThroughAnOutage(RunningNode node, Outage begin, Outage end)
      throws IOException {
    URI uri = node.volume("before", "64Mi", 2);
    SteadyWrites kept = new SteadyWrites(BLOCKS, 7, uri);
    try (SteadyWrites writes = kept) {
      writes.awaitProgress();
      begin.run();
      writes.awaitProgress();
      writes.awaitProgress();
      node.run("volume", "create", "meanwhile", "--size", "64Mi").failed();
      end.run();
      writes.awaitProgress();
      Await.until("the store answers", LIMIT, () -> node.run("volume", "list").exitCode() == 0);
      node.volume("after", "64Mi", 2);
      writes.awaitProgress();
    }
    kept.verify();
  }
}
