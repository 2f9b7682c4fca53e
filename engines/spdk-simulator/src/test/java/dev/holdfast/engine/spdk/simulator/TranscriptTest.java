package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulator answers as the recorded targets did. */
class TranscriptTest {
  private static final long GIB = 1L << 30;

  /** Lines that are not modelled, with the reason. The list may only shrink. */
  private static final Map<Integer, String> NOT_MODELLED = new TreeMap<>();

  /** Members that depend on what a host outside of the recording read and wrote. */
  private static final Set<String> EXAMPLES =
      Set.of(
          "bytes_read",
          "num_read_ops",
          "bytes_written",
          "num_write_ops",
          "num_allocated_clusters",
          "free_clusters",
          "total_clusters");

  private static final Map<Integer, String> NOT_MODELLED_2 = new TreeMap<>();

  static {
    String outside = "a host outside of the recording was connected";
    String copied = "such a host had written the clusters that are copied";
    String polls = "poll groups and queue pairs are not modelled";
    String error = "error devices are not modelled";
    NOT_MODELLED_2.put(43, outside);
    NOT_MODELLED_2.put(44, polls);
    NOT_MODELLED_2.put(45, polls);
    NOT_MODELLED_2.put(56, outside);
    NOT_MODELLED_2.put(105, polls);
    NOT_MODELLED_2.put(129, polls);
    NOT_MODELLED_2.put(141, "the order of devices that SPDK reports depends on its threads");
    NOT_MODELLED_2.put(191, copied);
    NOT_MODELLED_2.put(192, copied);
    for (int line = 259; line <= 263; line++) {
      NOT_MODELLED_2.put(line, error);
    }
    NOT_MODELLED_2.put(277, error);
  }

  @TempDir Path folder;

  @Test
  void firstTranscriptIsAnsweredLineByLine() throws Exception {
    try (SimulatedNodes nodes = new SimulatedNodes(folder)) {
      nodes.disk("/disks/a0.img", GIB);
      nodes.disk("/disks/a1.img", GIB);
      nodes.key("/disks/k1", "DHHC-1:00:c2VjcmV0:", "rw-------");
      Replay replay = new Replay(nodes, Transcript.read("transcript.jsonl"), Set.of());
      assertThat(replay.run()).withFailMessage(replay::report).isEqualTo(NOT_MODELLED.keySet());
    }
    assertThat(NOT_MODELLED).hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void secondTranscriptIsAnsweredExceptListedLines() throws Exception {
    try (SimulatedNodes nodes = new SimulatedNodes(folder)) {
      nodes.disk("disk-a.img", GIB);
      nodes.disk("disk-b.img", GIB);
      for (String key : List.of("dh-host", "dh-ctrl", "dh-new", "tls", "tls-bad")) {
        nodes.key("/var/tmp/keys/" + key + ".key", "secret of " + key, "rw-------");
      }
      nodes.key("/var/tmp/keys/open.key", "secret", "rw-r--r--");
      Replay replay = new Replay(nodes, Transcript.read("transcript-2.jsonl"), EXAMPLES);
      assertThat(replay.run()).withFailMessage(replay::report).isEqualTo(NOT_MODELLED_2.keySet());
    }
  }
}
