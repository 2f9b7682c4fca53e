package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thousand replacements of one bundle in a row, by the shell's plain commands, while clients of
 * all kinds read and write: no error, no closed connection, no wrong byte, and nothing of the
 * former versions stays in memory.
 */
@Tag("soak")
class ManyReplacementsE2E {
  private static final int COUNT = Integer.getInteger("holdfast.replacements", 1000);

  /**
   * Replacements of one command, because otherwise the starts of commands would take most of the
   * time.
   */
  private static final int AT_ONCE = 25;

  private static final int SETTLED = 10;
  private static final int BLOCKS = 4096;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  private enum Way {
    SIDE_BY_SIDE,
    UPDATE,
    STOP_AND_START
  }

  private static final List<Way> WAYS = List.of(Way.values());

  @Test
  void theNbdFrontendIsReplacedAgainAndAgain() throws Exception {
    replacedAgainAndAgain("holdfast-frontend-nbd", "dev.holdfast.frontend.nbd");
  }

  @Test
  void theSparseEngineIsReplacedAgainAndAgain() throws Exception {
    replacedAgainAndAgain("holdfast-engine-sparse", "dev.holdfast.engine.sparse");
  }

  private void replacedAgainAndAgain(String artifact, String bundle) throws Exception {
    try (RunningNode node = RunningNode.start(folder.resolve("data"))) {
      Replaced replaced = new Replaced(node, artifact, bundle);
      try (BusyClient busy = new BusyClient(node.volume("busy", "64Mi", 2), BLOCKS);
          RepeatedCommand fio = RealClients.fio(node.volume("fio", "64Mi", 1));
          RepeatedCommand copy =
              RealClients.encryptedCopy(node.volume("copied", "64Mi", 1), node.data(), folder);
          RepeatedCommand qemu = RealClients.qemu(node.volume("qemu", "64Mi", 1))) {
        replaced.run(busy);
        System.out.printf(
            "%s: %d replacements, %d verified writes, %d runs of fio, %d encrypted copies, %d of"
                + " qemu-io%n",
            bundle, COUNT, busy.answers(), fio.runs(), copy.runs(), qemu.runs());
      }
      assertThat(node.log()).doesNotContain("did not take over", "could not take it over");
      node.ok("volume", "detach", "busy");
      node.replicasAgree("busy", 2);
    }
  }

  /** The bundle, and which version of it serves. */
  private final class Replaced {
    private final RunningNode node;
    private final String artifact;
    private final String bundle;
    private final BundleJars jars;
    private final Map<Way, List<Duration>> gaps = new EnumMap<>(Way.class);
    private String serving;
    private int made;

    Replaced(RunningNode node, String artifact, String bundle) {
      this.node = node;
      this.artifact = artifact;
      this.bundle = bundle;
      this.jars = new BundleJars(folder);
      this.serving = BundleJars.currentVersion(artifact);
    }

    void run(BusyClient busy) throws IOException {
      Heap heap = new Heap(node.pid());
      long loaders = 0;
      long settled = 0;
      int done = 0;
      for (int turn = 0; done < COUNT; turn++) {
        int next = turn == 0 ? SETTLED : Math.min(AT_ONCE, COUNT - done);
        Way way = WAYS.get(turn % WAYS.size());
        busy.forgetGaps();
        replace(way, next);
        gaps.computeIfAbsent(way, ways -> new ArrayList<>()).add(busy.longestGap());
        done += next;
        if (done == SETTLED) {
          loaders = heap.bundleLoaders();
          settled = heap.used();
        }
      }
      print();
      judge(heap, loaders, settled);
    }

    private void replace(Way way, int count) throws IOException {
      List<String> commands = new ArrayList<>();
      List<Path> files = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Optional<Path> jar = way == Way.STOP_AND_START ? Optional.empty() : Optional.of(next());
        jar.ifPresent(files::add);
        commands.add(command(way, jar));
      }
      node.shell(String.join("; ", commands));
      for (Path file : files) {
        Files.delete(file);
      }
    }

    private Path next() throws IOException {
      made++;
      return jars.version(artifact, "9.0." + made);
    }

    private String command(Way way, Optional<Path> jar) {
      String old = bundle + "/" + serving;
      if (jar.isPresent()) {
        serving = "9.0." + made;
      }
      return switch (way) {
        case SIDE_BY_SIDE ->
            "bundle:install -s file:" + jar.orElseThrow() + "; bundle:uninstall " + old;
        case UPDATE -> "bundle:update " + old + " file:" + jar.orElseThrow();
        case STOP_AND_START -> "bundle:stop " + old + "; bundle:start " + old;
      };
    }

    private void print() {
      gaps.forEach(
          (way, all) -> {
            Collections.sort(all);
            System.out.printf(
                "%s %s: longest gap between answers while up to %d are done in a row: p50 %d ms,"
                    + " p99 %d ms, max %d ms%n",
                bundle,
                way,
                AT_ONCE,
                all.get(all.size() / 2).toMillis(),
                all.get(all.size() * 99 / 100).toMillis(),
                all.get(all.size() - 1).toMillis());
          });
    }

    private void judge(Heap heap, long loaders, long settled) {
      Await.until(
          "the class loaders of former versions are collected",
          LIMIT,
          () -> heap.bundleLoaders() <= loaders);
      long used = heap.used();
      System.out.printf(
          "%s: heap after %d replacements %d KiB, after %d %d KiB; class loaders of bundles %d,"
              + " %d%n",
          bundle, SETTLED, settled >> 10, COUNT, used >> 10, loaders, heap.bundleLoaders());
      assertThat(used).isLessThan(settled + settled / 10);
    }
  }
}
