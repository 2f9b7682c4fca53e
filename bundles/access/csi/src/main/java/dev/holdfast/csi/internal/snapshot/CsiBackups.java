package dev.holdfast.csi.internal.snapshot;

import dev.holdfast.client.backup.VolumeBackups;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.SnapshotClass;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupAddresses;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Snapshots of the type {@code bak}: backups of volumes. Their ids are {@code bak://VOLUME/BACKUP},
 * so that another cluster can restore the volume. Thread-safe.
 */
public final class CsiBackups {
  private static final Pattern ID = Pattern.compile("(?:bak|bs)://([^/]*)/([^/]*)");

  private final ResourceStore store;
  private final VolumeBackups backups;

  CsiBackups(ResourceStore store) {
    this.store = store;
    this.backups = new VolumeBackups(store);
  }

  /**
   * The backup in a snapshot id.
   *
   * @param volume name of the backed-up volume
   * @param name of the backup at its target
   */
  public record Name(String volume, String name) {
    /** Returns the id of a snapshot. */
    public String id() {
      return "bak://" + volume + "/" + name;
    }

    static Name of(Backup backup) {
      return new Name(backup.spec().volume(), backup.nameAtTarget());
    }
  }

  /**
   * The content of a restored volume.
   *
   * @param address of the backup
   * @param bytes size of the backed-up volume, 0 if unknown to this cluster
   */
  public record Content(String address, long bytes) {}

  /** Returns the backup in a snapshot id; empty for a snapshot of another type. */
  public static Optional<Name> named(String id) {
    Matcher matcher = ID.matcher(id);
    return matcher.matches()
        ? Optional.of(new Name(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }

  /**
   * Creates a backup of a volume, or finds the backup of this name. Returns after its snapshot was
   * taken.
   */
  Csi.Snapshot create(Csi.CreateSnapshotRequest request, SnapshotClass said, Volume source)
      throws StorageException, StatusException {
    String name = CsiNames.resourceName(request.getName());
    Optional<Backup> present = store.get(Backup.KIND, name);
    if (present.isPresent()) {
      requireSame(request, present.get());
    } else {
      create(name, request, said, source);
    }
    try {
      return described(backups.awaitSnapshot(name, CallReplies.waiting()));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.IO) {
        discard(name);
      }
      throw e;
    }
  }

  /** Returns the target: that of the snapshot class, otherwise that of the volume. */
  private static String target(SnapshotClass said, Volume source) {
    String own = source.spec().backupTargetName();
    String wanted = said.backupTarget().isEmpty() ? own : said.backupTarget();
    return wanted.isEmpty() ? BackupTarget.DEFAULT_NAME : wanted;
  }

  private void create(
      String name, Csi.CreateSnapshotRequest request, SnapshotClass said, Volume source)
      throws StorageException, StatusException {
    String target = target(said, source);
    if (store.get(BackupTarget.KIND, target).isEmpty()) {
      throw CsiStatus.notFound(
          "parameters[backupTargetName]: backup target \""
              + target
              + "\" does not exist: add it with 'holdfast backup add-target URL'");
    }
    Map<String, String> notes =
        new LinkedHashMap<>(ClassParameters.forWhom(request.getParametersMap()));
    notes.put(CsiVolumes.NAME, request.getName());
    Backup wanted =
        Backup.of(
            name,
            BackupSpec.EMPTY
                .withVolume(source.name())
                .withBackupTargetName(target)
                .withBackupMode(said.backupMode()));
    try {
      store.create(wanted.withMetadata(wanted.metadata().withAnnotations(notes)));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.ALREADY_EXISTS) {
        throw CsiStatus.aborted("backup " + name + " is just being made, try again");
      }
      throw e;
    }
  }

  private static void requireSame(Csi.CreateSnapshotRequest request, Backup present)
      throws StatusException {
    if (present.isBeingDeleted()) {
      throw CsiStatus.aborted("backup " + present.name() + " is being deleted, try again");
    }
    boolean same =
        request.getName().equals(present.metadata().annotations().get(CsiVolumes.NAME))
            && request.getSourceVolumeId().equals(present.spec().volume());
    if (!same) {
      throw CsiStatus.alreadyExists(
          "backup " + present.name() + " exists, and is not one of this name and volume");
    }
  }

  /** Deletes a failed backup, so that it can be retried. */
  private void discard(String name) throws StorageException {
    try {
      backups.delete(name, CallReplies.waiting());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Deletes a backup, also an unfinished one; succeeds if it is absent at its target. */
  void delete(Name backup) throws StorageException {
    Optional<Backup> found = find(backup);
    if (found.isPresent()) {
      discard(found.get().name());
    }
  }

  /** Finds a backup by its name at the target, which may differ from the name of the resource. */
  private Optional<Backup> find(Name backup) throws StorageException {
    Optional<Backup> named =
        CsiNames.isResourceName(backup.name())
            ? store.get(Backup.KIND, backup.name()).filter(found -> Name.of(found).equals(backup))
            : Optional.empty();
    return named.isPresent()
        ? named
        : store.list(Backup.KIND, LabelSelector.ALL).items().stream()
            .filter(found -> Name.of(found).equals(backup))
            .findFirst();
  }

  /** Returns a backup as an answer names it. */
  Csi.Snapshot get(String field, Name backup) throws StorageException, StatusException {
    return described(
        find(backup)
            .filter(CsiBackups::isShown)
            .orElseThrow(
                () ->
                    CsiStatus.notFound(
                        field + ": snapshot \"" + backup.id() + "\" does not exist")));
  }

  /** Returns all backups in the form of CSI. */
  List<Csi.Snapshot> all() throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items().stream()
        .filter(CsiBackups::isShown)
        .map(CsiBackups::described)
        .toList();
  }

  private static boolean isShown(Backup backup) {
    return backup.status().snapshotCreatedAt().isPresent() && !backup.isBeingDeleted();
  }

  /**
   * Returns the content of a restored volume. A backup that is unknown to this cluster is searched
   * at the default target.
   *
   * @throws StatusException NOT_FOUND without a default target; UNAVAILABLE while the backup is
   *     incomplete
   */
  public Content requireReady(Name wanted) throws StorageException, StatusException {
    Optional<Backup> found = find(wanted);
    if (found.isEmpty()) {
      return new Content(addressAtDefaultTarget(wanted), 0);
    }
    Backup backup = found.get();
    if (backup.isBeingDeleted() || backup.status().state() != BackupState.COMPLETED) {
      throw CsiStatus.unavailable(
          "snapshot "
              + wanted.id()
              + " cannot be read now: its backup is "
              + (backup.isBeingDeleted() ? "being deleted" : "not complete"));
    }
    return new Content(backup.status().url(), backup.status().volumeSize().bytes());
  }

  private String addressAtDefaultTarget(Name wanted) throws StorageException, StatusException {
    if (!CsiNames.isResourceName(wanted.volume()) || !CsiNames.isResourceName(wanted.name())) {
      throw absent(wanted, "bak:// is followed by the names of a volume and of a backup");
    }
    BackupTarget target =
        store
            .get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME)
            .orElseThrow(
                () ->
                    absent(
                        wanted,
                        "to find it at a target, add that with 'holdfast backup add-target URL'"));
    return BackupAddresses.ofVolume(
        target.spec().backupTargetURL(), wanted.volume(), wanted.name());
  }

  private static StatusException absent(Name wanted, String remedy) {
    return CsiStatus.notFound(
        "volume_content_source.snapshot.snapshot_id: snapshot \""
            + wanted.id()
            + "\" does not exist; "
            + remedy);
  }

  private static Csi.Snapshot described(Backup backup) {
    Csi.Snapshot.Builder answer =
        Csi.Snapshot.newBuilder()
            .setSnapshotId(Name.of(backup).id())
            .setSourceVolumeId(backup.spec().volume())
            .setSizeBytes(backup.status().volumeSize().bytes())
            .setReadyToUse(backup.status().state() == BackupState.COMPLETED);
    backup
        .status()
        .snapshotCreatedAt()
        .map(CsiSnapshots::timestamp)
        .ifPresent(answer::setCreationTime);
    return answer.build();
  }
}
