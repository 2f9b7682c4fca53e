package dev.holdfast.datapath.testkit;

import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A comparison whose end is controlled by a test. */
public final class FakeScrub implements Scrub {
  private final String snapshot;
  private final CompletableFuture<ScrubResult> done = new CompletableFuture<>();
  private volatile ScrubOptions options;

  public FakeScrub(String snapshot, ScrubOptions options) {
    this.snapshot = snapshot;
    this.options = options;
  }

  public ScrubOptions options() {
    return options;
  }

  public void end(ScrubResult result) {
    done.complete(result);
  }

  @Override
  public String snapshot() {
    return snapshot;
  }

  @Override
  public long totalBytes() {
    return 4096;
  }

  @Override
  public long doneBytes() {
    return done.isDone() ? 4096 : 1024;
  }

  @Override
  public void change(ScrubOptions changed) {
    options = changed;
  }

  @Override
  public void cancel() {
    done.completeExceptionally(new StorageException(ErrorCode.BUSY, "broken off"));
  }

  @Override
  public CompletionStage<ScrubResult> done() {
    return done;
  }
}
