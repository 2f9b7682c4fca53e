package dev.holdfast.csi.internal.node;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiTickets;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.EncryptionKey;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.LuksKey;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Connects a published volume as a device of this host and mounts its filesystem at the staging
 * path, and reverses this. Each step is recorded in advance or detectable, so that a call can be
 * repeated after a crash at any point. Thread-safe for different volumes.
 */
final class NodeStaging {
  private final ResourceStore store;
  private final String node;
  private final HostInitiators initiators;
  private final StagedVolumes staged;
  private final HostFilesystems filesystems;
  private final HostMounts mounts;
  private final BlockDeviceSettings devices;
  private final BindMounts binds;
  private final EncryptedDevices encrypted;
  private final ShareStaging shares;

  NodeStaging(
      Host host,
      ResourceStore store,
      String node,
      HostInitiators initiators,
      StagedVolumes staged,
      ShareStaging shares) {
    this.filesystems = new HostFilesystems(host);
    this.mounts = new HostMounts(host);
    this.devices = new BlockDeviceSettings(host);
    this.binds = new BindMounts(host);
    this.encrypted = new EncryptedDevices(host);
    this.shares = shares;
    this.store = store;
    this.node = node;
    this.initiators = initiators;
    this.staged = staged;
  }

  /**
   * Stages a volume.
   *
   * @param context the volume context: the filesystem to make if the capability names none, and
   *     whether the content is encrypted
   * @param key of an encrypted volume, if the call contains it
   */
  void stage(
      Volume volume,
      Path path,
      RequestedAccess access,
      Map<String, String> context,
      Optional<LuksKey> key)
      throws StorageException, StatusException {
    String defaultFilesystem = context.getOrDefault(ClassParameters.FILESYSTEM, "");
    RequestedAccess wanted =
        access.filesystem().isEmpty() && !access.block()
            ? new RequestedAccess(false, access.mode(), defaultFilesystem, access.flags())
            : access;
    access.requireKind("volume_capability", volume);
    boolean encryptedHere = ClassParameters.isEncrypted(context) && !ShareManager.isShared(volume);
    if (encryptedHere && key.isEmpty()) {
      throw EncryptionKey.missing(volume.name());
    }
    Optional<StagedVolume> earlier = staged.find(volume.name());
    if (earlier.isPresent()) {
      requireSame(earlier.get(), path, wanted);
    }
    StagedVolume plan =
        earlier.isPresent()
            ? earlier.get()
            : StagedVolume.planned(volume.name(), path.toString(), wanted, encryptedHere);
    ensure(volume, plan, key);
  }

  private static void requireSame(StagedVolume earlier, Path path, RequestedAccess wanted)
      throws StatusException {
    if (!earlier.stagingPath().equals(path.toString())) {
      throw CsiStatus.failedPrecondition(
          "volume " + earlier.volume() + " is staged at " + earlier.stagingPath() + " already");
    }
    if (!earlier.access().equals(wanted)) {
      throw CsiStatus.alreadyExists(
          "volume "
              + earlier.volume()
              + " is staged at "
              + path
              + " already with another capability: "
              + earlier.mode());
    }
  }

  /** Restores missing parts of a volume's recorded state; after a reboot all parts are missing. */
  StagedVolume ensure(Volume volume, StagedVolume plan, Optional<LuksKey> key)
      throws StorageException, StatusException {
    requirePublished(volume);
    if (ShareManager.isShared(volume)) {
      return shares.ensure(volume, plan);
    }
    URI endpoint = URI.create(servedEndpoint(volume.name()));
    staged.write(plan);
    InitiatorConnection connection = connect(plan, volume, endpoint);
    requireOurs(plan, connection.device());
    if (plan.access().readsOnly()) {
      devices.readOnly(connection.device(), true);
    }
    String device = connection.device();
    if (plan.encrypted()) {
      device = encrypted.open(plan, device, key);
      requireOurs(plan, device);
    }
    StagedVolume connected = staged.write(plan.on(device, plan.filesystem()));
    return plan.block() ? connected : mounted(volume, connected);
  }

  /** Requires a satisfied ticket of the volume for this node. */
  private void requirePublished(Volume volume) throws StorageException, StatusException {
    List<AttachmentTicket> tickets =
        store.get(VolumeAttachment.KIND, volume.name()).map(CsiTickets::of).orElse(List.of());
    if (tickets.stream().noneMatch(ticket -> CsiTickets.node(ticket).equals(node))) {
      throw CsiStatus.failedPrecondition(
          "volume " + volume.name() + " is not published to node " + node);
    }
  }

  /**
   * Returns the endpoint of a volume. Volumes are not served for a short time while a container
   * restarts.
   */
  private String servedEndpoint(String volume) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var seen = observation.follow(Volume.KIND, volume);
      return observation.await(
          "volume " + volume,
          CallReplies.waiting(),
          () -> seen.latest().map(this::endpointHere).filter(e -> !e.isEmpty()),
          () -> "its engine to serve it");
    }
  }

  /**
   * Returns the endpoint on this node, because a moving volume is served on two nodes and a shared
   * one on many.
   */
  private String endpointHere(Volume volume) {
    String served = volume.status().servingEndpoints().getOrDefault(node, "");
    if (!served.isEmpty()) {
      return served;
    }
    return volume.status().currentMigrationNodeID().equals(node)
        ? volume.status().migrationEndpoint()
        : volume.status().endpoint();
  }

  /**
   * Connects the volume. A connection to a former endpoint is useless unless it is held, or its
   * initiator can change the path of the device in use.
   */
  private InitiatorConnection connect(StagedVolume plan, Volume volume, URI endpoint)
      throws StorageException, StatusException {
    Optional<InitiatorConnection> earlier = initiators.find(volume.name());
    if (earlier.filter(c -> c.alive() && isSame(c.endpoint(), endpoint)).isPresent()) {
      return earlier.get();
    }
    if (earlier.isPresent() && !initiators.keepsDevice(volume.name(), endpoint)) {
      disconnect(plan);
    }
    try {
      return initiators.connectGrowable(
          volume.name(), endpoint, volume.status().currentSize().bytes());
    } catch (StorageException e) {
      Optional<String> remedy =
          KernelCredentials.remedy(endpoint, store.get(Node.KIND, node), e.getMessage());
      if (remedy.isPresent()) {
        throw CsiStatus.failedPrecondition("volume " + volume.name() + ": " + remedy.get());
      }
      throw e;
    }
  }

  /**
   * Compares endpoints without the query, which only contains the size of the device at the time of
   * the connect.
   */
  private static boolean isSame(URI connected, URI wanted) {
    String uri = connected.toString();
    return uri.equals(wanted.toString()) || uri.startsWith(wanted + "?");
  }

  /**
   * Rejects a device that another program has mounted, because two mounts would affect each other.
   */
  private void requireOurs(StagedVolume plan, String device)
      throws StorageException, StatusException {
    List<Path> ours = new ArrayList<>(List.of(Path.of(plan.stagingPath())));
    plan.targets().forEach(target -> ours.add(Path.of(target.path())));
    for (MountTable.Mount mount : mounts.of(device)) {
      boolean known =
          ours.stream()
              .anyMatch(path -> path.getFileName().equals(mount.directory().getFileName()));
      if (!known) {
        throw CsiStatus.failedPrecondition(
            "volume "
                + plan.volume()
                + " is mounted on "
                + mount.directory()
                + " by another program");
      }
    }
  }

  private StagedVolume mounted(Volume volume, StagedVolume plan)
      throws StorageException, StatusException {
    Path point = filesystems.mountPoint(Path.of(plan.stagingPath()));
    if (mounts.of(plan.device()).stream().anyMatch(m -> m.directory().equals(point))) {
      return plan;
    }
    StagedVolume known = staged.write(plan.on(plan.device(), filesystem(volume, plan)));
    List<String> options = new ArrayList<>(plan.flags());
    if (known.filesystem().equals(Filesystem.XFS.toString())) {
      options.add("nouuid"); // a copy has the identifier of its source
    }
    if (plan.access().readsOnly()) {
      options.add("ro");
      options.add(known.filesystem().equals("xfs") ? "norecovery" : "noload");
      filesystems.mount(known.device(), known.filesystem(), point, options);
      return known;
    }
    filesystems.check(known.device(), known.filesystem(), point);
    filesystems.growUnmounted(known.device(), known.filesystem());
    filesystems.mount(known.device(), known.filesystem(), point, options);
    if (known.filesystem().equals(Filesystem.XFS.toString())) {
      filesystems.grow(known.device(), known.filesystem(), point);
    }
    return known;
  }

  private String filesystem(Volume volume, StagedVolume plan)
      throws StorageException, StatusException {
    Optional<Filesystem> wanted = Filesystem.named(plan.wanted());
    if (!plan.filesystem().isEmpty()) {
      return filesystems.existingFilesystem(plan.device(), wanted);
    }
    Optional<String> present = filesystems.filesystemPresent(plan.device(), wanted);
    if (present.isPresent()) {
      return present.get();
    }
    if (plan.access().readsOnly()) {
      throw CsiStatus.failedPrecondition(
          "volume " + plan.volume() + " holds no filesystem, and none can be made read-only");
    }
    // The options of the class, so that the filesystem does not depend on the node that makes it.
    String options = CsiVolumes.context(volume).getOrDefault(ClassParameters.MAKE_OPTIONS, "");
    return filesystems.filesystemOn(plan.device(), wanted, ClassParameters.makeOptions(options));
  }

  /** Removes a volume from this host; succeeds if it is absent. */
  void unstage(String volume, Path path) throws StorageException, StatusException {
    Optional<StagedVolume> record = staged.find(volume);
    if (record.isEmpty() || !record.get().stagingPath().equals(path.toString())) {
      return;
    }
    requireUnpublished(record.get());
    if (record.get().isShare()) {
      shares.unstage(record.get());
      staged.delete(volume);
      return;
    }
    String device =
        record.get().device().isEmpty()
            ? initiators.find(volume).map(InitiatorConnection::device).orElse("")
            : record.get().device();
    if (!record.get().block()) {
      filesystems.unmount(device, filesystems.mountPoint(path));
    }
    disconnect(record.get());
    staged.delete(volume);
  }

  private void disconnect(StagedVolume record) throws StorageException {
    if (record.encrypted()) {
      encrypted.close(record.volume());
    }
    initiators.disconnect(record.volume());
  }

  /** Returns whether a volume is published at a path. */
  boolean isShown(StagedVolume record, Path path) throws StorageException {
    return record.isShare()
        ? shares.shows(path)
        : binds.shows(record.device(), record.block(), path);
  }

  private void requireUnpublished(StagedVolume record) throws StorageException, StatusException {
    for (StagedVolume.Target target : record.targets()) {
      if (isShown(record, Path.of(target.path()))) {
        throw CsiStatus.failedPrecondition(
            "volume " + record.volume() + " is still published at " + target.path());
      }
    }
  }
}
