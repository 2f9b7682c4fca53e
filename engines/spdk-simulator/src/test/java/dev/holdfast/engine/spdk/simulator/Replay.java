package dev.holdfast.engine.spdk.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.spdk.simulator.Transcript.Line;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Sends recorded calls to simulated targets and collects the differences. */
final class Replay {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final SimulatedNodes nodes;
  private final List<Line> lines;
  private final Set<String> ignored;
  private final Set<Integer> different = new TreeSet<>();
  private final List<String> report = new ArrayList<>();

  /**
   * Creates a replay.
   *
   * @param ignored names of members whose values are examples
   */
  Replay(SimulatedNodes nodes, List<Line> lines, Set<String> ignored) {
    this.nodes = nodes;
    this.lines = lines;
    this.ignored = ignored;
  }

  /** Runs all lines. Returns the numbers of those that differ. */
  Set<Integer> run() throws Exception {
    for (Line line : lines) {
      if (line.event().equals("start")) {
        nodes.start(line.target());
      } else if (line.event().equals("kill -9")) {
        nodes.kill(line.target());
      } else {
        call(line);
      }
    }
    return different;
  }

  /** Returns each difference in one line. */
  String report() {
    return String.join("\n", report);
  }

  private void call(Line line) throws Exception {
    if (nodes.client(line.target()) == null) {
      nodes.start(line.target());
    }
    pace(line);
    try {
      JsonNode result =
          nodes.client(line.target()).call(line.method(), line.request().path("params"), PATIENCE);
      if (line.isRefused()) {
        differs(line, "expected " + line.response().get("error") + ", found " + result);
      } else {
        AnswerComparison.compare(line.method(), line.response().get("result"), result, ignored)
            .forEach(difference -> differs(line, difference));
      }
    } catch (JsonRpcException e) {
      JsonNode error = line.response().path("error");
      if (e.rpcCode() != error.path("code").asInt()
          || !e.rpcMessage().equals(error.path("message").asText())) {
        differs(line, "expected " + line.response() + ", found " + e.getMessage());
      }
    }
  }

  private void differs(Line line, String difference) {
    different.add(line.number());
    report.add("line " + line.number() + " " + line.method() + ": " + difference);
  }

  /** A rebuild runs until the recording shows it for the last time. */
  private void pace(Line line) throws InterruptedException, IOException, StorageException {
    if (line.method().equals("bdev_raid_add_base_bdev")) {
      nodes.target(line.target()).holdRebuilds();
    } else if (line.method().equals("bdev_raid_get_bdevs")
        && !line.response().toString().contains("\"process\"")) {
      nodes.target(line.target()).releaseRebuilds();
    }
  }
}
