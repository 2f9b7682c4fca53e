package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;

/**
 * What is wanted of a volume; fields as the users of Longhorn know them.
 *
 * @param size of the device: a multiple of 4 KiB, at least 1 MiB; may grow, never shrink
 * @param numberOfReplicas copies wanted, 1 to 20
 * @param dataEngine what keeps the bytes; never changes
 * @param frontend how a host reaches it: name of a frontend
 * @param accessMode how many nodes may use it at a time
 * @param dataLocality whether a replica should be where it is used
 * @param nodeID the node it shall be attached to; written by the attachment controller only
 * @param disableFrontend whether it is attached without a frontend; written by the attachment
 *     controller only
 * @param lastAttachedBy the ticket that attached it last; written by the attachment controller only
 * @param nodeSelector tags that a node must have to hold a replica
 * @param diskSelector tags that a disk must have to hold a replica
 * @param migratable whether it may move to another node while it is in use, with accessMode rwx;
 *     never changes
 * @param migrationNodeID the node it is about to move to while it is in use; written by the
 *     attachment controller only
 * @param qos what its clients may use at most
 * @param cloneSource where its first content comes from; never changes
 * @param snapshotMaxCount snapshots that it may have, those of the system included, 2 to 250
 * @param replicaSoftAntiAffinity whether two replicas may be on one node, if the setting
 *     replica-soft-anti-affinity is not to count
 * @param replicaZoneSoftAntiAffinity whether two replicas may be in one zone, if the setting
 *     replica-zone-soft-anti-affinity is not to count
 * @param replicaDiskSoftAntiAffinity whether two replicas may be on one disk, if the setting
 *     replica-disk-soft-anti-affinity is not to count
 * @param replicaAutoBalance whether its replicas move to better places by themselves
 * @param staleReplicaTimeout minutes after which a failed replica is deleted while another is
 *     current, at least 1
 * @param witness whether a third node keeps a vote on which of two replicas is current, so that one
 *     of them and the vote can go on alone; never changes
 * @param flushedOnly whether after a loss of power a part of the current replicas is enough to open
 *     it, at the price of writes that were acknowledged but not flushed
 * @param rebuildBytesPerSecond the most a rebuild may copy, 0 for what the setting
 *     replica-rebuild-bytes-per-second says; may change at any time
 * @param salvage replicas whose content a person declares to be the volume's when it cannot be
 *     opened otherwise; taken back by the system when it was carried out
 * @param unmapMarkSnapChainRemoved whether a trim gives up the snapshots that keep it from
 *     reclaiming space, if the setting remove-snapshots-during-filesystem-trim is not to count; may
 *     change at any time
 * @param freezeFilesystemForSnapshot whether its mounted filesystem is frozen while a snapshot is
 *     taken, if the setting freeze-filesystem-for-snapshot is not to count; may change at any time
 * @param cloneMode whether a copy may share the content of its source; counts until that is decided
 * @param deleteWhenDetached whether the volume is deleted with its data once it is detached and no
 *     workload asks for it; may be taken back until then
 */
@RecordBuilder
public record VolumeSpec(
    Quantity size,
    Integer numberOfReplicas,
    String dataEngine,
    String frontend,
    AccessMode accessMode,
    DataLocality dataLocality,
    String nodeID,
    boolean disableFrontend,
    String lastAttachedBy,
    List<String> nodeSelector,
    List<String> diskSelector,
    boolean migratable,
    String migrationNodeID,
    VolumeQos qos,
    Optional<CloneSource> cloneSource,
    Integer snapshotMaxCount,
    SettingOverride replicaSoftAntiAffinity,
    SettingOverride replicaZoneSoftAntiAffinity,
    SettingOverride replicaDiskSoftAntiAffinity,
    AutoBalance replicaAutoBalance,
    Integer staleReplicaTimeout,
    boolean witness,
    boolean flushedOnly,
    Quantity rebuildBytesPerSecond,
    SalvageRequest salvage,
    SettingOverride unmapMarkSnapChainRemoved,
    SettingOverride freezeFilesystemForSnapshot,
    CloneMode cloneMode,
    boolean deleteWhenDetached)
    implements VolumeSpecBuilder.With {
  /** Nothing set. */
  public static final VolumeSpec EMPTY =
      new VolumeSpec(null, null, null, null, null, null, null, false, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public VolumeSpec {
    size = Defaults.or(size, Quantity.ZERO);
    numberOfReplicas = Defaults.or(numberOfReplicas, 3);
    dataEngine = Defaults.or(dataEngine, "sparse");
    frontend = Defaults.or(frontend, "nbd");
    accessMode = Defaults.or(accessMode, AccessMode.READ_WRITE_ONCE);
    dataLocality = Defaults.or(dataLocality, DataLocality.DISABLED);
    nodeID = Defaults.text(nodeID);
    lastAttachedBy = Defaults.text(lastAttachedBy);
    nodeSelector = Defaults.list(nodeSelector);
    diskSelector = Defaults.list(diskSelector);
    qos = Defaults.or(qos, VolumeQos.EMPTY);
    cloneSource = Defaults.optional(cloneSource);
    snapshotMaxCount = Defaults.or(snapshotMaxCount, MOST_SNAPSHOTS);
    migrationNodeID = Defaults.text(migrationNodeID);
    replicaSoftAntiAffinity = Defaults.or(replicaSoftAntiAffinity, SettingOverride.IGNORED);
    replicaZoneSoftAntiAffinity = Defaults.or(replicaZoneSoftAntiAffinity, SettingOverride.IGNORED);
    replicaDiskSoftAntiAffinity = Defaults.or(replicaDiskSoftAntiAffinity, SettingOverride.IGNORED);
    replicaAutoBalance = Defaults.or(replicaAutoBalance, AutoBalance.IGNORED);
    staleReplicaTimeout = Defaults.or(staleReplicaTimeout, STALE_AFTER_MINUTES);
    rebuildBytesPerSecond = Defaults.or(rebuildBytesPerSecond, Quantity.ZERO);
    salvage = Defaults.or(salvage, SalvageRequest.NONE);
    unmapMarkSnapChainRemoved = Defaults.or(unmapMarkSnapChainRemoved, SettingOverride.IGNORED);
    freezeFilesystemForSnapshot = Defaults.or(freezeFilesystemForSnapshot, SettingOverride.IGNORED);
    cloneMode = Defaults.or(cloneMode, CloneMode.LINKED_CLONE);
  }

  /** A volume for which the settings count, and that shares content where it can. */
  public VolumeSpec(
      Quantity size,
      Integer numberOfReplicas,
      String dataEngine,
      String frontend,
      AccessMode accessMode,
      DataLocality dataLocality,
      String nodeID,
      boolean disableFrontend,
      String lastAttachedBy,
      List<String> nodeSelector,
      List<String> diskSelector,
      boolean migratable,
      String migrationNodeID,
      VolumeQos qos,
      Optional<CloneSource> cloneSource,
      Integer snapshotMaxCount,
      SettingOverride replicaSoftAntiAffinity,
      SettingOverride replicaZoneSoftAntiAffinity,
      SettingOverride replicaDiskSoftAntiAffinity,
      AutoBalance replicaAutoBalance,
      Integer staleReplicaTimeout,
      boolean witness,
      boolean flushedOnly,
      Quantity rebuildBytesPerSecond,
      SalvageRequest salvage) {
    this(
        size,
        numberOfReplicas,
        dataEngine,
        frontend,
        accessMode,
        dataLocality,
        nodeID,
        disableFrontend,
        lastAttachedBy,
        nodeSelector,
        diskSelector,
        migratable,
        migrationNodeID,
        qos,
        cloneSource,
        snapshotMaxCount,
        replicaSoftAntiAffinity,
        replicaZoneSoftAntiAffinity,
        replicaDiskSoftAntiAffinity,
        replicaAutoBalance,
        staleReplicaTimeout,
        witness,
        flushedOnly,
        rebuildBytesPerSecond,
        salvage,
        null,
        null,
        null,
        false);
  }

  /** A volume that cannot move while it is in use. */
  public VolumeSpec(
      Quantity size,
      Integer numberOfReplicas,
      String dataEngine,
      String frontend,
      AccessMode accessMode,
      DataLocality dataLocality,
      String nodeID,
      boolean disableFrontend,
      String lastAttachedBy,
      List<String> nodeSelector,
      List<String> diskSelector) {
    this(
        size,
        numberOfReplicas,
        dataEngine,
        frontend,
        accessMode,
        dataLocality,
        nodeID,
        disableFrontend,
        lastAttachedBy,
        nodeSelector,
        diskSelector,
        false,
        null,
        null,
        Optional.empty(),
        null,
        null,
        null,
        null,
        null,
        null,
        false,
        false,
        null,
        null);
  }

  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1L << 20;
  private static final int MOST_REPLICAS = 20;
  private static final int LONGEST_NAME = 63;
  private static final int FEWEST_SNAPSHOTS = 2;
  private static final int MOST_SNAPSHOTS = 250;
  private static final int STALE_AFTER_MINUTES = 2880;
  private static final int WITNESSED_REPLICAS = 2;

  List<FieldError> validate(ObjectMeta metadata) {
    return salvage
        .checked(new Checks(), "spec.salvage")
        .that(
            staleReplicaTimeout >= 1,
            "spec.staleReplicaTimeout",
            staleReplicaTimeout,
            "must be at least 1 (minute)")
        .that(
            !witness || numberOfReplicas == WITNESSED_REPLICAS,
            "spec.numberOfReplicas",
            numberOfReplicas,
            "must be " + WITNESSED_REPLICAS + " when spec.witness is true")
        .that(
            metadata.name().length() <= LONGEST_NAME || !Checks.isName(metadata.name()),
            "metadata.name",
            metadata.name(),
            "must be at most " + LONGEST_NAME + " characters, because it is also a label")
        .that(
            size.bytes() >= SMALLEST && size.bytes() % BLOCK == 0,
            "spec.size",
            size.shortest(),
            "must be a multiple of 4Ki and at least 1Mi" + nextSize())
        .that(
            numberOfReplicas >= 1 && numberOfReplicas <= MOST_REPLICAS,
            "spec.numberOfReplicas",
            numberOfReplicas,
            "must be between 1 and " + MOST_REPLICAS)
        .that(
            dataLocality != DataLocality.STRICT_LOCAL || numberOfReplicas == 1,
            "spec.numberOfReplicas",
            numberOfReplicas,
            "must be 1 when spec.dataLocality is strict-local")
        .that(
            dataLocality != DataLocality.STRICT_LOCAL || cloneSource.isEmpty(),
            "spec.dataLocality",
            dataLocality,
            "must not be strict-local with spec.cloneSource, because the copy is made where its"
                + " source is attached")
        .name(dataEngine, "spec.dataEngine")
        .name(frontend, "spec.frontend")
        .optionalName(nodeID, "spec.nodeID")
        .that(
            !migratable || accessMode == AccessMode.READ_WRITE_MANY,
            "spec.migratable",
            migratable,
            "must be false unless spec.accessMode is rwx")
        .optionalName(migrationNodeID, "spec.migrationNodeID")
        .that(
            migrationNodeID.isEmpty() || !migrationNodeID.equals(nodeID),
            "spec.migrationNodeID",
            migrationNodeID,
            "must be another node than spec.nodeID")
        .that(
            snapshotMaxCount >= FEWEST_SNAPSHOTS && snapshotMaxCount <= MOST_SNAPSHOTS,
            "spec.snapshotMaxCount",
            snapshotMaxCount,
            "must be between " + FEWEST_SNAPSHOTS + " and " + MOST_SNAPSHOTS)
        .all(qos.validate("spec.qos"))
        .all(cloneSource.map(s -> s.validate(metadata, "spec.cloneSource")).orElse(List.of()))
        .errors();
  }

  private String nextSize() {
    boolean isNear = size.bytes() >= SMALLEST && size.bytes() <= Long.MAX_VALUE - BLOCK;
    return isNear ? "; the next one is " + size.roundedUp(BLOCK) : "";
  }

  /**
   * Checks a change.
   *
   * @param achieved the size that the device has, zero while it is not known: an expansion can be
   *     taken back while the device does not have the new size
   */
  List<FieldError> validateChange(VolumeSpec earlier, Quantity achieved) {
    boolean takenBack = achieved.bytes() > 0 && size.compareTo(achieved) >= 0;
    return new Checks()
        .that(
            size.compareTo(earlier.size) >= 0 || takenBack,
            "spec.size",
            size,
            "must not be smaller than the present "
                + (achieved.bytes() > 0 && achieved.compareTo(earlier.size) < 0
                    ? achieved
                    : earlier.size))
        .immutable(earlier.witness, witness, "spec.witness")
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .immutable(earlier.accessMode, accessMode, "spec.accessMode")
        .immutable(earlier.cloneSource, cloneSource, "spec.cloneSource")
        .immutable(earlier.migratable, migratable, "spec.migratable")
        .errors();
  }
}
