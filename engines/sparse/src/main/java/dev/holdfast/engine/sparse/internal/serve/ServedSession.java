package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A session of an engine on another node: the replica's directory, and the export of its bytes.
 * When a later engine is admitted, the export is withdrawn first. Its connections end, and bytes
 * that they had not parsed yet are discarded.
 */
public final class ServedSession implements ReplicaSession.Listener {
  private static final String FRONTEND = "replica";

  private final String export;

  // Guarded by this.
  private Optional<PublishedExport> published = Optional.empty();
  private Token supersededBy;
  private final Map<String, OfferedLayer> offered = new HashMap<>();
  private ServedDevice device;
  private ReplicaSession session;
  private Portal portal;
  private boolean called;
  private int unused;

  ServedSession(ReplicaLocation location, Token token) {
    this.export =
        location.volume()
            + "/"
            + location.replica()
            + "/"
            + token.generation()
            + "."
            + token.session();
  }

  /** Exports the bytes of the fenced replica; a witness has none. */
  synchronized void serve(ReplicaSession fenced, Portal portal, Executor executor)
      throws StorageException {
    session = fenced;
    this.portal = portal;
    if (supersededBy != null) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "replica " + fenced.replica().name() + " was taken over by engine " + supersededBy);
    }
    device = new ServedDevice(fenced, executor);
    if (!fenced.replica().witness()) {
      published = Optional.of(portal.publish(FRONTEND, export, device));
    }
  }

  /** An exported layer and its export. */
  private record OfferedLayer(ServedLayer layer, PublishedExport published) {}

  /**
   * Exports a layer that exists or whose copy was started, until the session ends.
   *
   * @return the name of its export
   */
  synchronized String offer(String image) throws StorageException {
    String name = export + "/" + image;
    long size = session.replica().layerSize(image);
    OfferedLayer known = offered.get(image);
    if (known != null) {
      known.layer().size(size);
    } else if (published.isEmpty()) {
      throw ServedDevice.ended(session);
    } else {
      withdrawUnused();
      ServedLayer layer = new ServedLayer(session, image, size);
      offered.put(image, new OfferedLayer(layer, portal.publish(FRONTEND, name, layer)));
    }
    return name;
  }

  // A copy uses one layer after the other. An engine that connects too late continues by calls.
  private void withdrawUnused() {
    offered
        .values()
        .removeIf(
            layer -> {
              boolean unused = layer.published().connections() == 0;
              if (unused) {
                layer.published().close();
              }
              return unused;
            });
  }

  String export() {
    return export;
  }

  public synchronized Optional<URI> endpoint() {
    return published.map(PublishedExport::endpoint);
  }

  /** Records a call of the engine. */
  synchronized void called() {
    called = true;
  }

  /**
   * Returns for how many consecutive checks the session was unused: no connection to the bytes, no
   * request in flight, no call of the engine. Includes this check.
   */
  synchronized int unused() {
    boolean used =
        called || session.busy() || published.filter(e -> e.connections() > 0).isPresent();
    called = false;
    unused = used ? 0 : unused + 1;
    return unused;
  }

  synchronized ReplicaSession session() {
    return session;
  }

  synchronized void grown(long bytes) {
    device.grown(bytes);
  }

  @Override
  public void superseded(Token by) {
    withdraw(by);
  }

  /** Ends the session because the engine closes the replica. */
  void close() {
    withdraw(null);
    session().close();
  }

  /** Ends the session so that another bundle of this node can serve the replica. */
  void leave() {
    withdraw(null);
    session().leave();
  }

  private void withdraw(Token by) {
    List<PublishedExport> withdrawn = new ArrayList<>();
    synchronized (this) {
      supersededBy = by;
      published.ifPresent(withdrawn::add);
      published = Optional.empty();
      offered.values().forEach(layer -> withdrawn.add(layer.published()));
      offered.clear();
    }
    withdrawn.forEach(PublishedExport::close);
  }
}
