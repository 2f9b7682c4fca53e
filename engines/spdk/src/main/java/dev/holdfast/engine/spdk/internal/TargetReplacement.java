package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the process of the target when the node names another program or other options. Requests
 * to all volumes wait until the new process has them. For one thread.
 */
final class TargetReplacement {
  private static final Logger LOG = LoggerFactory.getLogger(TargetReplacement.class);

  /** Each attempt delays hosts, so a failed one is not repeated at once. */
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SpdkTarget target;
  private final TargetListener hosts;
  private long next = System.nanoTime();

  TargetReplacement(SpdkTarget target, TargetListener hosts) {
    this.target = target;
    this.hosts = hosts;
  }

  /**
   * Replaces it if it is outdated and the engine has all volumes that it shows to hosts. The next
   * attempt after a failure is a minute later.
   *
   * @param volumes that are open
   * @param shown subsystems of the target
   */
  void attempt(Collection<SpdkVolume> volumes, List<TargetSubsystem> shown) {
    if (!target.isOutdated() || System.nanoTime() - next < 0 || isLeft(volumes, shown)) {
      return;
    }
    next = System.nanoTime() + AGAIN_NANOS;
    try {
      run(List.copyOf(volumes));
      LOG.info("SPDK target: its process was replaced under {} volumes", volumes.size());
    } catch (StorageException e) {
      LOG.warn("SPDK target: could not replace its process: {}", e.getMessage());
    }
  }

  /**
   * An export that an earlier engine left, and that was not adopted yet, cannot be drained. Targets
   * of other nodes wait for the replicas that they use here, without that.
   */
  private boolean isLeft(Collection<SpdkVolume> volumes, List<TargetSubsystem> shown) {
    Set<String> own = volumes.stream().map(SpdkVolume::nqn).collect(Collectors.toSet());
    return shown.stream()
        .filter(one -> one.listeners().contains(hosts) && !Identity.isInternal(one.nqn()))
        .anyMatch(one -> !own.contains(one.nqn()));
  }

  private void run(List<SpdkVolume> volumes) throws StorageException {
    List<SpdkVolume> paused = new ArrayList<>();
    boolean replaced = false;
    try {
      for (SpdkVolume volume : volumes) {
        volume.pause();
        paused.add(volume);
      }
      replaced = true;
      target.replace();
    } catch (StorageException e) {
      replaced &= e.code() != ErrorCode.UNSUPPORTED;
      throw e;
    } finally {
      for (SpdkVolume volume : paused) {
        volume.resume(replaced);
      }
    }
  }
}
