package dev.holdfast.mounts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.client.Attachments;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.NfsExport;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Mounts volumes on this host: attaches, connects, makes a filesystem on an empty device and mounts
 * it; and unmounts them. Each step is idempotent and recorded in advance, so that both directions
 * can be repeated after a crash. Thread-safe, also across processes.
 */
public final class Mounts {
  /** Prefix of the ids of mount tickets, followed by the name of the node. */
  private static final String MOUNT_TICKET = Attachments.TICKET_TYPE + "-mount-";

  /** Time without an answer after which the mount of a share is removed by force. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Attachments attachments;
  private final ResourceStore store;
  private final HostInitiators initiators;
  private final HostState state;
  private final Optional<String> node;
  private final HostFilesystems host;
  private final HostMounts mounted;
  private final Host machine;
  private final NfsMounts nfs;
  private final ShareExports shares;
  private final BackupMounts backups;
  private final JsonMapper mapper = JsonMapper.builder().build();

  /**
   * Mounts volumes of a store.
   *
   * @param host this host
   * @param initiators initiators of this host
   * @param state records of mounts, {@code <data>/mounts}
   * @param node the node whose certificate the initiators use, empty for a host that is not a node
   */
  public Mounts(
      Host host,
      ResourceStore store,
      List<Initiator> initiators,
      HostState state,
      Optional<String> node) {
    this.node = node;
    this.host = new HostFilesystems(host);
    this.mounted = new HostMounts(host);
    this.machine = host;
    this.nfs = new NfsMounts(host);
    this.shares = new ShareExports(store);
    this.backups = new BackupMounts(store);
    this.store = store;
    this.attachments = new Attachments(store);
    this.initiators = new HostInitiators(initiators);
    this.state = state;
  }

  /**
   * Mounts a volume's filesystem. Idempotent. A failed call reverts its own steps.
   *
   * @throws StorageException as attaching and connecting; CONFLICT when the volume has other
   *     content; INVALID when its filesystem differs from the requested one; BUSY when it is
   *     mounted elsewhere
   */
  public MountRecord mount(MountRequest request, Waiting waiting) throws StorageException {
    return state.locked(request.volume(), () -> mountLocked(request, waiting));
  }

  private MountRecord mountLocked(MountRequest request, Waiting waiting) throws StorageException {
    String volume = request.volume();
    Optional<MountRecord> earlier = find(volume);
    requireSame(earlier, volume, false);
    shares.requireUnshared(volume);
    Path point = host.mountPoint(request.directory());
    requireSame(earlier, volume, point);
    MountRecord plan = earlier.isPresent() ? earlier.get() : plan(request, point);
    if (request.persistent()) {
      plan = plan.persistently();
    }
    write(plan);
    try {
      return carryOut(plan, request, waiting);
    } catch (StorageException e) {
      if (earlier.isEmpty()) {
        rollBack(plan, e);
      }
      throw e;
    }
  }

  private static void requireSame(Optional<MountRecord> earlier, String volume, boolean share)
      throws StorageException {
    if (earlier.isPresent() && earlier.get().isShare() != share) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + volume
              + " is mounted on "
              + earlier.get().directory()
              + (share ? " as a device" : " as a share")
              + ": first 'holdfast umount "
              + volume
              + "'");
    }
  }

  private static void requireSame(Optional<MountRecord> earlier, String volume, Path point)
      throws StorageException {
    if (earlier.isPresent() && !earlier.get().directory().equals(point.toString())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + " is mounted on " + earlier.get().directory() + " already");
    }
  }

  /**
   * Mounts a volume's share. Idempotent; a repeated call mounts a moved share again. Steps do not
   * wait for a lost server.
   *
   * @throws StorageException NOT_FOUND; INVALID for a volume without a share, or invalid options;
   *     BUSY when the share is stopped, or the directory has another mount; UNREACHABLE, FORBIDDEN
   *     from the server; UNSUPPORTED when this host cannot mount NFS; TIMEOUT with the reason
   */
  public MountRecord mountShare(ShareMountRequest request, Waiting waiting)
      throws StorageException {
    return state.locked(request.volume(), () -> mountShareLocked(request, waiting));
  }

  private MountRecord mountShareLocked(ShareMountRequest request, Waiting waiting)
      throws StorageException {
    String volume = request.volume();
    Optional<MountRecord> earlier = find(volume);
    // Without access to the directory itself, because its server may be lost.
    Path point = machine.files().real(request.directory());
    requireSame(earlier, volume, true);
    requireSame(earlier, volume, point);
    List<String> options = options(request);
    NfsExport export = shares.of(volume, waiting);
    Optional<MountTable.Mount> present = nfs.at(point);
    if (present.isPresent()) {
      if (earlier.isEmpty() || !present.get().filesystem().equals(NfsMounts.TYPE)) {
        throw new StorageException(
            ErrorCode.BUSY, point + " has " + present.get().source() + " mounted already");
      }
      if (nfs.isServed(earlier.get().device(), export, point)) {
        return request.persistent() ? written(earlier.get().persistently()) : earlier.get();
      }
      nfs.unmount(point, PATIENCE);
    }
    boolean persistent =
        request.persistent() || earlier.filter(MountRecord::persistent).isPresent();
    MountRecord plan =
        written(
            new MountRecord(
                volume,
                point.toString(),
                export.toString(),
                NfsMounts.TYPE,
                "",
                false,
                "",
                persistent,
                request.options(),
                ""));
    try {
      nfs.mount(export, point, options, waiting.isWanted() ? waiting.timeout() : PATIENCE);
      return plan;
    } catch (StorageException e) {
      if (earlier.isEmpty()) {
        rollBack(plan, e);
      }
      throw e;
    }
  }

  /**
   * Mounts the filesystem of a backup read-only. Idempotent. A failed call reverts its own steps.
   *
   * @param name of the backup, not null
   * @param directory mount point, created if missing, not null
   * @throws StorageException NOT_FOUND; CONFLICT for an incomplete backup; INVALID when it contains
   *     no filesystem; BUSY when it is mounted elsewhere; TIMEOUT when it is not served in time
   */
  public MountRecord mountBackup(String name, Path directory, Waiting waiting)
      throws StorageException {
    return state.locked(
        BackupMounts.keyOf(name), () -> mountBackupLocked(name, directory, waiting));
  }

  private MountRecord mountBackupLocked(String name, Path directory, Waiting waiting)
      throws StorageException {
    Path point = host.mountPoint(directory);
    Optional<MountRecord> earlier = find(BackupMounts.keyOf(name));
    requireSame(earlier, "of backup " + name, point);
    MountRecord plan = earlier.isPresent() ? earlier.get() : written(backups.plan(name, point));
    try {
      // The node exports the backup to itself, unless other hosts already read it.
      URI endpoint = backups.export(name, plan.ownsTicket() ? node : Optional.empty(), waiting);
      InitiatorConnection connection = initiators.connect(plan.volume(), endpoint);
      String type = host.existingFilesystem(connection.device(), Optional.empty());
      MountRecord mounting = written(plan.on(connection.device(), type));
      host.mount(connection.device(), type, point, BackupMounts.options(type));
      return mounting;
    } catch (StorageException e) {
      if (earlier.isEmpty()) {
        rollBack(plan, e);
      }
      throw e;
    }
  }

  private List<String> options(ShareMountRequest request) throws StorageException {
    try {
      return request.options().isBlank()
          ? NfsOptions.of(shares.find(request.volume()))
          : NfsOptions.parse(request.options());
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "options \"" + request.options() + "\": " + e.getMessage(), e);
    }
  }

  private MountRecord written(MountRecord record) throws StorageException {
    write(record);
    return record;
  }

  private MountRecord plan(MountRequest request, Path point) throws StorageException {
    String volume = request.volume();
    new StoreEditor(store).require(Volume.KIND, volume);
    // A separate ticket for each node, so that another node with a mount of this volume keeps its
    // access.
    String ticket =
        node.map(name -> MOUNT_TICKET + name).orElse(Attachments.ticketId(request.node()));
    boolean ownsTicket = !attachments.hasTicket(volume, ticket);
    String wanted = request.node().orElse("");
    return new MountRecord(
        volume, point.toString(), "", "", ticket, ownsTicket, wanted, false, "", "");
  }

  private MountRecord carryOut(MountRecord plan, MountRequest request, Waiting waiting)
      throws StorageException {
    Volume attached =
        attachments.attach(plan.volume(), plan.ticket(), request.node(), node, waiting);
    URI endpoint = URI.create(attached.status().endpoint());
    waiting.progress().accept("volume " + plan.volume() + ": connects to " + endpoint);
    InitiatorConnection connection = initiators.connect(plan.volume(), endpoint);
    write(plan.on(connection.device(), plan.filesystem()));
    String type =
        plan.filesystem().isEmpty()
            ? filesystemOn(connection.device(), request)
            : host.existingFilesystem(connection.device(), request.filesystem());
    MountRecord mounted = plan.on(connection.device(), type);
    write(mounted);
    if (this.mounted.of(connection.device()).isEmpty()) {
      host.check(connection.device(), type, Path.of(plan.directory()));
    }
    host.mount(connection.device(), type, Path.of(plan.directory()));
    return mounted;
  }

  /**
   * Returns the filesystem. The device no longer exists when the user reads the message, so the
   * remedy names the volume.
   */
  private String filesystemOn(String device, MountRequest request) throws StorageException {
    try {
      return host.filesystemOn(device, request.filesystem());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.INVALID || request.filesystem().isPresent()) {
        throw e;
      }
      String volume = request.volume();
      throw new StorageException(
          ErrorCode.CONFLICT,
          "volume "
              + volume
              + " cannot be mounted: "
              + e.getMessage().replace(device + " ", "it ")
              + ": programs use it without mount at the address of 'holdfast volume endpoint "
              + volume
              + "'; if its content may go, delete the volume and create it again",
          e);
    }
  }

  /**
   * Restores all persistent mounts, as after a reboot of this host, without making filesystems. A
   * failed mount does not affect the others and keeps its record. If a retry may help, it is
   * repeated during the caller's wait.
   *
   * @param failed receives each failure
   * @return the present mounts by volume
   * @throws StorageException IO when the records cannot be read
   */
  public List<MountRecord> restore(Consumer<StorageException> failed, Waiting waiting)
      throws StorageException {
    return new MountRestoration(waiting).mountAll(persistent(), one -> again(one, waiting), failed);
  }

  private MountRecord again(MountRecord one, Waiting waiting) throws StorageException {
    return one.isShare()
        ? mountShare(ShareMountRequest.again(one), waiting)
        : mount(MountRequest.again(one), waiting);
  }

  /**
   * Unmounts and disconnects all persistent mounts until {@link #restore}; the records and the
   * attachments remain.
   *
   * @param failed receives each failure
   * @return the unmounted volumes
   * @throws StorageException IO when the records cannot be read
   */
  public List<MountRecord> suspend(Consumer<StorageException> failed) throws StorageException {
    List<MountRecord> unmounted = new ArrayList<>();
    for (MountRecord mounted : persistent()) {
      try {
        unmounted.add(state.locked(mounted.volume(), () -> suspended(mounted)));
      } catch (StorageException e) {
        failed.accept(e);
      }
    }
    return unmounted;
  }

  private MountRecord suspended(MountRecord mounted) throws StorageException {
    takeOff(mounted);
    return mounted;
  }

  private List<MountRecord> persistent() throws StorageException {
    return list().stream().filter(MountRecord::persistent).toList();
  }

  private void rollBack(MountRecord plan, StorageException cause) {
    try {
      undo(find(plan.volume()).orElse(plan), Waiting.none());
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Unmounts a volume: writes back, unmounts, disconnects, and detaches it if mounting attached it.
   *
   * @param volumeOrDirectory name of the volume or mount point
   * @throws StorageException NOT_FOUND when it is not mounted by Holdfast; BUSY when it is in use
   */
  public MountRecord unmount(String volumeOrDirectory, Waiting waiting) throws StorageException {
    String volume = volumeOf(volumeOrDirectory);
    return state.locked(
        volume,
        () -> {
          MountRecord mounted =
              find(volume).orElseThrow(() -> notMounted(volumeOrDirectory, List.of()));
          undo(mounted, waiting);
          return mounted;
        });
  }

  private void undo(MountRecord mounted, Waiting waiting) throws StorageException {
    takeOff(mounted);
    if (mounted.isOfBackup()) {
      backups.release(mounted);
    } else if (mounted.ownsTicket() && store.get(Volume.KIND, mounted.volume()).isPresent()) {
      attachments.releaseTicket(mounted.volume(), mounted.ticket(), waiting);
    }
    state.delete(mounted.volume());
  }

  private void takeOff(MountRecord mounted) throws StorageException {
    if (mounted.isShare()) {
      nfs.unmount(Path.of(mounted.directory()), PATIENCE);
      return;
    }
    host.unmount(mounted.device(), Path.of(mounted.directory()));
    initiators.disconnect(mounted.volume());
  }

  private String volumeOf(String volumeOrDirectory) throws StorageException {
    List<MountRecord> all = list();
    Path path = Path.of(volumeOrDirectory).toAbsolutePath().normalize();
    return all.stream()
        .filter(
            mounted ->
                mounted.volume().equals(volumeOrDirectory)
                    || mounted.directory().equals(path.toString()))
        .map(MountRecord::volume)
        .findFirst()
        .orElseThrow(() -> notMounted(volumeOrDirectory, all));
  }

  private static StorageException notMounted(String what, List<MountRecord> all) {
    String others = all.stream().map(MountRecord::volume).collect(Collectors.joining(", "));
    return new StorageException(
        ErrorCode.NOT_FOUND,
        what
            + " is not mounted by Holdfast"
            + (others.isEmpty() ? "" : "; mounted volumes: " + others));
  }

  /**
   * Rejects a volume that is mounted on this host, because its detachment would break the mounted
   * filesystem.
   *
   * @throws StorageException BUSY with the remedy
   */
  public void requireUnmounted(String volume) throws StorageException {
    Optional<MountRecord> mounted = find(volume);
    if (mounted.isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + volume
              + " is mounted on "
              + mounted.get().directory()
              + ": first 'holdfast umount "
              + volume
              + "'");
    }
  }

  /** Returns the present mounts by volume. */
  public List<MountRecord> list() throws StorageException {
    List<MountRecord> all = new ArrayList<>();
    for (String volume : state.volumes()) {
      find(volume).ifPresent(all::add);
    }
    return all;
  }

  private Optional<MountRecord> find(String volume) throws StorageException {
    Optional<String> json = state.read(volume);
    if (json.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(mapper.readValue(json.get(), MountRecord.class));
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.IO,
          "the record of the mount of " + volume + " in " + state.directory() + " is damaged",
          e);
    }
  }

  private void write(MountRecord mounted) throws StorageException {
    try {
      state.write(mounted.volume(), mapper.writeValueAsString(mounted));
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "mount of " + mounted.volume(), e);
    }
  }
}
