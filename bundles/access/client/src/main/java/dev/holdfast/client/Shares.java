package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Starts, stops, returns and trims shares of volumes for users. Controllers execute the requests.
 * Thread-safe.
 */
public final class Shares {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the shares of a store. */
  public Shares(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Shares a volume; with waiting, until its share serves with these settings. Idempotent.
   *
   * @throws StorageException NOT_FOUND for the volume; INVALID when it cannot be shared or a
   *     setting is invalid; BUSY when it is in use as a device; CONFLICT when its address is in
   *     use; TIMEOUT with the reason, and the request remains
   */
  public ShareManager share(ShareSettings settings, Waiting waiting) throws StorageException {
    requireShareable(settings.volume());
    ShareManager present = awaitShare(settings.volume(), waiting);
    requireAddress(settings, settings.applied(present.spec()));
    ShareManager wanted =
        editor.edit(
            ShareManager.KIND,
            settings.volume(),
            share -> share.withSpec(settings.applied(share.spec())));
    return waiting.isWanted() ? awaitServing(wanted, waiting) : wanted;
  }

  private void requireShareable(String name) throws StorageException {
    Volume volume = editor.require(Volume.KIND, name);
    if (volume.isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + name + " is being deleted and cannot be shared");
    }
    if (!ShareManager.isShared(volume)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + name
              + " cannot be shared: "
              + (volume.spec().migratable()
                  ? "spec.migratable is true, so it is a device for many nodes"
                  : "spec.accessMode is " + volume.spec().accessMode() + ", a share needs rwx")
              + ": make a copy with 'holdfast volume create NAME --from "
              + name
              + " --access-mode rwx'");
    }
    Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, name);
    List<String> device =
        attachment.map(a -> a.spec().attachmentTickets().values().stream()).stream()
            .flatMap(tickets -> tickets)
            .filter(ticket -> ticket.type().equals(Attachments.TICKET_TYPE))
            .map(ticket -> ticket.id())
            .sorted()
            .toList();
    if (!device.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + name
              + " is in use as a device by ticket "
              + String.join(", ", device)
              + ": first 'holdfast umount "
              + name
              + "' where it is mounted, then 'holdfast volume detach "
              + name
              + "'");
    }
  }

  /** Waits for the ShareManager of a new volume. */
  private ShareManager awaitShare(String name, Waiting waiting) throws StorageException {
    Optional<ShareManager> present = store.get(ShareManager.KIND, name);
    if (present.isPresent()) {
      return present.get();
    }
    Waiting atLeast =
        waiting.isWanted() ? waiting : new Waiting(Waiting.DEFAULT_TIMEOUT, waiting.progress());
    try (ResourceWait observation = new ResourceWait(store)) {
      var share = observation.follow(ShareManager.KIND, name);
      return observation.await(
          "volume " + name,
          atLeast,
          share::latest,
          () -> "its ShareManager, which the share controller makes");
    }
  }

  private void requireAddress(ShareSettings settings, ShareManagerSpec wanted)
      throws StorageException {
    Optional<String> ip = ShareAddress.parsed(wanted.address()).map(ShareAddress::ip);
    if (ip.isEmpty()) {
      return; // no address, or one that the store rejects
    }
    if (wanted.allowedClients().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "share "
              + settings.volume()
              + ": --address "
              + wanted.address()
              + " is for clients outside of the cluster, and none is allowed: name them with --allow");
    }
    for (ShareManager other : list()) {
      boolean same = ShareAddress.parsed(other.spec().address()).map(ShareAddress::ip).equals(ip);
      if (same && !other.name().equals(settings.volume())) {
        throw inUse(settings, ip.get(), "share " + other.name());
      }
    }
    for (Node node : store.list(Node.KIND, LabelSelector.ALL).items()) {
      if (node.status().address().equals(ip.get())) {
        throw inUse(settings, ip.get(), "node " + node.name() + " as its own");
      }
    }
  }

  private static StorageException inUse(ShareSettings settings, String ip, String user) {
    return new StorageException(
        ErrorCode.CONFLICT,
        "share "
            + settings.volume()
            + ": --address "
            + ip
            + " is in use by "
            + user
            + ": choose another one");
  }

  private ShareManager awaitServing(ShareManager wanted, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var share = observation.follow(ShareManager.KIND, wanted.name());
      return observation.await(
          "share " + wanted.name(),
          waiting,
          () -> {
            if (share.latest().isEmpty()) {
              throw gone(wanted.name());
            }
            return share.latest().filter(now -> serves(now, wanted.metadata().generation()));
          },
          () -> share.latest().map(ShareProblem::of).orElse("its deletion"));
    }
  }

  private static StorageException gone(String name) {
    return new StorageException(
        ErrorCode.NOT_FOUND, "volume " + name + " was deleted during this call");
  }

  private static boolean serves(ShareManager share, long generation) {
    return share.status().state() == InstanceState.RUNNING
        && !share.status().endpoint().isEmpty()
        && share.status().observedGeneration() >= generation;
  }

  /** Returns all shares, by name. */
  public List<ShareManager> list() throws StorageException {
    return store.list(ShareManager.KIND, LabelSelector.ALL).items();
  }

  /**
   * Returns the share of a volume.
   *
   * @throws StorageException NOT_FOUND
   */
  public ShareManager get(String name) throws StorageException {
    Optional<ShareManager> share = store.get(ShareManager.KIND, name);
    if (share.isEmpty()) {
      requireShareable(name);
    }
    return share.orElseThrow(
        () ->
            new StorageException(
                ErrorCode.NOT_FOUND,
                "volume " + name + " has no share yet: see 'holdfast share list'"));
  }

  /**
   * Withdraws the request of {@link #share}; with waiting, until the share is stopped, unless
   * workloads need it.
   *
   * @param force whether to stop the share even if clients have it mounted
   * @throws StorageException NOT_FOUND; BUSY when clients have it mounted; TIMEOUT
   */
  public ShareManager stop(String name, boolean force, Waiting waiting) throws StorageException {
    ShareManager present = get(name);
    boolean ends = workloads(store.get(VolumeAttachment.KIND, name)).isEmpty();
    if (!force && ends && !present.status().clients().isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "share "
              + name
              + " is mounted by "
              + String.join(", ", present.status().clients())
              + ": unmount it there, or stop it with 'holdfast share stop "
              + name
              + " --force'");
    }
    ShareManager asked =
        editor.edit(
            ShareManager.KIND, name, share -> share.withSpec(share.spec().withServe(false)));
    return waiting.isWanted() ? awaitStopped(asked, waiting) : asked;
  }

  private ShareManager awaitStopped(ShareManager asked, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var share = observation.follow(ShareManager.KIND, asked.name());
      var attachment = observation.follow(VolumeAttachment.KIND, asked.name());
      return observation.await(
          "share " + asked.name(),
          waiting,
          () ->
              share.latest().isEmpty()
                  ? Optional.of(asked)
                  : share
                      .latest()
                      .filter(
                          now ->
                              now.status().state() == InstanceState.STOPPED
                                  || !workloads(attachment.latest()).isEmpty()),
          () -> share.latest().map(ShareProblem::of).orElse("its deletion"));
    }
  }

  /** Returns the nodes whose workloads keep a share running, sorted. */
  public List<String> workloadNodes(String name) throws StorageException {
    return workloads(store.get(VolumeAttachment.KIND, name));
  }

  private static List<String> workloads(Optional<VolumeAttachment> attachment) {
    return attachment.map(a -> a.spec().attachmentTickets().values().stream()).stream()
        .flatMap(tickets -> tickets)
        .filter(ticket -> ticket.type().equals(WorkloadTickets.TYPE))
        .map(
            ticket ->
                ticket.parameters().getOrDefault(WorkloadTickets.NODE_PARAMETER, ticket.nodeID()))
        .distinct()
        .sorted()
        .toList();
  }

  /**
   * Requests that the serving node reports the unused blocks of the share's filesystem, and waits.
   *
   * @return outcome of the request
   * @throws StorageException NOT_FOUND; BUSY when the share does not run; IO when the trim failed;
   *     TIMEOUT
   */
  public RequestOutcome trim(String name, Waiting waiting) throws StorageException {
    requireShareable(name);
    ShareManager present = get(name);
    if (present.status().state() != InstanceState.RUNNING) {
      throw new StorageException(
          ErrorCode.BUSY,
          "share "
              + name
              + " is "
              + present.status().state()
              + " and cannot be trimmed: first 'holdfast share "
              + name
              + "'");
    }
    String id = UUID.randomUUID().toString();
    editor.edit(ShareManager.KIND, name, share -> share.withSpec(share.spec().withTrimRequest(id)));
    try (ResourceWait observation = new ResourceWait(store)) {
      var share = observation.follow(ShareManager.KIND, name);
      RequestOutcome outcome =
          observation.await(
              "trim of share " + name,
              waiting,
              () -> {
                if (share.latest().isEmpty()) {
                  throw gone(name);
                }
                return share
                    .latest()
                    .map(now -> now.status().trim())
                    .filter(trim -> !trim.isPending(id));
              },
              () -> share.latest().map(ShareProblem::of).orElse("its deletion"));
      if (!outcome.error().isEmpty()) {
        throw new StorageException(ErrorCode.IO, "share " + name + ": " + outcome.error());
      }
      return outcome;
    }
  }
}
