package dev.holdfast.controller.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Simulates the volume, attachment and node controllers on a store in the simplest way: the first
 * ticket wins, and all operations succeed at once. Tests can suspend parts of it.
 */
public final class FakeControllers implements AutoCloseable {
  /** The time in all reports. */
  public static final Instant THEN = Instant.parse("2026-11-21T05:00:00Z");

  private static final String FINALIZER = "holdfast.dev/volume";

  private final ResourceStore store;
  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private final List<Watch> watches = new ArrayList<>();
  private volatile boolean attaching = true;
  private volatile boolean making = true;
  private volatile boolean deleting = true;
  private volatile String diskProblem = "";
  private volatile boolean observing = true;
  private volatile boolean disksExist = true;
  private volatile String endpoint = "nbd://127.0.0.1:10809/demo";

  /** Starts following a store. */
  public FakeControllers(ResourceStore store) throws StorageException {
    this.store = store;
    follow(Volume.KIND);
    follow(VolumeAttachment.KIND);
    follow(Node.KIND);
  }

  /** Adds a node. */
  public void addNode(String name) throws StorageException {
    store.create(Node.of(name, NodeSpec.EMPTY));
  }

  /** Ignores new tickets. */
  public void holdBackAttaching() {
    attaching = false;
  }

  /** Processes tickets again at the next change. */
  public void attachAgain() {
    attaching = true;
  }

  /** Ignores new volumes. */
  public void holdBackMaking() {
    making = false;
  }

  /** Stops completing the deletion of volumes. */
  public void holdBackDeleting() {
    deleting = false;
  }

  /** Sets the URI of volumes that are attached later. */
  public void serveAt(String uri) {
    endpoint = uri;
  }

  /** Reports all disks as absent with this problem. */
  public void missDisks(String problem) {
    disksExist = false;
    diskProblem = problem;
  }

  /** Suspends the nodes' checks of their disks. */
  public void holdBackNodes() throws Exception {
    worker.submit(() -> observing = false).get();
  }

  /** Resumes the nodes' reports about disks, of this node at once. */
  public void observeAgain(String node) {
    observing = true;
    worker.execute(() -> reconcile(Node.KIND, node));
  }

  /** Reports this problem for all disks. */
  public void refuseDisks(String problem) {
    diskProblem = problem;
  }

  private <R extends Resource<R>> void follow(ResourceKind<R> kind) throws StorageException {
    String version = store.list(kind, LabelSelector.ALL).resourceVersion();
    watches.add(
        store.watch(
            kind,
            version,
            new WatchListener<R>() {
              @Override
              public void changed(WatchEvent<R> event) {
                worker.execute(() -> reconcile(kind, event.resource().name()));
              }

              @Override
              public void ended(StorageException cause) {
                throw new IllegalStateException(cause);
              }
            }));
  }

  private void reconcile(ResourceKind<?> kind, String name) {
    try {
      if (kind.equals(Node.KIND)) {
        reconcileNode(name);
      } else {
        reconcileVolume(name);
      }
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void reconcileNode(String name) throws StorageException {
    if (!observing) {
      return;
    }
    Condition ready =
        diskProblem.isEmpty()
            ? new Condition("Ready", Condition.Status.TRUE, "Ready", "", THEN)
            : new Condition("Ready", Condition.Status.FALSE, "Unusable", diskProblem, THEN);
    status(
        Node.KIND,
        name,
        node -> {
          Map<String, DiskStatus> disks = new LinkedHashMap<>();
          node.spec()
              .disks()
              .forEach(
                  (id, disk) ->
                      disks.put(
                          id,
                          DiskStatus.EMPTY
                              .withPath(disk.path())
                              .withDiskUUID(disksExist ? "uuid-of-" + id : "")
                              .withMountPoint("/srv")
                              .withConditions(List.of(ready))));
          return node.withStatus(node.status().withDiskStatus(disks));
        });
  }

  private void reconcileVolume(String name) throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, name);
    if (volume.isEmpty() || !making) {
      return;
    }
    if (volume.get().isBeingDeleted() && volume.get().status().currentNodeID().isEmpty()) {
      if (deleting) {
        store.delete(VolumeAttachment.KIND, name, "");
        update(Volume.KIND, name, v -> v.withMetadata(v.metadata().minusFinalizer(FINALIZER)));
      }
      return;
    }
    update(Volume.KIND, name, v -> v.withMetadata(v.metadata().plusFinalizer(FINALIZER)));
    if (store.get(VolumeAttachment.KIND, name).isEmpty()) {
      store.create(VolumeAttachment.of(name, new VolumeAttachmentSpec(name, Map.of())));
    }
    attach(name);
  }

  private void attach(String name) throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, name).orElseThrow();
    Map<String, AttachmentTicket> tickets = attachment.spec().attachmentTickets();
    String current = store.get(Volume.KIND, name).orElseThrow().status().currentNodeID();
    boolean held =
        tickets.values().stream().anyMatch(t -> t.nodeID().isEmpty() || t.nodeID().equals(current));
    String wanted =
        held && !current.isEmpty()
            ? current
            : tickets.values().stream().findFirst().map(FakeControllers::nodeOf).orElse("");
    String node = attaching ? wanted : current;
    status(
        Volume.KIND,
        name,
        v ->
            v.withStatus(
                v.status()
                    .withState(node.isEmpty() ? VolumeState.DETACHED : VolumeState.ATTACHED)
                    .withCurrentNodeID(node)
                    .withEndpoint(node.isEmpty() ? "" : endpoint)));
    status(
        VolumeAttachment.KIND,
        name,
        a -> a.withStatus(a.status().withAttachmentTicketStatuses(statuses(a, node))));
  }

  private static String nodeOf(AttachmentTicket ticket) {
    return ticket.nodeID().isEmpty() ? "node-1" : ticket.nodeID();
  }

  private static Map<String, AttachmentTicketStatus> statuses(
      VolumeAttachment attachment, String node) {
    Map<String, AttachmentTicketStatus> statuses = new LinkedHashMap<>();
    attachment
        .spec()
        .attachmentTickets()
        .forEach(
            (id, ticket) ->
                statuses.put(
                    id,
                    AttachmentTicketStatus.of(
                        id,
                        !node.isEmpty() && nodeOf(ticket).equals(node),
                        List.of(),
                        ticket.generation())));
    return statuses;
  }

  /** Changes a resource, repeatedly after conflicts. */
  public <R extends Resource<R>> void update(
      ResourceKind<R> kind, String name, UnaryOperator<R> change) throws StorageException {
    write(kind, name, change, store::update);
  }

  /** Changes the status of a resource, repeatedly after conflicts. */
  public <R extends Resource<R>> void status(
      ResourceKind<R> kind, String name, UnaryOperator<R> change) throws StorageException {
    write(kind, name, change, store::updateStatus);
  }

  private interface Write<R> {
    R apply(R changed) throws StorageException;
  }

  private <R extends Resource<R>> void write(
      ResourceKind<R> kind, String name, UnaryOperator<R> change, Write<R> write)
      throws StorageException {
    while (true) {
      R current =
          store
              .get(kind, name)
              .orElseThrow(() -> new StorageException(ErrorCode.NOT_FOUND, name + ": not found"));
      R changed = change.apply(current);
      if (changed.equals(current)) {
        return;
      }
      try {
        write.apply(changed);
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
  }

  /** Stops following the store. Changes have ended when this method returns. */
  @Override
  public void close() {
    watches.forEach(Watch::close);
    worker.shutdownNow();
    try {
      if (!worker.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException("the controllers did not end within a minute");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
