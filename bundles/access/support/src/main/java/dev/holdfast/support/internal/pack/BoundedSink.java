package dev.holdfast.support.internal.pack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Forwards files within limits of size and time, and only if they contain no detected secret. Lists
 * the omitted files. For one thread.
 */
final class BoundedSink implements EntrySink {
  private final EntrySink target;
  private final SecretFilter filter;
  private final long limit;
  private final Instant end;
  private final InstantSource clock;
  private final List<String> omissions = new ArrayList<>();
  private long bytes;

  /**
   * Creates a sink.
   *
   * @param limit limit of the total size in bytes
   * @param end time after which files are omitted
   */
  BoundedSink(EntrySink target, SecretFilter filter, long limit, Instant end, InstantSource clock) {
    this.target = target;
    this.filter = filter;
    this.limit = limit;
    this.end = end;
    this.clock = clock;
  }

  @Override
  public void entry(String name, byte[] content) throws IOException {
    if (clock.instant().isAfter(end)) {
      omissions.add(name + ": the time limit was over");
    } else if (bytes + content.length > limit) {
      omissions.add(name + ": the size limit of " + limit + " bytes was reached");
    } else if (filter.holdsSecret(new String(content, StandardCharsets.UTF_8))) {
      omissions.add(name + ": withheld, because it holds a secret");
    } else {
      bytes += content.length;
      target.entry(name, content);
    }
  }

  /** Records a file that could not be collected. */
  void omit(String name, String reason) {
    omissions.add(name + ": " + filter.redact(reason));
  }

  /** Returns the omitted files with reasons. */
  List<String> omissions() {
    return List.copyOf(omissions);
  }
}
