package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.itests.FrontendVersions.Made;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bundle of the NBD frontend is replaced in the container, by the shell's plain commands, while
 * clients of all kinds read and write: no error, no closed connection, no wrong byte. It prints how
 * long the client with 32 writes under way waited; nothing depends on that.
 */
class FrontendReplacementE2E {
  private static final int REPLACEMENTS = 24;
  private static final int SETTLED = 10;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int BLOCKS = 4096;

  @TempDir static Path directory;
  private static RunningNode node;
  private static FrontendVersions versions;
  private static Heap heap;

  private final Map<String, List<Duration>> gaps = new TreeMap<>();
  private String serving = "";

  @BeforeAll
  static void start() throws IOException {
    node = RunningNode.of(directory.resolve("data")).withJava("");
    node.up().succeeded();
    versions = new FrontendVersions(directory.resolve("versions"));
    heap = new Heap(node.pid());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void clientsSeeNoneOfManyReplacements() throws Exception {
    serving = versions.distributed().name();
    long loaders = 0;
    long settled = 0;
    try (BusyClient client = new BusyClient(node.volume("busy", "64Mi", 1), BLOCKS);
        RepeatedCommand fio = RealClients.fio(node.volume("fio", "64Mi", 1));
        RepeatedCommand copy = encryptedCopy(node.volume("copied", "64Mi", 1));
        RepeatedCommand qemu = RealClients.qemu(node.volume("qemu", "64Mi", 1))) {
      for (int i = 0; i < REPLACEMENTS; i++) {
        client.forgetGaps();
        String way = replace(i);
        gaps.computeIfAbsent(way, ways -> new ArrayList<>()).add(client.longestGap());
        if (i + 1 == SETTLED) {
          loaders = heap.bundleLoaders();
          settled = heap.used();
        }
      }
      assertNothingOfTheOldVersionsStays(loaders, settled);
      System.out.printf(
          "%d replacements, %d verified writes, %d runs of fio, %d encrypted copies, %d of"
              + " qemu-io%n",
          REPLACEMENTS, client.answers(), fio.runs(), copy.runs(), qemu.runs());
    } finally {
      print();
      back();
    }
    assertThat(node.log()).doesNotContain("did not take over");
  }

  @Test
  void clientsSeeNothingOfVersionsThatFailBeside() throws Exception {
    serving = versions.distributed().name();
    try (BusyClient client = new BusyClient(node.volume("failing", "64Mi", 1), BLOCKS);
        RepeatedCommand copy = encryptedCopy(node.volume("failing-copied", "64Mi", 1))) {
      failsBeside(client, "cannot start", versions.thatCannotStart(), false);
      failsBeside(client, "throws", versions.thatThrows(), true);
      failsBeside(client, "hangs", versions.thatHangs(), true);
      System.out.printf(
          "3 failed replacements, %d verified writes, %d encrypted copies%n",
          client.answers(), copy.runs());
    } finally {
      print();
      back();
    }
  }

  /** Replaces the bundle; returns how. */
  private String replace(int number) throws IOException {
    switch (number % 4) {
      case 0 -> {
        Made next = versions.next();
        node.shell("bundle:install -s file:" + next.jar() + "; bundle:uninstall " + serving);
        serving = next.name();
        return "side by side";
      }
      case 1 -> {
        Made next = versions.next();
        node.shell("bundle:update " + serving + " file:" + next.jar());
        serving = next.name();
        return "bundle:update";
      }
      case 2 -> {
        Made next = versions.next();
        node.shell("bundle:install -s file:" + next.jar() + "; bundle:uninstall " + next.name());
        return "there and back";
      }
      default -> {
        node.shell("bundle:stop " + serving + "; bundle:start " + serving);
        return "stop and start";
      }
    }
  }

  private void failsBeside(BusyClient client, String how, Made broken, boolean told) {
    client.forgetGaps();
    int before = failures();
    Command.Result unused = node.tryShell("bundle:install -s file:" + broken.jar());
    if (told) {
      Await.until(how + ": the failure is told", LIMIT, () -> failures() > before);
    }
    node.shell("bundle:uninstall " + broken.name());
    gaps.computeIfAbsent("beside: " + how, way -> new ArrayList<>()).add(client.longestGap());
  }

  /** Returns the number of the only bundle that there is of the frontend. */
  private static String id() {
    List<String> ids =
        node.shell("bundle:list -t 0 -s --no-format")
            .lines()
            .map(String::strip)
            .filter(line -> line.endsWith(FrontendVersions.NAME))
            .map(line -> line.split("\\s", 2)[0])
            .toList();
    assertThat(ids).as("bundles of the frontend").hasSize(1);
    return ids.get(0);
  }

  private int failures() {
    return (int) node.log().lines().filter(line -> line.contains("did not take over")).count();
  }

  /** The last test leaves what the next one expects: one bundle, of the distribution's version. */
  private void back() throws IOException {
    node.shell("bundle:update " + id() + " file:" + versions.distributed().jar());
  }

  private void assertNothingOfTheOldVersionsStays(long loaders, long settled) {
    Await.until(
        "the class loaders of old versions are collected",
        LIMIT,
        () -> heap.bundleLoaders() <= loaders);
    long used = heap.used();
    System.out.printf(
        "heap after %d replacements %d KiB, after %d %d KiB; class loaders of bundles %d, %d%n",
        SETTLED, settled >> 10, REPLACEMENTS, used >> 10, loaders, heap.bundleLoaders());
  }

  private static RepeatedCommand encryptedCopy(URI uri) throws IOException {
    return RealClients.encryptedCopy(uri, node.data(), directory);
  }

  private void print() {
    gaps.forEach(
        (way, all) -> {
          Collections.sort(all);
          System.out.printf(
              "%s: %d times, longest gap between answers p50 %d ms, p99 %d ms, max %d ms%n",
              way,
              all.size(),
              all.get(all.size() / 2).toMillis(),
              all.get(all.size() * 99 / 100).toMillis(),
              all.get(all.size() - 1).toMillis());
        });
  }
}
