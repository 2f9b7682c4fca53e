package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Admission;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The volumes of this node that other nodes serve too, by forwarding requests. Each volume admits
 * any number of nodes, and one session per node at a time. Thread-safe.
 */
public final class ForwardingTargets {
  private static final String FRONTEND = "replica";

  private final Map<Place, Admitted> admitted = new ConcurrentHashMap<>();
  private final AtomicInteger admissions = new AtomicInteger();

  /** A volume, and a node that may use it. */
  private record Place(String volume, String node) {}

  /** Reply to an admitted node. */
  record Session(String export, int port, long size, int blockSize) {}

  /** Admits a node; see {@link dev.holdfast.engine.ForwardingEngine#admit}. */
  public Admission admit(String volume, String node, BlockDevice device) throws StorageException {
    Admitted next = new Admitted(volume, node, device);
    if (admitted.putIfAbsent(new Place(volume, node), next) != null) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + " admits node " + node + " already");
    }
    return next;
  }

  /** Opens a session of a node after ending its previous one. */
  Session join(String volume, String node, Portal portal) throws StorageException {
    Admitted present = admitted.get(new Place(volume, node));
    if (present == null) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "volume " + volume + " does not admit node " + node + " here");
    }
    return present.join(portal);
  }

  /** Ends all sessions, because exporting became impossible. Nodes may join again. */
  public void endAll() {
    admitted.values().forEach(Admitted::endSession);
  }

  /** Permission of a node to use one volume. */
  private final class Admitted implements Admission {
    private final String volume;
    private final String node;
    private final BlockDevice device;
    private final int number = admissions.incrementAndGet();

    // Guarded by this.
    private boolean over;
    private int sessions;
    private Optional<ForwardingTarget> shown = Optional.empty();
    private Optional<PublishedExport> published = Optional.empty();

    Admitted(String volume, String node, BlockDevice device) {
      this.volume = volume;
      this.node = node;
      this.device = device;
    }

    private synchronized Session join(Portal portal) throws StorageException {
      if (over) {
        throw new StorageException(
            ErrorCode.FORBIDDEN, "volume " + volume + " does not admit node " + node + " here");
      }
      endSession();
      sessions++;
      // A new name for each session: connections to an earlier name must not reach this one.
      String export = volume + "/from/" + node + "/" + number + "." + sessions;
      ForwardingTarget next = new ForwardingTarget(volume, device);
      PublishedExport made = portal.publish(FRONTEND, export, next);
      shown = Optional.of(next);
      published = Optional.of(made);
      return new Session(export, made.endpoint().getPort(), device.size(), device.blockSize());
    }

    private synchronized void endSession() {
      shown.ifPresent(ForwardingTarget::end);
      published.ifPresent(PublishedExport::close);
      shown = Optional.empty();
      published = Optional.empty();
    }

    @Override
    public synchronized void close() {
      over = true;
      endSession();
      admitted.remove(new Place(volume, node), this);
    }
  }
}
