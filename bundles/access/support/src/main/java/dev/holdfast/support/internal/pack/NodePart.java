package dev.holdfast.support.internal.pack;

import dev.holdfast.access.audit.AuditFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The part of a support bundle from one node: at most {@link #LARGEST} bytes in {@link #LONGEST}.
 * {@code omitted.txt} names files that could not be collected. Thread-safe.
 */
public final class NodePart {
  /** Limit of the total size of a node's files in bytes. */
  static final long LARGEST = 512L << 20;

  /** Time after which a node omits the remaining files. */
  public static final Duration LONGEST = Duration.ofMinutes(2);

  private static final long PAUSE_SECONDS = 5;

  private final Path data;
  private final List<Facts> sources;
  private final InstantSource clock;

  NodePart(Path data, List<Facts> sources, InstantSource clock) {
    this.data = data;
    this.sources = List.copyOf(sources);
    this.clock = clock;
  }

  /**
   * Returns the part of a node.
   *
   * @param data state directory of the node
   * @param logs folder of its logs
   * @param bundles lists its bundles, one per line
   * @param metrics returns its metrics as text
   */
  public static NodePart of(
      Path data, Path logs, Supplier<String> bundles, Supplier<String> metrics) {
    return new NodePart(
        data,
        List.of(
            new RuntimeFacts(bundles, () -> TimeUnit.SECONDS.sleep(PAUSE_SECONDS)),
            new HostFacts(data),
            (request, filter, sink) ->
                sink.entry(
                    "metrics.txt", filter.redact(metrics.get()).getBytes(StandardCharsets.UTF_8)),
            new LogFacts("logs", logs, "*.log*"),
            new LogFacts("audit", AuditFolder.ofNode(data).path(), "audit.log*")),
        InstantSource.system());
  }

  /**
   * Collects the part. Withholds files that would still contain a secret after the removal of
   * secrets.
   *
   * @param extra additional files about the cluster
   * @throws IOException if secrets cannot be read, so that none could be removed; or if the
   *     receiver has disconnected
   */
  public void collect(SupportRequest request, EntrySink target, List<ClusterFacts> extra)
      throws IOException {
    SecretFilter filter = new SecretFilter(KnownSecrets.of(data));
    BoundedSink sink =
        new BoundedSink(target, filter, LARGEST, clock.instant().plus(LONGEST), clock);
    for (ClusterFacts source : extra) {
      collect(source, request, filter, sink);
    }
    for (Facts source : sources) {
      collect(source, request, filter, sink);
    }
    if (!sink.omissions().isEmpty()) {
      target.entry(
          "omitted.txt", String.join("\n", sink.omissions()).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void collect(
      Facts source, SupportRequest request, SecretFilter filter, BoundedSink sink) {
    try {
      source.collect(request, filter, sink);
    } catch (IOException | RuntimeException e) {
      // The other files are still useful.
      sink.omit(source.getClass().getSimpleName(), String.valueOf(e));
    }
  }
}
