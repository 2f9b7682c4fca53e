package dev.holdfast.engine.sparse.internal;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs each task immediately on the caller's thread. */
final class DirectExecutor extends AbstractExecutorService {
  private boolean stopped;

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void shutdown() {
    stopped = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    stopped = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return stopped;
  }

  @Override
  public boolean isTerminated() {
    return stopped;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }
}
