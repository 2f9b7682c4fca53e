package dev.holdfast.mounts;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a snapshot exported while this process copies it. The lease is renewed in the background,
 * so that the control plane ends the export of a process that was killed. A snapshot that a user
 * exported before stays exported. Thread-safe.
 */
final class ExportLease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExportLease.class);

  /** Time between two renewals; the control plane accepts four missing ones. */
  static final Duration PERIOD = Duration.ofSeconds(30);

  /** Life of the ticket that admits a node, long enough for clocks that differ. */
  private static final Duration TICKET_LIFE = Duration.ofMinutes(15);

  private final String id;
  private final Snapshot source;
  private final StoreEditor editor;
  private final Attachments attachments;
  private final Clock clock;
  private final ScheduledExecutorService renewals =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "export lease");
            thread.setDaemon(true);
            return thread;
          });

  /** The node that the ticket admits, empty without a ticket. */
  private Optional<String> admitted = Optional.empty();

  private ExportLease(Snapshot source, String id, ResourceStore store, Clock clock) {
    this.id = id;
    this.source = source;
    this.editor = new StoreEditor(store);
    this.attachments = new Attachments(store);
    this.clock = clock;
  }

  /**
   * Exports a snapshot until the lease is closed.
   *
   * @param id of the lease, not null
   * @throws StorageException NOT_FOUND when the snapshot was deleted
   */
  static ExportLease take(Snapshot source, String id, ResourceStore store, Clock clock)
      throws StorageException {
    ExportLease lease = new ExportLease(source, id, store, clock);
    Snapshot unused = lease.editor.edit(Snapshot.KIND, source.name(), lease::exported);
    long period = PERIOD.toMillis();
    var unusedTask =
        lease.renewals.scheduleWithFixedDelay(lease::renew, period, period, TimeUnit.MILLISECONDS);
    return lease;
  }

  /** Returns the annotations of a snapshot that is taken to be exported with a lease. */
  static Map<String, String> ofNewSnapshot(String id, Clock clock) {
    return Map.of(
        Snapshot.TAKEN_FOR_EXPORT_ANNOTATION,
        "true",
        Snapshot.EXPORT_CLIENT_PREFIX + id,
        clock.instant().toString());
  }

  /** Admits a node to the export for as long as the lease. */
  synchronized void admit(String node) throws StorageException {
    prolong(node);
    admitted = Optional.of(node);
  }

  private void prolong(String node) throws StorageException {
    attachments.admit(source.spec().volume(), ticket(), node, clock.instant().plus(TICKET_LIFE));
  }

  private String ticket() {
    return "api-export-" + id;
  }

  private String annotation() {
    return Snapshot.EXPORT_CLIENT_PREFIX + id;
  }

  private Snapshot exported(Snapshot snapshot) {
    boolean ofUser = snapshot.spec().exported() && snapshot.exportClients().isEmpty();
    return ofUser ? snapshot : renewed(snapshot).withSpec(snapshot.spec().withExported(true));
  }

  private Snapshot renewed(Snapshot snapshot) {
    Map<String, String> annotations = new LinkedHashMap<>(snapshot.metadata().annotations());
    annotations.put(annotation(), clock.instant().toString());
    return snapshot.withMetadata(snapshot.metadata().withAnnotations(annotations));
  }

  /** Shows that this process is alive. A lease that the control plane ended stays ended. */
  synchronized void renew() {
    try {
      Snapshot unused =
          editor.edit(
              Snapshot.KIND,
              source.name(),
              s -> s.exportClients().containsKey(annotation()) ? renewed(s) : s);
      if (admitted.isPresent()) {
        prolong(admitted.get());
      }
    } catch (StorageException e) {
      LOG.debug("snapshot {}: could not renew its export: {}", source.name(), e.getMessage());
    }
  }

  /**
   * Ends the export, unless another client copies the snapshot.
   *
   * @throws StorageException what the store throws; the control plane ends the export then
   */
  @Override
  public synchronized void close() throws StorageException {
    renewals.shutdownNow();
    Snapshot unused =
        editor.edit(
            Snapshot.KIND, source.name(), s -> s.withoutExportClients(Set.of(annotation())));
    if (admitted.isPresent()) {
      attachments.releaseTicket(source.spec().volume(), ticket(), Waiting.none());
    }
  }
}
