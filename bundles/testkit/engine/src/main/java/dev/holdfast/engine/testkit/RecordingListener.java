package dev.holdfast.engine.testkit;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.StorageException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Records the events of an engine. Thread-safe. */
public final class RecordingListener implements EngineListener {
  private final Map<String, MemberMode> modes = new LinkedHashMap<>();
  private StorageException failure;
  private Optional<RequestWait> requestWait = Optional.empty();
  private int exportChanges;

  @Override
  public synchronized void replicaChanged(String replica, MemberMode mode, String reason) {
    modes.put(replica, mode);
    notifyAll();
  }

  @Override
  public synchronized void failed(StorageException cause) {
    failure = cause;
    notifyAll();
  }

  @Override
  public synchronized void exportChanged() {
    exportChanges++;
    notifyAll();
  }

  @Override
  public synchronized void waiting(Optional<RequestWait> told) {
    requestWait = told;
    notifyAll();
  }

  /**
   * Waits until requests wait or no longer wait.
   *
   * @param wait whether they wait
   * @return the reason of the wait, empty if requests do not wait; never null
   * @throws InterruptedException when interrupted
   */
  public synchronized Optional<RequestWait> awaitRequests(boolean wait)
      throws InterruptedException {
    while (requestWait.isPresent() != wait) {
      wait();
    }
    return requestWait;
  }

  /** Returns the last reported cause for which requests wait; never null. */
  public synchronized Optional<RequestWait> requestWait() {
    return requestWait;
  }

  /**
   * Waits until an export has changed.
   *
   * @throws InterruptedException when interrupted
   */
  public synchronized void awaitExportChange() throws InterruptedException {
    while (exportChanges == 0) {
      wait();
    }
  }

  /** Returns the last reported mode of each replica, never null. */
  public synchronized Map<String, MemberMode> modes() {
    return Map.copyOf(modes);
  }

  /** Returns the failure of the volume, empty if none; never null. */
  public synchronized Optional<StorageException> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Waits until the volume has failed.
   *
   * @return the failure, never null
   * @throws InterruptedException when interrupted
   */
  public synchronized StorageException awaitFailure() throws InterruptedException {
    Waits.until(this, () -> failure != null, () -> "expected a failed volume, found " + modes);
    return failure;
  }

  /**
   * Waits until a replica has a mode.
   *
   * @param replica name of the replica, not null
   * @param mode the mode, not null
   * @throws InterruptedException when interrupted
   */
  public synchronized void awaitMode(String replica, MemberMode mode) throws InterruptedException {
    Waits.until(
        this,
        () -> modes.get(replica) == mode,
        () -> "expected replica " + replica + " in mode " + mode + ", found " + modes);
  }
}
