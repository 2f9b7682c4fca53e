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
import java.util.Map;

/**
 * Exports thin volumes through a frontend of NBD. A request reaches the device without a cache
 * (O_DIRECT), and a flush reaches the disk.
 *
 * <p>Requests of an earlier export never follow those of a later one. In this process, the later
 * one is published after the requests of the earlier one have ended. Between processes, a lock that
 * a process keeps while any of its threads is at the device makes the later one wait. Thread-safe.
 */
public final class PortalExports implements PoolExporter {
  private final Portal portal;
  private final String frontend;
  private final String node;
  private final Host host;
  private final RawDevice.Opener opener;
  private final ExportLocks locks;
  private final AlignedBuffers buffers = new AlignedBuffers();
  private final Map<String, RunningExport> running = new HashMap<>();

  /**
   * Creates an exporter.
   *
   * @param portal that owns the connections
   * @param frontend name of a frontend that speaks NBD
   * @param node name of this node
   * @param host on which this process runs
   * @param opener of devices
   * @param folder of this node for lock files, which all processes that may export share
   */
  public PortalExports(
      Portal portal,
      String frontend,
      String node,
      Host host,
      RawDevice.Opener opener,
      Path folder) {
    this.portal = portal;
    this.frontend = frontend;
    this.node = node;
    this.host = host;
    this.opener = opener;
    this.locks = new ExportLocks(folder);
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
    ExportLocks.Held lock = locks.take(exportName);
    try {
      AlignedDevice opened = open(device, exportName, size);
      RunningExport export =
          new RunningExport(
              node, generation, portal.publish(frontend, wireName, opened), opened, lock) {
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

  private AlignedDevice open(Path device, String exportName, long size) throws StorageException {
    try {
      RawDevice raw = opener.open(device, RawDevice.Access.WRITE_AND_DISCARD);
      return new AlignedDevice("export " + exportName, raw, size, true, buffers);
    } catch (IOException e) {
      throw StorageException.io("export " + exportName, e);
    }
  }

  private synchronized void forget(String exportName, RunningExport export) {
    boolean unused = running.remove(exportName, export);
  }
}
