package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.restore.RestoreDamaged;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.restore.StandbyActivation;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wanted state of a volume. The fields have the names that Longhorn uses.
 *
 * @param size of the device: a multiple of 4 KiB, at least 1 MiB; may grow, never shrink
 * @param numberOfReplicas number of replicas wanted, 1 to 20
 * @param dataEngine name of the engine that keeps the bytes; never changes
 * @param frontend name of the frontend by which hosts reach the volume
 * @param accessMode number of nodes that may use the volume at the same time
 * @param dataLocality whether a replica should be on the node that uses the volume
 * @param nodeID the wanted node of the volume; written by the attachment controller only
 * @param disableFrontend whether the volume is attached without a frontend; written by the
 *     attachment controller only
 * @param lastAttachedBy the ticket that last attached the volume; written by the attachment
 *     controller only
 * @param nodeSelector tags that a node must have to hold a replica
 * @param diskSelector tags that a disk must have to hold a replica
 * @param migratable whether the volume may move to another node during use, with accessMode rwx;
 *     never changes
 * @param migrationNodeID the node to which the volume moves during use; written by the attachment
 *     controller only
 * @param qos limits for the requests of clients
 * @param cloneSource source of the first content; never changes
 * @param snapshotMaxCount largest number of snapshots, including those of the system, 2 to 250
 * @param replicaSoftAntiAffinity whether two replicas may be on one node; overrides the setting
 *     replica-soft-anti-affinity
 * @param replicaZoneSoftAntiAffinity whether two replicas may be in one zone; overrides the setting
 *     replica-zone-soft-anti-affinity
 * @param replicaDiskSoftAntiAffinity whether two replicas may be on one disk; overrides the setting
 *     replica-disk-soft-anti-affinity
 * @param replicaAutoBalance whether the volume controller moves replicas to better places
 * @param staleReplicaTimeout minutes after which a failed replica is deleted while another one is
 *     healthy, at least 1
 * @param witness whether a third node keeps a witness, so that the volume stays available with one
 *     of two replicas and the witness; never changes
 * @param flushedOnly whether a part of the members suffices to open the volume after a power
 *     failure; acknowledged writes that were not flushed may be lost
 * @param rebuildBytesPerSecond the copy rate limit of a rebuild; 0 to use the setting
 *     replica-rebuild-bytes-per-second; may change at any time
 * @param salvage replicas whose content an administrator declares valid when the volume cannot be
 *     opened otherwise; the system clears it after it was applied
 * @param unmapMarkSnapChainRemoved whether a trim removes the snapshots that prevent it from
 *     reclaiming space; overrides the setting remove-snapshots-during-filesystem-trim; may change
 *     at any time
 * @param freezeFilesystemForSnapshot whether the mounted filesystem is frozen while a snapshot is
 *     taken; overrides the setting freeze-filesystem-for-snapshot; may change at any time
 * @param cloneMode whether a clone may share the content of its source; has no effect after
 *     status.cloneStatus.method is decided
 * @param deleteWhenDetached whether the volume is deleted with its data after its detachment, when
 *     workloads do not use it; may be reset until then
 * @param engineOptions values of options that the engine declares, by name; the default applies to
 *     an option without a value. The system rejects names and values that the engine does not
 *     declare
 * @param backingImage name of the backing image below the volume; empty for none. Never changes,
 *     except that the system sets it for a copy that shares the content of its source, and for a
 *     volume that is restored
 * @param fromBackup address of the backup that is the first content, with the parameters backup and
 *     volume; empty for none; never changes
 * @param restoreMode whether clients may use a volume while it is restored from a backup; never
 *     changes
 * @param restoreDamaged treatment of damaged blocks of the backup during a restore; may change at
 *     any time
 * @param restoreFlattened whether a restored volume receives its own copy of the content of the
 *     image below the backup, and uses no image; never changes
 * @param backupTargetName name of the target of the volume's backups, if neither a request nor a
 *     snapshot class names one; empty for the target of the recurring job, or the target default;
 *     may change at any time
 * @param servingNodeIDs further nodes that serve the volume while it is attached; written by the
 *     system
 * @param activeNodeID the node that uses the disk of the volume for all nodes while it is attached,
 *     for engines with the capability PLACEMENT; empty to leave it to the engine; may change at any
 *     time
 * @param standby whether the volume follows the later backups of the volume in fromBackup,
 *     inaccessible to clients; reset to activate it; never becomes true again
 * @param standbyActivation treatment of a partly applied backup at an activation; may change at any
 *     time
 * @param deletionGrace time for which the content is kept after the deletion of the volume, from 0s
 *     to 30d; empty to use the setting deletion-grace; may change at any time
 * @param trimRequest request id; a new id makes the mounted filesystem report its unused blocks to
 *     the volume; executed while the volume is attached
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
    boolean deleteWhenDetached,
    Map<String, String> engineOptions,
    String backingImage,
    String fromBackup,
    RestoreMode restoreMode,
    RestoreDamaged restoreDamaged,
    boolean restoreFlattened,
    String backupTargetName,
    List<String> servingNodeIDs,
    String activeNodeID,
    boolean standby,
    StandbyActivation standbyActivation,
    String deletionGrace,
    String trimRequest)
    implements VolumeSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final VolumeSpec EMPTY = VolumeSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
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
    engineOptions = Defaults.map(engineOptions);
    backingImage = Defaults.text(backingImage);
    fromBackup = Defaults.text(fromBackup);
    restoreMode = Defaults.or(restoreMode, RestoreMode.WHOLE);
    restoreDamaged = Defaults.or(restoreDamaged, RestoreDamaged.FAIL);
    backupTargetName = Defaults.text(backupTargetName);
    servingNodeIDs = Defaults.list(servingNodeIDs);
    activeNodeID = Defaults.text(activeNodeID);
    standbyActivation = Defaults.or(standbyActivation, StandbyActivation.COMPLETE_OR_REVERT);
    deletionGrace = Defaults.text(deletionGrace);
    trimRequest = Defaults.text(trimRequest);
  }

  private static final int LONGEST_REQUEST = 253;
  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1L << 20;
  private static final int MOST_REPLICAS = 20;
  private static final int LONGEST_NAME = 63;
  private static final int LONGEST_ADDRESS = 2048;
  private static final int FEWEST_SNAPSHOTS = 2;
  private static final int MOST_SNAPSHOTS = 250;
  private static final int STALE_AFTER_MINUTES = 2880;
  private static final int WITNESSED_REPLICAS = 2;

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks = salvage.checked(new Checks(), "spec.salvage");
    checkSizes(checks, metadata);
    checkReplicas(checks);
    checkContent(checks);
    checkNodes(checks);
    return checks
        .all(qos.validate("spec.qos"))
        .all(cloneSource.map(s -> s.validate(metadata, "spec.cloneSource")).orElse(List.of()))
        .errors();
  }

  private void checkReplicas(Checks checks) {
    checks
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
                + " source is attached");
  }

  private void checkSizes(Checks checks, ObjectMeta metadata) {
    checks
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
            snapshotMaxCount >= FEWEST_SNAPSHOTS && snapshotMaxCount <= MOST_SNAPSHOTS,
            "spec.snapshotMaxCount",
            snapshotMaxCount,
            "must be between " + FEWEST_SNAPSHOTS + " and " + MOST_SNAPSHOTS)
        .that(
            deletionGrace.isEmpty() || DeletionGrace.isValid(deletionGrace),
            "spec.deletionGrace",
            deletionGrace,
            "must be empty or " + DeletionGrace.FORM)
        .that(
            trimRequest.length() <= LONGEST_REQUEST,
            "spec.trimRequest",
            trimRequest,
            "must be at most " + LONGEST_REQUEST + " characters");
  }

  private void checkContent(Checks checks) {
    checks
        .name(dataEngine, "spec.dataEngine")
        .name(frontend, "spec.frontend")
        .optionalName(backingImage, "spec.backingImage")
        .that(
            fromBackup.isEmpty() || cloneSource.isEmpty(),
            "spec.fromBackup",
            fromBackup,
            "must be empty with spec.cloneSource, because the content comes from there")
        .that(
            fromBackup.isEmpty() || isBackupAddress(fromBackup),
            "spec.fromBackup",
            fromBackup,
            "must be the address of a backup, for example"
                + " file:///backups?backup=NAME&volume=NAME, with at most 2048 characters")
        .that(
            restoreMode == RestoreMode.WHOLE || !fromBackup.isEmpty(),
            "spec.restoreMode",
            restoreMode,
            "must be whole without spec.fromBackup")
        .that(
            !restoreFlattened || (!fromBackup.isEmpty() && backingImage.isEmpty()),
            "spec.restoreFlattened",
            restoreFlattened,
            "must be false without spec.fromBackup, and with spec.backingImage")
        .that(
            !standby || followsWholeBackups(),
            "spec.standby",
            standby,
            "must be false without spec.fromBackup, with spec.restoreMode lazy, with"
                + " spec.restoreDamaged zero, with spec.restoreFlattened and with"
                + " spec.backingImage")
        .optionalName(backupTargetName, "spec.backupTargetName");
  }

  private void checkNodes(Checks checks) {
    checks
        .optionalName(nodeID, "spec.nodeID")
        .optionalName(activeNodeID, "spec.activeNodeID")
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
            !servingNodeIDs.contains(nodeID) && !servingNodeIDs.contains(migrationNodeID),
            "spec.servingNodeIDs",
            servingNodeIDs,
            "must contain neither spec.nodeID nor spec.migrationNodeID");
  }

  private boolean followsWholeBackups() {
    return !fromBackup.isEmpty()
        && restoreMode == RestoreMode.WHOLE
        && restoreDamaged == RestoreDamaged.FAIL
        && !restoreFlattened
        && backingImage.isEmpty();
  }

  private static boolean isBackupAddress(String text) {
    int query = text.indexOf('?');
    return text.length() <= LONGEST_ADDRESS
        && query > 0
        && text.substring(0, query).matches("[a-z][a-z0-9+.-]*://[^\\p{Cntrl} ]*")
        && text.substring(query).matches("(.*[?&])backup=[^&]+.*")
        && text.substring(query).matches("(.*[?&])volume=[^&]+.*");
  }

  private String nextSize() {
    boolean isNear = size.bytes() >= SMALLEST && size.bytes() <= Long.MAX_VALUE - BLOCK;
    return isNear ? "; the next one is " + size.roundedUp(BLOCK) : "";
  }

  /**
   * Validates a change.
   *
   * @param achieved the size of the device, zero while unknown; an expansion can be reverted until
   *     the device has the new size
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
        .immutable(earlier.fromBackup, fromBackup, "spec.fromBackup")
        .immutable(earlier.restoreMode, restoreMode, "spec.restoreMode")
        .immutable(earlier.restoreFlattened, restoreFlattened, "spec.restoreFlattened")
        .that(
            earlier.standby || !standby,
            "spec.standby",
            standby,
            "must stay false: create another volume from a backup to follow later ones")
        .immutable(earlier.migratable, migratable, "spec.migratable")
        .errors();
  }
}
