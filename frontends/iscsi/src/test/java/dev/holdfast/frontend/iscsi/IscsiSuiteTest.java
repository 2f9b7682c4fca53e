package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * libiscsi's suite. Each test runs in a separate process, because a skipped test counts as passed
 * and a failed test may leave reservations or data behind. {@code libiscsi-suite.txt} lists the
 * expected result of each test, and why one is skipped or wrong. All of them run with {@code
 * -Dholdfast.soak}, else those of one family each.
 */
@Timeout(600)
final class IscsiSuiteTest {
  private static final int SIZE = 64 << 20;
  private static final int EVERY = Boolean.getBoolean("holdfast.soak") ? 1 : 12;

  @Test
  void everyTestEndsAsListed() throws Exception {
    List<String> others = new ArrayList<>();
    int number = 0;
    for (Map.Entry<String, String> expected : expected().entrySet()) {
      if (number++ % EVERY == 0) {
        String found = runAlone(expected.getKey());
        if (!found.equals(expected.getValue())) {
          others.add(expected.getKey() + " ended with " + found);
        }
      }
    }
    assertThat(others).isEmpty();
  }

  /** Some tests expect a volume without earlier writes. */
  private static String runAlone(String test) throws Exception {
    try (IscsiServer server = IscsiServer.start()) {
      URI endpoint = server.publish("vol-1", new MemoryBlockDevice(SIZE));
      return run(test, endpoint.toString());
    }
  }

  @Test
  void listNamesEveryTestOfTheSuite() throws Exception {
    List<String> names =
        Peer.run("iscsi-test-cu", "-l")
            .lines()
            .filter(line -> line.matches("ALL\\.[A-Za-z0-9]+\\.[A-Za-z0-9_]+"))
            .sorted()
            .distinct()
            .toList();
    assertThat(expected().keySet()).containsExactlyInAnyOrderElementsOf(names);
  }

  private static String run(String test, String url) throws IOException, InterruptedException {
    Peer.Outcome outcome =
        Peer.attempt("iscsi-test-cu", "-d", "-f", "-n", "--test=" + test, url, url);
    boolean passed = outcome.output().matches("(?s).*tests +1 +1 +1 +0.*");
    boolean skipped = outcome.output().contains("[SKIPPED]");
    return !passed ? "FAIL" : skipped ? "SKIP" : "PASS";
  }

  /** Reads the list: outcome, test, and the reason where it is not PASS. */
  private static Map<String, String> expected() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                IscsiSuiteTest.class.getResourceAsStream("/libiscsi-suite.txt"),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#") && !line.isBlank()) {
          String[] words = line.split(" ", 3);
          assertThat(words.length == 3 || words[0].equals("PASS")).as(line).isTrue();
          expected.put(words[1], words[0]);
        }
      }
    }
    return expected;
  }
}
