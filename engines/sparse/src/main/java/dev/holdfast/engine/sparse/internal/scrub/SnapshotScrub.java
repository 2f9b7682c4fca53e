package dev.holdfast.engine.sparse.internal.scrub;

import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.sparse.internal.rebuild.SharedRateLimit;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrubs one snapshot in steps. Structural operations wait during a step, so that a half-done
 * operation never looks like damage. Between steps the scrub keeps to its rate limit. During client
 * I/O it pauses as long as the last step took.
 */
final class SnapshotScrub implements Scrub {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotScrub.class);
  private static final Duration LONGEST_REST = Duration.ofSeconds(1);

  private final VolumeContext parts;
  private final String snapshot;
  private final SharedRateLimit pace;
  private final LayerScrub layer;
  private final CompletableFuture<ScrubResult> done = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean cancelled;

  SnapshotScrub(VolumeContext parts, String snapshot, ScrubOptions options) {
    this.parts = parts;
    this.snapshot = snapshot;
    this.pace = new SharedRateLimit(options.bytesPerSecond(), () -> cancelled);
    this.layer = new LayerScrub(parts, snapshot);
  }

  void begin() {
    parts.executor().execute(this::run);
  }

  boolean runs() {
    return ended.getCount() > 0;
  }

  @Override
  public String snapshot() {
    return snapshot;
  }

  @Override
  public long totalBytes() {
    return layer.size();
  }

  @Override
  public long doneBytes() {
    return layer.done();
  }

  @Override
  public void change(ScrubOptions options) {
    pace.change(options.bytesPerSecond());
  }

  @Override
  public void cancel() {
    cancelled = true;
    pace.wake();
  }

  @Override
  public CompletionStage<ScrubResult> done() {
    return done.minimalCompletionStage();
  }

  /** Waits until all work of the scrub has ended. */
  void awaitEnd() {
    Uninterruptibly.await(ended);
  }

  private void run() {
    ScrubResult result = null;
    StorageException cause = null;
    try {
      result = scrub();
    } catch (StorageException e) {
      cause = e;
    } catch (RuntimeException | Error e) {
      cause = new StorageException(ErrorCode.INTERNAL, "a defect: " + e, e);
      LOG.error("volume {}: scrubbing snapshot {} failed", parts.name(), snapshot, e);
    }
    ended.countDown();
    if (cause == null) {
      done.complete(result);
    } else {
      done.completeExceptionally(cause);
    }
  }

  private ScrubResult scrub() throws StorageException {
    parts.structure().settle(snapshot);
    try {
      step(layer::begin);
      while (!layer.complete()) {
        long from = System.nanoTime();
        step(layer::step);
        rest(Duration.ofNanos(System.nanoTime() - from));
      }
      step(layer::keep);
      return layer.result();
    } finally {
      parts.structure().unlock(snapshot);
    }
  }

  private interface Step {
    void run() throws StorageException;
  }

  private void step(Step step) throws StorageException {
    parts
        .structure()
        .alone(
            () -> {
              if (cancelled || parts.closed()) {
                throw new StorageException(
                    ErrorCode.BUSY, "the scrubbing of snapshot " + snapshot + " was broken off");
              }
              step.run();
            });
  }

  private void rest(Duration worked) throws StorageException {
    try {
      pace.await(layer.lastRead());
      if (parts.gate().busy()) {
        pace.rest(worked.compareTo(LONGEST_REST) < 0 ? worked : LONGEST_REST);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.BUSY, "the scrubbing was interrupted", e);
    }
  }
}
