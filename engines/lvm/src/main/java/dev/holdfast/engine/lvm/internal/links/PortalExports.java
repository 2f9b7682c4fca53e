package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.NbdLinks;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.blobs.links.PoolExporter;
import dev.holdfast.engine.lvm.internal.device.AlignedBuffers;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.host.Host;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports thin volumes through a frontend of NBD. A request reaches the device without a cache
 * (O_DIRECT), and a completed write is on the disk (O_DSYNC). A thin pool keeps the places of newly
 * written blocks in memory until a flush. When the node loses its power, its clients continue on
 * another node, and a flush there would answer for writes that were completed here and are lost.
 *
 * <p>Requests of an earlier export never follow those of a later one. In this process, the later
 * one is published after the requests of the earlier one have ended. Between processes, a lock that
 * a process keeps while any of its threads is at the device makes the later one wait.
 *
 * <p>The portal may leave and return. Exports are then published again in the same generation,
 * which is safe because their requests have ended in between. Thread-safe.
 */
public final class PortalExports implements PoolExporter, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PortalExports.class);

  private final String frontend;
  private final String node;
  private final Host host;
  private final RawDevice.Opener opener;
  private final ExportLocks locks;
  private final AlignedBuffers buffers = new AlignedBuffers();
  private final Map<String, RunningExport> running = new HashMap<>();
  private Optional<Portal> portal = Optional.empty();

  /**
   * Creates an exporter without a portal.
   *
   * @param frontend name of a frontend that speaks NBD
   * @param node name of this node
   * @param host on which this process runs
   * @param opener of devices
   * @param folder of this node for lock files, which all processes that may export share
   */
  public PortalExports(
      String frontend, String node, Host host, RawDevice.Opener opener, Path folder) {
    this.frontend = frontend;
    this.node = node;
    this.host = host;
    this.opener = opener;
    this.locks = new ExportLocks(folder);
  }

  /** Uses a portal from now on, also for the exports of an earlier one. */
  public synchronized void arrived(Portal next) {
    running.values().forEach(RunningExport::suspend);
    portal = Optional.of(next);
    try {
      restore();
    } catch (StorageException e) {
      LOG.warn("could not publish an export again: {}: its users wait", e.getMessage());
    }
  }

  /** Ends the requests that a portal has passed on, unless another portal has followed it. */
  public synchronized void left(Portal gone) {
    if (portal.isPresent() && portal.get().equals(gone)) {
      running.values().forEach(RunningExport::suspend);
      portal = Optional.empty();
    }
  }

  /** Returns whether there is a portal. */
  public synchronized boolean hasPortal() {
    return portal.isPresent();
  }

  /**
   * Publishes the exports that have lost their portal; without a portal, they continue to wait.
   *
   * @throws StorageException of the first export that cannot be published, after all were tried
   */
  public synchronized void restore() throws StorageException {
    StorageException failure = null;
    for (RunningExport export : running.values()) {
      if (portal.isPresent()) {
        try {
          export.resume(portal.get());
        } catch (StorageException e) {
          failure = failure == null ? e : failure;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private Portal requirePortal(String exportName) throws StorageException {
    return portal.orElseThrow(
        () ->
            new StorageException(
                ErrorCode.UNREACHABLE,
                "export "
                    + exportName
                    + ": the portal is away: check that the bundle dev.holdfast.portal runs"));
  }

  @Override
  public synchronized PoolExport export(Path device, String exportName, long generation)
      throws StorageException {
    String wireName = NbdLinks.wireName(exportName, generation);
    RunningExport present = running.get(exportName);
    if (present != null && present.generation() > generation) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "export "
              + exportName
              + ": generation "
              + generation
              + ": generation "
              + present.generation()
              + " is exported");
    }
    long size = host.files().size(device);
    if (present != null && present.generation() == generation) {
      present.device().grow(size);
      return present;
    }
    if (present != null) {
      present.close();
    }
    Portal publisher = requirePortal(exportName);
    ExportLocks.Held lock = locks.take(exportName);
    try {
      RunningExport export =
          new RunningExport(
              publisher,
              new RunningExport.Source(node, frontend, wireName),
              generation,
              opened(device, exportName, size),
              lock) {
            @Override
            RawDevice reopen() throws StorageException {
              return open(device, exportName);
            }

            @Override
            void ended() {
              forget(exportName, this);
            }
          };
      running.put(exportName, export);
      return export;
    } catch (StorageException e) {
      lock.close();
      throw e;
    }
  }

  private AlignedDevice opened(Path device, String exportName, long size) throws StorageException {
    RawDevice raw = open(device, exportName);
    return new AlignedDevice("export " + exportName, raw, size, true, buffers);
  }

  private RawDevice open(Path device, String exportName) throws StorageException {
    try {
      return opener.open(device, RawDevice.Access.WRITE_THROUGH);
    } catch (IOException e) {
      throw StorageException.io("export " + exportName, e);
    }
  }

  private synchronized void forget(String exportName, RunningExport export) {
    boolean unused = running.remove(exportName, export);
  }

  /** Withdraws all exports. */
  @Override
  public synchronized void close() {
    for (RunningExport export : List.copyOf(running.values())) {
      try {
        export.close();
      } catch (StorageException e) {
        LOG.warn("could not withdraw an export: {}", e.getMessage());
      }
    }
  }
}
