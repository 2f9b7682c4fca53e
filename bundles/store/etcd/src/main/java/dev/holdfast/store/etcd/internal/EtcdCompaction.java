package dev.holdfast.store.etcd.internal;

import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.RangeRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts etcd's history older than a retention period, unless another client does, because its
 * database would grow without bound. Nodes need not coordinate: a second compaction finds the
 * history already removed. For one thread at a time.
 */
final class EtcdCompaction implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EtcdCompaction.class);
  private static final int LOOKS = 12;

  private final EtcdConnection connection;
  private final ByteString anyKey;
  private final Duration kept;
  private final Clock clock;
  private final Deque<Seen> seen = new ArrayDeque<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-etcd-compaction");
            thread.setDaemon(true);
            return thread;
          });

  /** The latest revision at a time. */
  private record Seen(Instant when, long revision) {}

  /**
   * Prepares a compaction.
   *
   * @param kept length of the retained history
   */
  EtcdCompaction(EtcdConnection connection, String prefix, Duration kept, Clock clock) {
    this.connection = connection;
    this.anyKey = ByteString.copyFromUtf8(prefix);
    this.kept = kept;
    this.clock = clock;
  }

  /** Starts the periodic check, several times per retention period. */
  void start() {
    long period = kept.dividedBy(LOOKS).toMillis();
    var unused = timer.scheduleWithFixedDelay(this::tryLook, 0, period, TimeUnit.MILLISECONDS);
  }

  private void tryLook() {
    try {
      look();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        LOG.warn(
            "the etcd user may not compact: {}: configure compaction on the server",
            e.getMessage());
        timer.shutdown();
      } else {
        LOG.debug("could not compact etcd: {}", e.getMessage());
      }
    }
  }

  /**
   * Runs one check.
   *
   * @return whether this check compacted
   */
  boolean look() throws StorageException {
    Instant now = clock.instant();
    RangeRequest latest = RangeRequest.newBuilder().setKey(anyKey).setCountOnly(true).build();
    seen.add(new Seen(now, connection.range(latest).getHeader().getRevision()));
    long revision = 0;
    while (!seen.peek().when().plus(kept).isAfter(now)) {
      revision = seen.remove().revision();
    }
    return revision > 0 && compact(revision);
  }

  private boolean compact(long revision) throws StorageException {
    try {
      connection.compact(revision);
      LOG.debug("etcd keeps revisions from {} on", revision);
      return true;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.EXPIRED) {
        return false; // Another client compacted.
      }
      throw e;
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
