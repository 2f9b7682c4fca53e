package dev.holdfast.csi.internal;

import dev.holdfast.client.StoreEditor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Does to a store what the controllers do, in the simplest way: everything succeeds at once, unless
 * a part of it is held back or made to fail.
 */
public final class FakePlatform implements AutoCloseable {
  public static final Instant THEN = Instant.parse("2026-11-21T05:00:00Z");
  public static final long IMAGE_SIZE = 64L << 20;
  private static final String FINALIZER = "holdfast.dev/volume";

  private final ResourceStore store;
  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private final List<Watch> watches = new ArrayList<>();
  public volatile boolean attaches = true;
  public volatile boolean makes = true;
  public volatile boolean takesSnapshots = true;
  public volatile String snapshotError = "";
  public volatile boolean copies = true;
  public volatile boolean deliversImages = true;
  public volatile BackupState backupState = BackupState.COMPLETED;
  public volatile String backupError = "";
  public volatile List<ChangedRange> changes = List.of();

  /** Endpoints of the shares by volume; a share that does not run has none. */
  public volatile String shareEndpoint = "nfs://127.0.0.1:2049/share";

  FakePlatform(ResourceStore store) throws StorageException {
    this.store = store;
    follow(Volume.KIND);
    follow(VolumeAttachment.KIND);
    follow(Snapshot.KIND);
    follow(BackingImage.KIND);
    follow(Backup.KIND);
  }

  public void addNode(String name) throws StorageException {
    store.create(Node.of(name, NodeSpec.EMPTY));
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
                later(() -> reconcile(kind, event.resource().name()));
              }

              @Override
              public void ended(StorageException cause) {
                throw new IllegalStateException(cause);
              }
            }));
  }

  private void later(Runnable task) {
    try {
      worker.execute(task);
    } catch (RejectedExecutionException e) {
      // The test is over.
    }
  }

  /** Reconciles all resources again, after a switch was changed. */
  public void resume() throws StorageException {
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      later(() -> reconcile(Volume.KIND, volume.name()));
    }
    for (Snapshot snapshot : store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
      later(() -> reconcile(Snapshot.KIND, snapshot.name()));
    }
    for (Backup backup : store.list(Backup.KIND, LabelSelector.ALL).items()) {
      later(() -> reconcile(Backup.KIND, backup.name()));
    }
  }

  private void reconcile(ResourceKind<?> kind, String name) {
    try {
      if (kind.equals(Snapshot.KIND)) {
        reconcileSnapshot(name);
      } else if (kind.equals(BackingImage.KIND)) {
        reconcileImage(name);
      } else if (kind.equals(Backup.KIND)) {
        reconcileBackup(name);
      } else {
        reconcileVolume(name);
      }
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void reconcileSnapshot(String name) throws StorageException {
    Optional<Snapshot> found = store.get(Snapshot.KIND, name);
    if (found.isEmpty() || !takesSnapshots || found.get().isBeingDeleted()) {
      return;
    }
    Volume volume = store.get(Volume.KIND, found.get().spec().volume()).orElseThrow();
    status(
        Snapshot.KIND,
        name,
        s ->
            s.withStatus(
                snapshotError.isEmpty()
                    ? s.status()
                        .withReadyToUse(true)
                        .withUserCreated(true)
                        .withCreationTime(Optional.of(THEN))
                        .withRestoreSize(volume.spec().size())
                        .withChanges(new ChangesPage(s.spec().changes().id(), changes, 0, ""))
                    : s.status().withError(snapshotError)));
  }

  private void reconcileImage(String name) throws StorageException {
    List<Condition> ready =
        Condition.with(
            List.of(),
            Condition.READY,
            deliversImages ? Condition.Status.TRUE : Condition.Status.FALSE,
            deliversImages ? Condition.READY : BackingImage.FAILED_REASON,
            deliversImages ? "" : "the address is refused",
            THEN);
    status(
        BackingImage.KIND,
        name,
        image ->
            image.withStatus(
                image.status().withVirtualSize(new Quantity(IMAGE_SIZE)).withConditions(ready)));
  }

  private void reconcileBackup(String name) throws StorageException {
    Optional<Backup> found = store.get(Backup.KIND, name);
    if (found.isEmpty()) {
      return;
    }
    Volume volume = store.get(Volume.KIND, found.get().spec().volume()).orElseThrow();
    status(
        Backup.KIND,
        name,
        backup ->
            backup.withStatus(
                backup
                    .status()
                    .withState(backupState)
                    .withError(backupError)
                    .withSnapshotCreatedAt(
                        backupState == BackupState.NONE ? Optional.empty() : Optional.of(THEN))
                    .withVolumeSize(volume.spec().size())
                    .withUrl(
                        backupState == BackupState.COMPLETED
                            ? "file:///b?backup=" + name + "&volume=" + volume.name()
                            : "")));
  }

  private void reconcileVolume(String name) throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, name);
    if (volume.isEmpty() || !makes) {
      return;
    }
    if (volume.get().isBeingDeleted() && volume.get().status().currentNodeID().isEmpty()) {
      store.delete(VolumeAttachment.KIND, name, "");
      update(Volume.KIND, name, v -> v.withMetadata(v.metadata().minusFinalizer(FINALIZER)));
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
    boolean held = tickets.values().stream().anyMatch(t -> t.nodeID().equals(current));
    String wanted =
        held
            ? current
            : tickets.values().stream().findFirst().map(AttachmentTicket::nodeID).orElse("");
    String node = attaches ? wanted : current;
    String joined = second(tickets.values(), node, name);
    boolean shared = ShareManager.isShared(store.get(Volume.KIND, name).orElseThrow());
    update(Volume.KIND, name, v -> v.withSpec(v.spec().withNodeID(node)));
    status(Volume.KIND, name, v -> served(v, node, joined));
    status(
        VolumeAttachment.KIND,
        name,
        a ->
            a.withStatus(
                a.status()
                    .withAttachmentTicketStatuses(
                        shared
                            ? statuses(a, ticket -> !node.isEmpty() && !shareEndpoint.isEmpty())
                            : statuses(a, ticket -> isAt(ticket, node, joined)))));
  }

  private static boolean isAt(AttachmentTicket ticket, String node, String joined) {
    return !node.isEmpty() && (ticket.nodeID().equals(node) || ticket.nodeID().equals(joined));
  }

  /** Returns the second node of a volume that can move in use. */
  private String second(Collection<AttachmentTicket> tickets, String first, String name)
      throws StorageException {
    boolean moves = attaches && store.get(Volume.KIND, name).orElseThrow().spec().migratable();
    return tickets.stream()
        .map(AttachmentTicket::nodeID)
        .filter(node -> moves && !first.isEmpty() && !node.equals(first))
        .findFirst()
        .orElse("");
  }

  private Volume served(Volume volume, String node, String joined) {
    CloneState copied =
        volume.contentProgress().isPresent() && copies ? CloneState.COMPLETED : CloneState.NONE;
    return volume.withStatus(
        volume
            .status()
            .withState(node.isEmpty() ? VolumeState.DETACHED : VolumeState.ATTACHED)
            .withCurrentNodeID(node)
            .withCurrentSize(volume.spec().size())
            .withCurrentMigrationNodeID(joined)
            .withMigrationEndpoint(joined.isEmpty() ? "" : "nbd://127.0.0.2:10809/" + volume.name())
            .withCloneStatus(CloneStatus.EMPTY.withState(copied))
            .withRestore(RestoreStatus.EMPTY.withState(copied))
            .withShareEndpoint(
                ShareManager.isShared(volume) && !node.isEmpty() ? shareEndpoint : "")
            .withEndpoint(node.isEmpty() ? "" : "nbd://127.0.0.1:10809/" + volume.name()));
  }

  private static Map<String, AttachmentTicketStatus> statuses(
      VolumeAttachment attachment, Predicate<AttachmentTicket> satisfied) {
    Map<String, AttachmentTicketStatus> statuses = new LinkedHashMap<>();
    attachment
        .spec()
        .attachmentTickets()
        .forEach(
            (id, ticket) ->
                statuses.put(
                    id,
                    AttachmentTicketStatus.of(
                        id, satisfied.test(ticket), List.of(), ticket.generation())));
    return statuses;
  }

  <R extends Resource<R>> void update(ResourceKind<R> kind, String name, UnaryOperator<R> change)
      throws StorageException {
    new StoreEditor(store).edit(kind, name, change::apply);
  }

  <R extends Resource<R>> void status(ResourceKind<R> kind, String name, UnaryOperator<R> change)
      throws StorageException {
    while (true) {
      Optional<R> current = store.get(kind, name);
      if (current.isEmpty()) {
        return;
      }
      R changed = change.apply(current.get());
      if (changed.equals(current.get())) {
        return;
      }
      try {
        store.updateStatus(changed);
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
  }

  @Override
  public void close() {
    watches.forEach(Watch::close);
    worker.shutdownNow();
  }
}
