package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.blobs.HostDevices;
import dev.holdfast.engine.lvm.blobs.LocalBlobManager;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.engine.lvm.internal.device.AlignedBuffers;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeLinks;
import dev.holdfast.engine.lvm.internal.replica.ReplicaPlace;
import dev.holdfast.engine.lvm.internal.replica.ReplicaRecords;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Services of the host and the store that all volumes of the engine use. Thread-safe. */
final class LvmContext {
  private static final Logger LOG = LoggerFactory.getLogger(LvmContext.class);

  private final GroupReports reports;
  private final EngineRecords stored;
  private final Path folder;
  private final RawDevice.Opener opener;
  private final ReplicaRecords records;
  private final HostDevices devices;
  private final AlignedBuffers buffers = new AlignedBuffers();
  private final GroupSharing sharing;
  private final Map<String, RoutedBlobs> managers = new ConcurrentHashMap<>();
  private final Set<Blob> opened = ConcurrentHashMap.newKeySet();
  private final Set<String> recovered = new HashSet<>();

  /**
   * Creates a context.
   *
   * @param reports of the host on which commands run
   * @param stored records of the engine
   * @param folder of this node, for the state of openings
   * @param opener of devices of the host
   * @param sharing with the other nodes of shared groups
   */
  LvmContext(
      GroupReports reports,
      EngineRecords stored,
      Path folder,
      RawDevice.Opener opener,
      GroupSharing sharing) {
    this.reports = reports;
    this.stored = stored;
    this.folder = folder;
    this.opener = opener;
    this.sharing = sharing;
    this.records = new ReplicaRecords(stored);
    this.devices = new HostDevices(reports.host());
  }

  ReplicaRecords records() {
    return records;
  }

  HostDevices devices() {
    return devices;
  }

  RemoteVolumeLinks volumes() {
    return sharing.volumes();
  }

  RawDevice.Opener opener() {
    return opener;
  }

  AlignedBuffers buffers() {
    return buffers;
  }

  NodeFiles files(ReplicaPlace place) {
    return new NodeFiles(folder.resolve(place.groupId()), place.key());
  }

  /** Returns the blobs as a node of this host sees them. */
  BlobManager blobs(String node) {
    return routed(node);
  }

  private RoutedBlobs routed(String node) {
    return managers.computeIfAbsent(node, this::manager);
  }

  private RoutedBlobs manager(String node) {
    return new RoutedBlobs(
        new LocalBlobManager(reports, stored, node),
        new SharedBlobManager(
            reports,
            stored,
            node,
            sharing.access(),
            Clock.systemUTC(),
            (blob, cookie) -> opened.contains(blob)),
        sharing,
        reports);
  }

  /**
   * Returns the manager of a group that several nodes use; empty for a group of one node.
   *
   * @throws StorageException NOT_FOUND when the group is absent; UNSUPPORTED naming the missing
   *     package
   */
  Optional<SharedBlobManager> sharing(String node, String group) throws StorageException {
    return routed(node).sharing(group);
  }

  /** Records whether this process has a volume open, whose live content another node asks for. */
  void opened(Blob head, boolean open) {
    boolean unused = open ? opened.add(head) : opened.remove(head);
  }

  /**
   * Returns the place of a replica; completes first what an earlier process began in its group.
   *
   * @throws StorageException INVALID when the disk is not a volume group; NOT_FOUND when the group
   *     is absent; UNSUPPORTED naming the missing package
   */
  ReplicaPlace place(ReplicaLocation location) throws StorageException {
    String group = ReplicaPlace.group(location.disk());
    BlobManager blobs = blobs(location.nodeId());
    String uuid = blobs.group(group).uuid();
    recover(blobs, group, uuid);
    return ReplicaPlace.of(location, uuid);
  }

  /**
   * Returns the place of a replica to look at: the group may have been what it was a short time
   * ago.
   *
   * @throws StorageException as {@link #place}
   */
  ReplicaPlace seen(ReplicaLocation location) throws StorageException {
    String group = ReplicaPlace.group(location.disk());
    String uuid = reports.recentInfo(group).uuid();
    recover(blobs(location.nodeId()), group, uuid);
    return ReplicaPlace.of(location, uuid);
  }

  /** A call that cannot be completed concerns one blob, and later calls about that blob say it. */
  private synchronized void recover(BlobManager blobs, String group, String uuid) {
    if (recovered.contains(uuid)) {
      return;
    }
    try {
      blobs.recover(group);
      recovered.add(uuid);
    } catch (StorageException e) {
      LOG.warn("volume group {}: could not complete earlier calls: {}", group, e.getMessage());
    }
  }
}
