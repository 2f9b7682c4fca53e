package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The lines of logs that can explain an error of a share's client. */
final class ShareLogs {
  private static final int MOST = 12;

  private ShareLogs() {}

  /** Returns the last errors of this machine's kernel, of the nodes and of their NFS servers. */
  static String of(Cluster cluster, int nodes) {
    StringBuilder all = new StringBuilder();
    add(all, "kernel", lines("dmesg | grep -E 'I/O error|EXT4-fs (error|warning)|Abort' "));
    for (int node = 1; node <= nodes; node++) {
      Path data = cluster.data(node);
      add(all, "node-" + node, warnings(data.resolve("log/holdfast.log")));
      add(
          all,
          "server of node-" + node,
          lines("cat '%s'/share-nfs/processes/*.log | grep -E 'CRIT|FATAL|WARN'".formatted(data)));
    }
    return all.toString();
  }

  private static void add(StringBuilder all, String where, List<String> lines) {
    if (!lines.isEmpty()) {
      int from = Math.max(0, lines.size() - MOST);
      all.append("\n").append(where).append(":\n");
      all.append(String.join("\n", lines.subList(from, lines.size())));
    }
  }

  private static List<String> warnings(Path log) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")).toList();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  private static List<String> lines(String script) {
    return Command.of("sh", "-c", "{ " + script + "; } 2>&1 | tail -n " + MOST)
        .run()
        .out()
        .lines()
        .toList();
  }
}
