package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * A change of the way in which hosts reach a volume while they use it. Both ways are paths of one
 * device of the host, and at most one of them serves. Used by the steps of the volume.
 *
 * <pre>
 *   hosts connect `to`, `from` serves --switch over--> `to` serves, hosts disconnect `from`
 * </pre>
 */
final class WayChange {
  private final Serving from;
  private final Serving to;
  private boolean switched;

  /**
   * Creates a change that has not switched over.
   *
   * @param from the way that serves
   * @param to the way that is published and not serving yet
   */
  WayChange(Serving from, Serving to) {
    this.from = from;
    this.to = to;
  }

  /** Returns the reverse change. */
  WayChange reversed() {
    return new WayChange(to, from);
  }

  /** Returns the way to which hosts change. */
  Serving to() {
    return to;
  }

  boolean switched() {
    return switched;
  }

  /** Returns the way that serves. */
  Serving serving() {
    return switched ? to : from;
  }

  /** Returns the way that is not serving. */
  Serving other() {
    return switched ? from : to;
  }

  /** Returns the endpoints of both, that of the serving way first. */
  List<URI> endpoints() {
    return List.of(URI.create(serving().endpoint()), URI.create(other().endpoint()));
  }

  /**
   * Makes the second way serve after the requests of the first one have ended. Both refuse requests
   * in between; a host with both paths repeats them without an error.
   *
   * @throws StorageException when the first way still has requests: {@link #rollBack} makes it
   *     serve again
   */
  void switchOver(Duration drain) throws StorageException {
    from.access(PathAccess.STANDBY);
    HeldRequests drained = from.hold(drain);
    try {
      to.access(PathAccess.OPTIMIZED);
    } finally {
      drained.close();
    }
    switched = true;
  }

  /** Makes only the way serve that served last. Idempotent. */
  void rollBack() throws StorageException {
    other().access(PathAccess.STANDBY);
    serving().access(PathAccess.OPTIMIZED);
  }
}
