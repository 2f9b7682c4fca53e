package dev.holdfast.snapshot.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.snapshot.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the exports of clients that were killed while they copied a snapshot, so that the volume is
 * detached. A client counts as dead if its annotation had the same value in several checks. Times
 * of clients are not compared, so a wrong clock ends no export. A restart of this process restarts
 * the checks.
 */
@Component(service = Reconciler.class)
public final class ExportClientsReconciler implements Reconciler<Snapshot> {
  private static final Logger LOG = LoggerFactory.getLogger(ExportClientsReconciler.class);

  /** The period of the renewals. */
  static final Duration CHECK = Duration.ofSeconds(30);

  /** Number of checks without a renewal after which a client counts as dead. */
  static final int CHECKS = 4;

  private final Map<String, Map<String, Observed>> observed = new ConcurrentHashMap<>();

  /** The value of an annotation, and the number of checks that found it unchanged. */
  private record Observed(String value, int checks, Instant at) {}

  /** Creates the reconciler. */
  @Activate
  public ExportClientsReconciler() {}

  @Override
  public String name() {
    return "snapshot-export-clients";
  }

  @Override
  public ResourceKind<Snapshot> kind() {
    return Snapshot.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Map<String, String> clients =
        context
            .get(Snapshot.KIND, name)
            .filter(snapshot -> !snapshot.isBeingDeleted())
            .map(Snapshot::exportClients)
            .orElse(Map.of());
    if (clients.isEmpty()) {
      observed.remove(name);
      return Result.DONE;
    }
    Map<String, Observed> before = observed.getOrDefault(name, Map.of());
    Map<String, Observed> now = new HashMap<>();
    clients.forEach(
        (client, value) -> now.put(client, observe(before.get(client), value, context)));
    observed.put(name, now);
    Map<String, String> dead = new HashMap<>(clients);
    dead.keySet().removeIf(client -> now.get(client).checks() < CHECKS);
    if (!dead.isEmpty()) {
      end(name, dead, context);
    }
    return Result.after(CHECK);
  }

  private static Observed observe(Observed last, String value, ReconcileContext context) {
    Instant now = context.clock().instant();
    if (last == null || !last.value().equals(value)) {
      return new Observed(value, 0, now);
    }
    Duration since = Duration.between(last.at(), now);
    if (since.isNegative()) {
      return new Observed(value, last.checks(), now);
    }
    return since.compareTo(CHECK) < 0 ? last : new Observed(value, last.checks() + 1, now);
  }

  /** Ends the exports of clients whose values are unchanged in the store. */
  private static void end(String name, Map<String, String> dead, ReconcileContext context)
      throws StorageException {
    Optional<Snapshot> stored =
        context.store().get(Snapshot.KIND, name).filter(snapshot -> !snapshot.isBeingDeleted());
    if (stored.isEmpty()) {
      return;
    }
    Map<String, String> clients = stored.get().exportClients();
    Set<String> ended = new HashSet<>(dead.keySet());
    ended.removeIf(client -> !dead.get(client).equals(clients.get(client)));
    if (ended.isEmpty()) {
      return;
    }
    Snapshot left = stored.get().withoutExportClients(ended);
    boolean whole =
        left.exportClients().isEmpty()
            && left.metadata().annotations().containsKey(Snapshot.TAKEN_FOR_EXPORT_ANNOTATION);
    if (whole) {
      // In one write, so that a crash leaves no snapshot that only the client would remove.
      Optional<Snapshot> unused =
          context.store().delete(Snapshot.KIND, name, left.metadata().uid());
    } else {
      Snapshot unused = context.store().update(left);
    }
    LOG.info(
        "volume {}: snapshot {}: ended the exports of {} clients that are gone",
        left.spec().volume(),
        left.nameInVolume(),
        ended.size());
  }
}
