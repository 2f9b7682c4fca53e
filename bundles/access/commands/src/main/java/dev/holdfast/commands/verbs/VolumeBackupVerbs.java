package dev.holdfast.commands.verbs;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.backup.StandbyVolumes;
import dev.holdfast.client.backup.VolumeBackups;
import dev.holdfast.commands.MountViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeBackupViews;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.volume.Volume;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@code backup …}: backups of the volumes of this cluster, and their targets. */
final class VolumeBackupVerbs {
  private static final VerbArgument<String> VOLUME =
      VerbArgument.of("VOLUME", String.class, Candidates.VOLUMES, "The volume's name.");
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.BACKUPS, "The backup's name.");
  private static final VerbArgument<String> URL =
      VerbArgument.of(
          "URL",
          String.class,
          Candidates.NONE,
          "Address of the target, for example file:///backups; each node must reach it.");
  private static final VerbArgument<String> TARGET_NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The target's name.");
  private static final VerbOption<String> AS =
      VerbOption.of("--name", "NAME", String.class, "Its name. Default: backup-ID.");
  private static final VerbOption<String> TARGET_AS =
      VerbOption.of("--name", "NAME", String.class, "Its name. Default: default.");
  private static final VerbOption<String> SNAPSHOT =
      VerbOption.of(
          "--snapshot",
          "RESOURCE",
          String.class,
          "Snapshot resource that is backed up. Default: take one.");
  static final VerbOption<String> TARGET =
      VerbOption.of(
          "--target",
          "TARGET",
          String.class,
          "The target. Default: that of the volume, or default.");
  private static final VerbOption<Boolean> FULL =
      VerbOption.flag("--full", "Send all blocks again, also those that the target has.");
  private static final VerbOption<String> SECRET =
      VerbOption.of(
          "--secret",
          "SECRET",
          String.class,
          "Secret with its credentials, of 'holdfast secret set'. Default: none.");
  private static final VerbOption<String> LAYOUT =
      VerbOption.of(
          "--layout",
          "LAYOUT",
          String.class,
          "Layout of volumes without a backup there: longhorn or packed. Default: longhorn.");
  private static final VerbOption<String> ENCRYPTION_SECRET =
      VerbOption.of(
          "--encryption-secret",
          "SECRET",
          String.class,
          "Secret with the keys that encrypt its backups; with --layout packed. Default: none.");
  private static final VerbOption<String> COMPRESSION =
      VerbOption.of(
          "--compression",
          "METHOD",
          String.class,
          "How blocks of volumes without a backup there are stored: lz4, gzip, none, or zstd with"
              + " --layout packed. Default: lz4.");
  private static final VerbOption<Quantity> BLOCK_SIZE =
      VerbOption.of(
          "--block-size",
          "SIZE",
          Quantity.class,
          "Size of blocks of volumes without a backup there: 2Mi or 16Mi. Default: 2Mi.");
  private static final VerbOption<Integer> POLL_INTERVAL =
      VerbOption.of(
          "--poll-interval",
          "SECONDS",
          Integer.class,
          "Time between scans for backups of other clusters, from 30. Default: 0, only by 'backup"
              + " sync'.");
  private static final VerbOption<String> FRONTEND =
      VerbOption.of("--frontend", "NAME", String.class, "Frontend that serves it. Default: nbd.");
  private static final VerbOption<String> NODE = Common.node("The node that serves it.");
  private static final VerbArgument<Path> DIRECTORY =
      VerbArgument.of(
          "DIR",
          Path.class,
          Candidates.FILES,
          "Directory to mount it on; created when it is missing.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final VerbOption<String> OF_VOLUME =
      VerbOption.of(
              "--backup",
              "BACKUP",
              String.class,
              Candidates.BACKUPS,
              "Restore it from a backup: its name, or its address at a target.")
          .given(VerbOption.Presence.ONE_OF);

  static final VerbOption<Boolean> LAZILY =
      VerbOption.flag("--lazy", "With --backup, let clients use the volume while it is restored.");

  static final VerbOption<Boolean> FLATTEN =
      VerbOption.flag(
          "--flatten",
          "With --backup, copy the content of the backup's image into the volume, which then needs"
              + " no image.");

  static final VerbOption<Boolean> STANDBY =
      VerbOption.flag(
          "--standby",
          "With --backup, apply each later backup too, until 'holdfast volume activate'. No client"
              + " reaches the volume before.");

  private static final VerbOption<Boolean> COMPLETE =
      VerbOption.flag("--complete", "Complete a partially applied backup, without a time limit.")
          .given(VerbOption.Presence.EXCLUSIVE);

  private static final VerbOption<Boolean> REVERT =
      VerbOption.flag("--revert", "Undo a partially applied backup: restore the content before it.")
          .given(VerbOption.Presence.EXCLUSIVE);

  /** {@code volume activate}. */
  static final Verb ACTIVATE =
      new Verb(
          "volume activate",
          List.of(Common.VOLUME),
          List.of(COMPLETE, REVERT, Common.NO_WAIT, TIMEOUT),
          """
          Make a standby volume an ordinary one, which follows no further backups.
          Without options a backup that is applied in part is completed if its target answers
          within 30 s, and undone otherwise.\
          """,
          VolumeBackupVerbs::activate);

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "backup create",
              List.of(VOLUME),
              List.of(AS, SNAPSHOT, TARGET, FULL, Common.NO_WAIT, TIMEOUT),
              "Back up a volume, attached or not; sends only blocks that the target lacks.",
              VolumeBackupVerbs::create),
          new Verb(
              "backup get",
              List.of(NAME),
              List.of(),
              "Show one backup; with -o json the resource itself.",
              call -> views(call).backup(backups(call).get(call.get(NAME)))),
          new Verb(
              "backup export",
              List.of(NAME),
              List.of(FRONTEND, NODE, Common.NO_WAIT, Common.TIMEOUT),
              "Let hosts read a backup without a volume, and print its endpoint.",
              call ->
                  views(call)
                      .endpoint(
                          backups(call)
                              .export(
                                  call.get(NAME),
                                  call.value(FRONTEND),
                                  call.value(NODE),
                                  call.waiting()))),
          new Verb(
              "backup unexport",
              List.of(NAME),
              List.of(),
              "End the export of a backup to hosts.",
              call -> views(call).backup(backups(call).withdraw(call.get(NAME)))),
          new Verb(
              "backup mount",
              List.of(NAME, DIRECTORY),
              List.of(Common.TIMEOUT),
              """
              Mount the filesystem of a backup on this host, read-only and without its journal.
              'holdfast umount DIR' ends that.""",
              VolumeBackupVerbs::mount),
          new Verb(
              "backup delete",
              List.of(NAME),
              List.of(Common.NO_WAIT, TIMEOUT),
              "Delete a backup at its target, and the blocks that no other backup needs.",
              VolumeBackupVerbs::delete),
          new Verb(
              "backup add-target",
              List.of(URL),
              List.of(
                  TARGET_AS,
                  SECRET,
                  LAYOUT,
                  ENCRYPTION_SECRET,
                  COMPRESSION,
                  BLOCK_SIZE,
                  POLL_INTERVAL,
                  Common.NO_WAIT,
                  Common.TIMEOUT),
              "Add a target for backups.",
              VolumeBackupVerbs::addTarget),
          new Verb(
              "backup targets",
              List.of(),
              List.of(),
              "Show the targets for backups.",
              call -> views(call).targets(backups(call).targets())),
          new Verb(
              "backup remove-target",
              List.of(TARGET_NAME),
              List.of(),
              "Remove a target that keeps no backup of this cluster.",
              VolumeBackupVerbs::removeTarget));

  private VolumeBackupVerbs() {}

  private static Output create(VerbCall call) throws StorageException {
    UUID id = UUID.randomUUID();
    String name =
        call.value(AS).orElse("backup-" + HexFormat.of().toHexDigits(id.getMostSignificantBits()));
    BackupSpec spec =
        BackupSpec.EMPTY
            .withVolume(call.get(VOLUME))
            .withSnapshotName(call.value(SNAPSHOT).orElse(""))
            .withBackupTargetName(target(call))
            .withBackupMode(call.has(FULL) ? BackupMode.FULL : BackupMode.INCREMENTAL);
    Backup created =
        backups(call).create(name, spec, call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views(call).created(created);
  }

  /** Returns the requested target, or that of the volume. */
  private static String target(VerbCall call) throws StorageException {
    Optional<String> wanted = call.value(TARGET);
    if (wanted.isPresent()) {
      return wanted.get();
    }
    return call.context()
        .store()
        .get(Volume.KIND, call.get(VOLUME))
        .map(volume -> volume.spec().backupTargetName())
        .filter(own -> !own.isEmpty())
        .orElse(BackupTarget.DEFAULT_NAME);
  }

  private static Output mount(VerbCall call) throws StorageException {
    return new MountViews()
        .mounted(
            call.context()
                .mounts()
                .mountBackup(call.get(NAME), call.get(DIRECTORY).toAbsolutePath(), call.waiting()));
  }

  private static Output delete(VerbCall call) throws StorageException {
    backups(call).delete(call.get(NAME), call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views(call).deleted("backup", call.get(NAME));
  }

  private static Output addTarget(VerbCall call) throws StorageException {
    BackupTargetSpec defaults = BackupTargetSpec.EMPTY;
    BackupTargetSpec spec =
        defaults
            .withBackupTargetURL(call.get(URL))
            .withCredentialSecret(call.value(SECRET).orElse(""))
            .withLayout(call.value(LAYOUT).orElse(defaults.layout()))
            .withCompressionMethod(call.value(COMPRESSION).orElse(defaults.compressionMethod()))
            .withBlockSize(call.value(BLOCK_SIZE).orElse(defaults.blockSize()))
            .withPollInterval(call.value(POLL_INTERVAL).orElse(0))
            .withEncryptionSecret(call.value(ENCRYPTION_SECRET).orElse(""));
    return views(call)
        .added(
            backups(call)
                .addTarget(
                    call.value(TARGET_AS).orElse(BackupTarget.DEFAULT_NAME), spec, call.waiting()));
  }

  private static Output removeTarget(VerbCall call) throws StorageException {
    backups(call).removeTarget(call.get(TARGET_NAME));
    return views(call).deleted("backup target", call.get(TARGET_NAME));
  }

  /** Shows the backups of the cluster, of one volume, or at one target. */
  static Output list(VerbCall call, Optional<String> volume, Optional<String> target)
      throws StorageException {
    BackupVolumeVerbs.warnOfOldLists(call, target);
    return views(call).backups(backups(call).list(volume, target));
  }

  /**
   * Returns the request for a volume that is restored from a backup, by its name or its address.
   */
  static VolumeRequest restored(VerbCall call, VolumeRequest request, String backup)
      throws StorageException {
    if (backup.contains("://")) {
      if (request.size().isEmpty()) {
        throw new WrongUse("--size is missing: the address of a backup does not contain its size");
      }
      return mode(call, request.withBackup(backup));
    }
    Backup found = backups(call).get(backup);
    if (found.status().state() != BackupState.COMPLETED) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "backup " + backup + " is not complete: see 'holdfast backup get " + backup + "'");
    }
    VolumeRequest sized =
        request.size().isEmpty()
            ? request.withSize(found.status().volumeSize().toString())
            : request;
    return mode(call, sized.withBackup(found.status().url()));
  }

  private static VolumeRequest mode(VerbCall call, VolumeRequest request) {
    return request
        .withFlattened(call.has(FLATTEN))
        .withRestoreMode(call.has(LAZILY) ? RestoreMode.LAZY : RestoreMode.WHOLE)
        .withStandby(call.has(STANDBY));
  }

  private static Output activate(VerbCall call) throws StorageException {
    StandbyActivation activation = StandbyActivation.COMPLETE_OR_REVERT;
    if (call.has(COMPLETE)) {
      activation = StandbyActivation.COMPLETE;
    } else if (call.has(REVERT)) {
      activation = StandbyActivation.REVERT;
    }
    Volume activated =
        new StandbyVolumes(call.context().store())
            .activate(
                call.get(Common.VOLUME),
                activation,
                call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return new VolumeViews(call.context().clock()).activated(activated);
  }

  private static VolumeBackups backups(VerbCall call) throws StorageException {
    return new VolumeBackups(call.context().store());
  }

  private static VolumeBackupViews views(VerbCall call) {
    return new VolumeBackupViews(call.context().clock());
  }
}
