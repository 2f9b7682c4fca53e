package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Delays the restart of a node until the replicas of the previously restarted node are current
 * again, because the second restart could take away the last current replica.
 */
final class Redundancy {
  private static final long LOOK_MILLIS = 500;

  private final ResourceStore store;
  private final Set<String> healthy;

  private Redundancy(ResourceStore store, Set<String> healthy) {
    this.store = store;
    this.healthy = healthy;
  }

  /** Records the volumes in use that have all their replicas; other volumes are not awaited. */
  static Redundancy now(ResourceStore store) throws StorageException {
    return new Redundancy(
        store,
        store.list(Volume.KIND, LabelSelector.ALL).items().stream()
            .filter(volume -> volume.status().state() == VolumeState.ATTACHED)
            .filter(volume -> volume.status().robustness() == Robustness.HEALTHY)
            .map(Volume::name)
            .collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * Waits until the recorded volumes have all their replicas again.
   *
   * @param next the next node to restart, for the message
   * @throws StorageException TIMEOUT if some still lack replicas
   */
  void await(String next, Waiting waiting) throws StorageException {
    long end = System.nanoTime() + waiting.timeout().toNanos();
    boolean told = false;
    while (true) {
      Optional<List<String>> behind = behind();
      if (behind.filter(List::isEmpty).isPresent()) {
        return;
      }
      String volumes = behind.map(names -> String.join(", ", names)).orElse("(unknown)");
      if (!told) {
        waiting.progress().accept("waiting until all replicas are current: volumes " + volumes);
        told = true;
      }
      if (System.nanoTime() - end >= 0) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            "node "
                + next
                + " is left as it is: volumes "
                + volumes
                + " do not have all their replicas again; see 'holdfast volume get'");
      }
      pause(next);
    }
  }

  /**
   * Returns the volumes that lack replicas; empty if the store does not answer, as during the
   * restart of its node.
   */
  private Optional<List<String>> behind() {
    try {
      return Optional.of(
          store.list(Volume.KIND, LabelSelector.ALL).items().stream()
              .filter(volume -> healthy.contains(volume.name()))
              .filter(volume -> !volume.spec().nodeID().isEmpty())
              .filter(volume -> volume.status().robustness() != Robustness.HEALTHY)
              .map(Volume::name)
              .toList());
    } catch (StorageException e) {
      return Optional.empty();
    }
  }

  private static void pause(String node) throws StorageException {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "interrupted before node " + node + " was upgraded", e);
    }
  }
}
