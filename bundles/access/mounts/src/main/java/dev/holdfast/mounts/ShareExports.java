package dev.holdfast.mounts;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.ShareProblem;
import dev.holdfast.client.Shares;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.NfsExport;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Finds the exports of shares, for hosts that mount them. Thread-safe. */
final class ShareExports {
  private final ResourceStore store;
  private final Shares shares;

  ShareExports(ResourceStore store) {
    this.store = store;
    this.shares = new Shares(store);
  }

  /**
   * Returns the export of a requested share; waits while it moves or starts.
   *
   * @throws StorageException NOT_FOUND, INVALID as {@link Shares#get}; BUSY with the remedy when
   *     neither users nor workloads request it; TIMEOUT with the reason
   */
  NfsExport of(String volume, Waiting waiting) throws StorageException {
    ShareManager present = shares.get(volume);
    if (!isWanted(present)) {
      throw new StorageException(
          ErrorCode.BUSY, "share " + volume + " is stopped: first 'holdfast share " + volume + "'");
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var share = observation.follow(ShareManager.KIND, volume);
      return NfsExport.of(
          observation.await(
              "share " + volume,
              waiting,
              () -> share.latest().flatMap(ShareExports::endpoint),
              () -> share.latest().map(ShareProblem::of).orElse("its deletion")));
    }
  }

  private boolean isWanted(ShareManager share) throws StorageException {
    return share.spec().serve() || !shares.workloadNodes(share.name()).isEmpty();
  }

  private static Optional<String> endpoint(ShareManager share) {
    boolean runs = share.status().state() == InstanceState.RUNNING;
    return Optional.of(share.status().endpoint()).filter(e -> runs && !e.isEmpty());
  }

  /** Returns the share of a volume, if present. */
  Optional<ShareManager> find(String volume) throws StorageException {
    return store.get(ShareManager.KIND, volume);
  }

  /**
   * Rejects a volume whose filesystem a share uses, because a second mount of the device would
   * damage it.
   *
   * @throws StorageException BUSY with the remedy
   */
  void requireUnshared(String volume) throws StorageException {
    Optional<ShareManager> share = find(volume);
    if (share.isPresent()
        && (share.get().status().state() != InstanceState.STOPPED || isWanted(share.get()))) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + volume
              + " is shared: mount it with 'holdfast share mount "
              + volume
              + " DIR'");
    }
  }
}
