package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a writing process with SIGKILL at random times, repeatedly on the same file. Each
 * acknowledged write must exist afterwards, and a watch from before the kill must deliver all
 * changes up to the present state.
 */
@Tag("slow")
class KillTest {
  /** Number of kept changes, greater than one process writes before its kill. */
  static final int KEPT = 1_000_000;

  private static final int MOST_ACKNOWLEDGED = 1500;

  @TempDir Path directory;

  /** Content of the store after a round. */
  private record State(Map<String, Setting> settings, String version) {}

  @Test
  void killLosesNoAcknowledgedWrite() throws Exception {
    killAgainAndAgain(Integer.getInteger("holdfast.test.kills", 4));
  }

  @Test
  @Tag("soak")
  void manyKillsLoseNoAcknowledgedWrite() throws Exception {
    killAgainAndAgain(Integer.getInteger("holdfast.test.soak.kills", 200));
  }

  private void killAgainAndAgain(int rounds) throws Exception {
    Path file = directory.resolve("store.db");
    Random random = new Random();
    State state = new State(Map.of(), "0");
    for (int round = 0; round < rounds; round++) {
      int lines = 1 + random.nextInt(MOST_ACKNOWLEDGED);
      List<String> acknowledged = runAndKill(file, random.nextLong() >>> 8, lines);
      requireConsistentTables(file);
      state = requireAllKept(file, state, acknowledged);
    }
  }

  /** Runs the writer, kills it after some acknowledged writes, and returns these writes. */
  private static List<String> runAndKill(Path file, long seed, int lines) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                file.toString(),
                Long.toString(seed))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> acknowledged = new ArrayList<>();
    try (BufferedReader output = process.inputReader(StandardCharsets.US_ASCII)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        acknowledged.add(line);
        if (acknowledged.size() == lines) {
          // Process.destroyForcibly would close the stream, which still contains acknowledgements.
          process.toHandle().destroyForcibly();
        }
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("killed, not failed").isEqualTo(128 + 9);
    assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(lines);
    // The last line may be incomplete.
    return acknowledged.subList(0, acknowledged.size() - 1);
  }

  /** Checks that the tables are consistent, because they are written in one transaction. */
  private static void requireConsistentTables(Path file) throws Exception {
    String latest = "(SELECT version FROM latest)";
    String lastChange =
        "(SELECT body FROM change c WHERE c.type <> 'DELETED' AND version = (SELECT max(version)"
            + " FROM change d WHERE d.body ->> '$.metadata.name' = r.name))";
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      assertNone(statement, "SELECT 1 WHERE (SELECT max(version) FROM change) <> " + latest);
      assertNone(statement, "SELECT 1 WHERE (SELECT count(*) FROM change) <> " + latest);
      assertNone(statement, "SELECT name FROM resource r WHERE body IS NOT " + lastChange);
    }
  }

  private static void assertNone(Statement statement, String sql) throws Exception {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).as(sql).isFalse();
    }
  }

  private static State requireAllKept(Path file, State before, List<String> acknowledged)
      throws Exception {
    try (EmbeddedResourceStore store = new EmbeddedResourceStore(file, Clock.systemUTC(), KEPT)) {
      ResourceList<Setting> list = store.list(Setting.KIND, LabelSelector.ALL);
      Map<String, Setting> now = new TreeMap<>();
      list.items().forEach(item -> now.put(item.name(), item));
      List<WatchEvent<Setting>> events = eventsSince(store, before.version(), list);

      assertThat(replay(before.settings(), events)).isEqualTo(now);
      requireAcknowledged(events, acknowledged);
      return new State(now, list.resourceVersion());
    }
  }

  private static List<WatchEvent<Setting>> eventsSince(
      EmbeddedResourceStore store, String version, ResourceList<Setting> list) throws Exception {
    LinkedBlockingQueue<WatchEvent<Setting>> events = new LinkedBlockingQueue<>();
    List<WatchEvent<Setting>> result = new ArrayList<>();
    long count = Long.parseLong(list.resourceVersion()) - Long.parseLong(version);
    WatchListener<Setting> listener =
        new WatchListener<>() {
          @Override
          public void changed(WatchEvent<Setting> event) {
            events.add(event);
          }

          @Override
          public void ended(StorageException cause) {
            throw new AssertionError("the watch ended", cause);
          }
        };
    try (Watch watch = store.watch(Setting.KIND, version, listener)) {
      assertThat(watch).isNotNull();
      for (long expected = Long.parseLong(version) + 1; result.size() < count; expected++) {
        WatchEvent<Setting> event = events.poll(30, TimeUnit.SECONDS);
        assertThat(event).as("the change of version %s", expected).isNotNull();
        assertThat(event.resource().metadata().resourceVersion()).isEqualTo("" + expected);
        result.add(event);
      }
    }
    assertThat(events).isEmpty();
    return result;
  }

  private static Map<String, Setting> replay(
      Map<String, Setting> before, List<WatchEvent<Setting>> events) {
    Map<String, Setting> state = new TreeMap<>(before);
    for (WatchEvent<Setting> event : events) {
      switch (event.type()) {
        case ADDED, MODIFIED -> state.put(event.resource().name(), event.resource());
        case DELETED -> state.remove(event.resource().name());
      }
    }
    return state;
  }

  private static void requireAcknowledged(
      List<WatchEvent<Setting>> events, List<String> acknowledged) {
    Map<String, String> written = new HashMap<>();
    Map<String, Long> deletions = new HashMap<>();
    for (WatchEvent<Setting> event : events) {
      String name = event.resource().name();
      switch (event.type()) {
        case ADDED, MODIFIED ->
            written.put(
                event.resource().metadata().resourceVersion(),
                name + " " + event.resource().spec().value());
        case DELETED -> deletions.merge(name, 1L, Long::sum);
      }
    }
    Map<String, Long> acknowledgedDeletions = new HashMap<>();
    for (String line : acknowledged) {
      String[] parts = line.split(" ", 2);
      if (parts[0].equals("0")) {
        acknowledgedDeletions.merge(parts[1].substring(0, parts[1].length() - 2), 1L, Long::sum);
      } else {
        assertThat(written).containsEntry(parts[0], parts[1]);
      }
    }
    acknowledgedDeletions.forEach(
        (name, count) ->
            assertThat(deletions.getOrDefault(name, 0L))
                .as("deletions of %s", name)
                .isGreaterThanOrEqualTo(count));
  }
}
