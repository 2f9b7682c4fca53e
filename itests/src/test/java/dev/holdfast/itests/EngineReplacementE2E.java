package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bundle of the sparse engine is replaced while clients write: beside the old one, in place, by
 * versions that do not work, and back. No client sees an error or loses its connection.
 */
class EngineReplacementE2E {
  /** So many former versions may be held softly, which only a lack of memory ends. */
  private static final int SOFTLY = 3;

  private static final String ARTIFACT = "holdfast-engine-sparse";
  private static final String ENGINE = "dev.holdfast.engine.sparse.internal.SparseEngine";

  /** Each takes the volumes there and back: two replacements. */
  private static final int ROUNDS = 12;

  private static final int SETTLED = 5;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Pattern INSTALLED = Pattern.compile("Bundle ID: (\\d+)");
  private static final Pattern MOVED =
      Pattern.compile("resumed in bundle (\\d+) \\S+ after (\\d+) us");

  @TempDir static Path data;
  private static RunningNode node;
  private static BundleJars jars;

  @BeforeAll
  static void start() {
    node = RunningNode.of(data.resolve("node")).withJava("");
    node.up().succeeded();
    jars = new BundleJars(data);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static URI volume(String name) {
    URI uri = node.volume(name, "64Mi", 2);
    node.ok("snapshot", "create", name, "before");
    return uri;
  }

  private static String id(String symbolicName) {
    return node.shell("bundle:list -t 0 -s --no-format")
        .lines()
        .filter(line -> line.strip().endsWith(symbolicName))
        .map(line -> line.strip().split("\\s", 2)[0])
        .findFirst()
        .orElseThrow();
  }

  private static String install(Path jar) {
    Matcher matcher = INSTALLED.matcher(node.shell("bundle:install -s file:" + jar));
    assertThat(matcher.find()).isTrue();
    return matcher.group(1);
  }

  private static long moves(String bundle) {
    return node.log()
        .lines()
        .map(MOVED::matcher)
        .filter(Matcher::find)
        .filter(matcher -> matcher.group(1).equals(bundle))
        .count();
  }

  private static void awaitMove(String bundle, long before) {
    Await.until("volumes go to bundle " + bundle, LIMIT, () -> moves(bundle) > before);
  }

  private static List<Long> pauses() {
    List<Long> pauses = new ArrayList<>();
    node.log()
        .lines()
        .map(MOVED::matcher)
        .filter(Matcher::find)
        .forEach(matcher -> pauses.add(Long.parseLong(matcher.group(2))));
    Collections.sort(pauses);
    return pauses;
  }

  private static void report(String what, List<Long> micros) {
    long high = micros.get(Math.min(micros.size() - 1, micros.size() * 99 / 100));
    System.out.printf(
        "%s: %d, pause p50 %d us, p99 %d us, longest %d us%n",
        what, micros.size(), micros.get(micros.size() / 2), high, micros.get(micros.size() - 1));
  }

  private static void assertNoMoreIsKept(Heap heap, long settled, long before) {
    areCollected(before);
    long used = heap.used();
    System.out.printf(
        "heap after %d replacements %d KiB, after %d %d KiB%n",
        2 * SETTLED, settled >> 10, 2 * ROUNDS, used >> 10);
  }

  private static void areCollected(long before) {
    Await.until("former engines are collected", LIMIT, () -> engines() <= before + SOFTLY);
    System.out.printf("engines that are loaded: %d before, %d after%n", before, engines());
  }

  /** Counts those whose classes are kept. */
  private static long engines() {
    return new Heap(node.pid()).loaded(ENGINE);
  }

  @Test
  void besideTheOldOneAndBack() throws IOException {
    URI uri = volume("beside");
    String old = id("dev.holdfast.engine.sparse");
    long before = engines();
    SteadyWrites writes = new SteadyWrites(2000, 1, uri);
    try (writes;
        GapWatch gaps = new GapWatch(uri, 60L << 20)) {
      writes.awaitProgress();
      Heap heap = new Heap(node.pid());
      long settled = 0;
      for (int round = 1; round <= ROUNDS; round++) {
        String newer = install(jars.version(ARTIFACT, "5.0." + round));
        awaitMove(newer, 0);
        writes.awaitProgress();
        long back = moves(old);
        node.shell("bundle:uninstall " + newer);
        awaitMove(old, back);
        writes.awaitProgress();
        settled = round == SETTLED ? heap.used() : settled;
      }
      assertNoMoreIsKept(heap, settled, before);
      report("beside, at the gate", pauses());
      System.out.printf("beside, at a client: longest gap %d us%n", gaps.longestMicros());
    }
    writes.verify();
    areCollected(before);
    node.ok("volume", "detach", "beside");
    node.replicasAgree("beside", 2);
  }

  @Test
  void versionsThatDoNotWorkLeaveItWhereItIs() throws IOException {
    URI uri = volume("broken");
    SteadyWrites writes = new SteadyWrites(1000, 2, uri);
    try (writes) {
      writes.awaitProgress();
      for (String defect : List.of(BrokenEngine.THROWS, BrokenEngine.HANGS)) {
        String bundle = install(jars.broken("6.0." + defect.length(), defect));
        Await.until(
            defect + " is told",
            LIMIT,
            () -> node.log().contains("bundle " + bundle + " 6.0." + defect.length() + " could"));
        writes.awaitProgress();
        node.shell("bundle:uninstall " + bundle);
        writes.awaitProgress();
      }
      String bundle = "";
      Command.Result refused = node.tryShell("bundle:install -s file:" + jars.unstartable("6.1.0"));
      Matcher matcher = INSTALLED.matcher(refused.out() + refused.err());
      if (matcher.find()) {
        bundle = matcher.group(1);
      }
      writes.awaitProgress();
      if (!bundle.isEmpty()) {
        node.shell("bundle:uninstall " + bundle);
      }
    }
    writes.verify();
    node.ok("volume", "detach", "broken");
    node.replicasAgree("broken", 2);
  }

  @Test
  void inPlace() throws IOException {
    URI uri = volume("place");
    String bundle = id("dev.holdfast.engine.sparse");
    long before = engines();
    SteadyWrites writes = new SteadyWrites(2000, 3, uri);
    try (writes;
        GapWatch gaps = new GapWatch(uri, 60L << 20)) {
      writes.awaitProgress();
      List<Long> longest = new ArrayList<>();
      for (int round = 1; round <= ROUNDS; round++) {
        Path jar = jars.version(ARTIFACT, "0.3." + round);
        switch (round % 3) {
          case 0 -> node.shell("bundle:update " + bundle + " file:" + jar);
          case 1 -> node.shell("bundle:restart " + bundle);
          default -> {
            node.shell("bundle:stop " + bundle);
            node.shell("bundle:start " + bundle);
          }
        }
        writes.awaitProgress();
        longest.add(gaps.longestMicros());
      }
      Collections.sort(longest);
      report("in place, at a client, stop and start by hand included", longest);
    }
    writes.verify();
    node.shell("bundle:update " + bundle + " file:" + BundleJars.released(ARTIFACT));
    areCollected(before);
    node.ok("volume", "detach", "place");
    node.replicasAgree("place", 2);
  }
}
