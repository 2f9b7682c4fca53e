package dev.holdfast.commands.verbs;

import dev.holdfast.client.Explanations;
import dev.holdfast.client.Placements;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Volumes;
import dev.holdfast.commands.ExplanationViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalEndpoints;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeQos;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.ResourceStore;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The verbs {@code volume …} that create, show and change volumes. */
final class VolumeVerbs {
  private static final VerbArgument<String> NEW =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The volume's name.");
  private static final VerbArgument<String> NEW_SIZE =
      VerbArgument.of("SIZE", String.class, Candidates.NONE, "The new size, for example 2Gi.");

  private static final VerbOption<String> SIZE =
      VerbOption.of(
              "--size",
              "SIZE",
              String.class,
              """
              Size of the device, for example 1Gi; rounded up to a multiple of 4Ki.
              With --from, or with the name of a backup: that of the source when left out.\
              """)
          .given(Presence.ONE_OF);
  private static final VerbOption<String> FROM =
      VerbOption.of(
              "--from",
              "VOLUME[@SNAPSHOT]",
              String.class,
              Candidates.VOLUMES,
              "Make it a copy of a volume, which may be in use, or of a snapshot.")
          .given(Presence.ONE_OF);
  private static final VerbOption<CloneMode> CLONE_MODE =
      VerbOption.of(
              "--clone-mode",
              "MODE",
              CloneMode.class,
              "With --from: linked-clone to share blocks with the source where that is possible, or"
                  + " full-copy. Default: linked-clone.")
          .given(Presence.ONE_OF);
  private static final VerbOption<String> ENGINE =
      VerbOption.of(
          "--engine", "ENGINE", String.class, "Engine that stores its bytes. Default: sparse.");
  private static final VerbOption<String> FRONTEND =
      VerbOption.of(
          "--frontend", "FRONTEND", String.class, "Frontend that serves it. Default: nbd.");
  private static final VerbOption<AccessMode> ACCESS_MODE =
      VerbOption.of(
          "--access-mode",
          "MODE",
          AccessMode.class,
          "How many nodes may use it: rwo for one, rox for many that read, rwx for many that use"
              + " its filesystem by a share. Default: rwo.");
  private static final VerbOption<Boolean> WAIT =
      VerbOption.flag(
          "--wait", "Wait until its replicas are created, and a copy or a restore is complete.");
  private static final VerbOption<Integer> WAIT_TIMEOUT =
      VerbOption.seconds("--timeout", 60, "With --wait, the longest time to wait.");

  private static final VerbOption<String> REPLICA =
      VerbOption.of(
              "--replica",
              "REPLICA",
              String.class,
              "A replica whose content is the volume's; may be given several times.")
          .given(Presence.REQUIRED)
          .times(Repetition.REPEATED);

  private static final VerbOption<Long> IOPS =
      VerbOption.of("--iops", "N", Long.class, "Requests per second; 0 for no limit.");
  private static final VerbOption<Quantity> BANDWIDTH =
      VerbOption.of(
          "--bandwidth",
          "AMOUNT",
          Quantity.class,
          "Bytes per second, for example 100Mi; 0 for no limit.");
  private static final VerbOption<Long> READ_IOPS =
      VerbOption.of("--read-iops", "N", Long.class, "Reads per second.");
  private static final VerbOption<Quantity> READ_BANDWIDTH =
      VerbOption.of("--read-bandwidth", "AMOUNT", Quantity.class, "Bytes read per second.");
  private static final VerbOption<Long> WRITE_IOPS =
      VerbOption.of("--write-iops", "N", Long.class, "Writes per second.");
  private static final VerbOption<Quantity> WRITE_BANDWIDTH =
      VerbOption.of("--write-bandwidth", "AMOUNT", Quantity.class, "Bytes written per second.");
  private static final VerbOption<Integer> BURST =
      VerbOption.of(
          "--burst",
          "SECONDS",
          Integer.class,
          "Seconds for which unused allowance is kept. Default: 1.");
  private static final VerbOption<SettingOverride> UNMAP =
      VerbOption.of(
          "--unmap-mark-snap-chain-removed",
          "RULE",
          SettingOverride.class,
          "Whether a trim gives up the snapshots that keep it from reclaiming space: enabled,"
              + " disabled, or ignored for what the setting says.");
  private static final VerbOption<SettingOverride> FREEZE =
      VerbOption.of(
          "--freeze-filesystem-for-snapshot",
          "RULE",
          SettingOverride.class,
          "Whether the mounted filesystem is frozen while a snapshot is taken: enabled, disabled,"
              + " or ignored for what the setting says.");

  private static final VerbOption<Boolean> REMOTE =
      VerbOption.flag("--remote", "Print the URI for clients on other hosts.");

  private static final VerbOption<String> ACTIVE =
      Common.node("The node that uses the disk.").given(Presence.EXCLUSIVE);
  private static final VerbOption<Boolean> NO_ACTIVE =
      VerbOption.flag("--any", "Let the engine choose the node.").given(Presence.EXCLUSIVE);

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "volume create",
              List.of(NEW),
              List.of(
                  SIZE,
                  FROM,
                  CLONE_MODE,
                  BackingImageVerbs.OF_VOLUME,
                  VolumeBackupVerbs.OF_VOLUME,
                  VolumeBackupVerbs.LAZILY,
                  VolumeBackupVerbs.FLATTEN,
                  VolumeBackupVerbs.STANDBY,
                  Common.REPLICAS,
                  ENGINE,
                  FRONTEND,
                  ACCESS_MODE,
                  WAIT,
                  WAIT_TIMEOUT),
              "Make a volume: empty, a copy of another, on a backing image, or from a backup.",
              VolumeVerbs::create),
          new Verb(
              "volume list",
              List.of(),
              List.of(DeletedVolumeVerbs.DELETED),
              "Show all volumes.",
              call ->
                  call.has(DeletedVolumeVerbs.DELETED)
                      ? DeletedVolumeVerbs.list(call)
                      : views(call).volumes(volumes(call).list())),
          new Verb(
              "volume get",
              List.of(Common.VOLUME),
              List.of(),
              "Show one volume; with -o json the resource itself.",
              call -> views(call).volume(volumes(call).get(call.get(Common.VOLUME)))),
          DeletedVolumeVerbs.DELETE,
          DeletedVolumeVerbs.UNDELETE,
          DeletedVolumeVerbs.PURGE,
          VolumeBackupVerbs.ACTIVATE,
          AttachVerbs.ATTACH,
          AttachVerbs.DETACH,
          new Verb(
              "volume why",
              List.of(Common.VOLUME),
              List.of(),
              """
              Explain which tickets hold a volume, which wait for it, and why.
              Of a deleted volume, tell until when its content is kept.""",
              VolumeVerbs::why),
          new Verb(
              "volume salvage",
              List.of(Common.VOLUME),
              List.of(REPLICA, Common.CONFIRM),
              "Declare whose content counts for a volume that cannot be opened otherwise; writes"
                  + " that only other replicas hold are lost.",
              VolumeVerbs::salvage),
          new Verb(
              "volume endpoint",
              List.of(Common.VOLUME),
              List.of(REMOTE),
              """
              Print the URI of an attached volume, for initiators.
              For NBD on this machine it names the UNIX socket of the node, which needs no
              credential.""",
              VolumeVerbs::endpoint),
          new Verb(
              "volume expand",
              List.of(Common.VOLUME, NEW_SIZE),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              """
              Expand a volume, in use or not.
              Grow its filesystem afterwards, with resize2fs or xfs_growfs.\
              """,
              VolumeVerbs::expand),
          new Verb(
              "volume optimize",
              List.of(Common.VOLUME),
              List.of(ACTIVE, NO_ACTIVE, Common.NO_WAIT, Common.TIMEOUT),
              """
              Choose the node that uses the disk of a volume for all nodes, also while it is in use.
              Requests wait while the volume moves there. It is for volumes of the engine lvm.""",
              VolumeVerbs::optimize),
          new Verb(
              "volume set",
              List.of(Common.VOLUME),
              List.of(
                  IOPS,
                  BANDWIDTH,
                  READ_IOPS,
                  READ_BANDWIDTH,
                  WRITE_IOPS,
                  WRITE_BANDWIDTH,
                  BURST,
                  UNMAP,
                  FREEZE),
              "Set the limits of the requests of clients and the rules of a volume, also while "
                  + "it is in use.",
              VolumeVerbs::set),
          SnapshotVerbs.SCRUB);

  private VolumeVerbs() {}

  private static Output create(VerbCall call) throws StorageException {
    VolumeRequest request =
        VolumeRequest.of(
            call.get(NEW),
            call.value(SIZE).orElse(""),
            call.number(Common.REPLICAS),
            call.value(ENGINE),
            call.value(FRONTEND));
    request =
        request
            .withCloneMode(call.value(CLONE_MODE))
            .withAccessMode(call.value(ACCESS_MODE))
            .withImage(call.value(BackingImageVerbs.OF_VOLUME).orElse(""));
    Optional<String> backup = call.value(VolumeBackupVerbs.OF_VOLUME);
    for (VerbOption<Boolean> option :
        List.of(VolumeBackupVerbs.LAZILY, VolumeBackupVerbs.FLATTEN, VolumeBackupVerbs.STANDBY)) {
      if (backup.isEmpty() && call.has(option)) {
        throw new WrongUse(option.name() + " needs --backup");
      }
    }
    if (backup.isPresent()) {
      request = VolumeBackupVerbs.restored(call, request, backup.get());
    }
    Optional<String> source = call.value(FROM);
    if (source.isPresent()) {
      request = request.from(source.get());
    }
    Volumes volumes = volumes(call);
    boolean wait = call.has(WAIT);
    Volume created = volumes.create(request, call.waiting(wait, WAIT_TIMEOUT));
    if (!wait) {
      volumes
          .placementProblem(created)
          .ifPresent(why -> call.context().warn(VolumeViews.unplaced(created, why)));
    }
    return views(call).created(created, request.size());
  }

  private static Output why(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    ResourceStore store = call.context().store();
    Optional<Output> deleted =
        store.get(Volume.KIND, name).isPresent()
            ? Optional.empty()
            : DeletedVolumeVerbs.why(call, name);
    return deleted.isPresent()
        ? deleted.get()
        : new ExplanationViews().explanation(new Explanations(store).why(name));
  }

  private static Output salvage(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    Common.requireConfirmation(
        call, name, "writes to volume " + name + " that only other replicas hold are lost");
    return views(call).salvaging(volumes(call).salvage(name, call.all(REPLICA)));
  }

  private static Output endpoint(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    String endpoint = volumes(call).endpoint(name);
    return views(call)
        .endpoint(
            name,
            call.has(REMOTE)
                ? endpoint
                : new LocalEndpoints(call.context().data()).of(URI.create(endpoint)).toString());
  }

  private static Output expand(VerbCall call) throws StorageException {
    String size = call.get(NEW_SIZE);
    return views(call)
        .expanded(volumes(call).expand(call.get(Common.VOLUME), size, call.waiting()), size);
  }

  private static Output optimize(VerbCall call) throws StorageException {
    String node = call.value(ACTIVE).orElse("");
    if (node.isEmpty() && !call.has(NO_ACTIVE)) {
      throw new WrongUse("give --node NODE, or --any");
    }
    return views(call)
        .optimized(
            new Placements(call.context().store())
                .choose(call.get(Common.VOLUME), node, call.waiting()),
            node);
  }

  private static Output set(VerbCall call) throws StorageException {
    return views(call)
        .limited(volumes(call).change(call.get(Common.VOLUME), spec -> changed(call, spec)));
  }

  private static VolumeSpec changed(VerbCall call, VolumeSpec present) {
    VolumeQos qos = present.qos();
    VolumeSpec limited =
        present.withQos(
            new VolumeQos(
                call.value(IOPS).orElse(qos.iops()),
                call.value(BANDWIDTH).orElse(qos.bandwidth()),
                call.value(READ_IOPS).orElse(qos.readIops()),
                call.value(READ_BANDWIDTH).orElse(qos.readBandwidth()),
                call.value(WRITE_IOPS).orElse(qos.writeIops()),
                call.value(WRITE_BANDWIDTH).orElse(qos.writeBandwidth()),
                call.value(BURST).orElse(qos.burstSeconds())));
    VolumeSpec trimmed =
        call.value(UNMAP).map(limited::withUnmapMarkSnapChainRemoved).orElse(limited);
    return call.value(FREEZE).map(trimmed::withFreezeFilesystemForSnapshot).orElse(trimmed);
  }

  private static Volumes volumes(VerbCall call) throws StorageException {
    return new Volumes(call.context().store());
  }

  private static VolumeViews views(VerbCall call) {
    return new VolumeViews(call.context().clock());
  }
}
