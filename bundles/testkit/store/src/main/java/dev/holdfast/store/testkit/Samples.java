package dev.holdfast.store.testkit;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessBindingSpec;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessRoleSpec;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.BlockClient;
import dev.holdfast.access.BlockClientSpec;
import dev.holdfast.access.ClientAccess;
import dev.holdfast.access.ClientCertificate;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.ObjectReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupBackingImageStatus;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.backup.BackupVolumeStatus;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RestoredKind;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.backup.SystemRestoreStatus;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageManagerSpec;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.DiskFileSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.MembershipRecord;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecordSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A valid resource of each kind, with values in most fields. */
final class Samples {
  private static final Instant SECOND = Instant.parse("2026-11-21T08:09:10Z");
  private static final Instant MICRO = Instant.parse("2026-11-21T08:09:10.123456Z");
  private static final Quantity SIZE = Quantity.parse("10Gi");
  private static final List<Condition> CONDITIONS =
      List.of(new Condition("Ready", Condition.Status.TRUE, "Up", "it is “up”\n", SECOND));

  static final Map<String, Resource<?>> BY_KIND =
      Stream.of(
              node(),
              Volume.of("v", VolumeSpec.EMPTY.withSize(SIZE).withNodeSelector(List.of("fast")))
                  .withStatus(VolumeStatus.EMPTY.withConditions(CONDITIONS)),
              engine(),
              replica(),
              VolumeAttachment.of(
                  "v",
                  new VolumeAttachmentSpec(
                      "v",
                      Map.of(
                          "api",
                          AttachmentTicket.EMPTY.withId("api").withType("api").withGeneration(3)))),
              Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v").withLabels(Map.of("a", "b"))),
              Setting.of("x", new SettingSpec("ä\"\\\n")),
              Event.of(
                  "e",
                  EventSpec.EMPTY
                      .withRegarding(new ObjectReference("Volume", "v", "u"))
                      .withReason("Attached")
                      .withFirstTimestamp(Optional.of(SECOND))),
              Lease.of("l", new LeaseSpec("node-1", 15, Optional.of(MICRO), Optional.of(MICRO), 2)),
              StoredEngineRecord.of(
                  new StoredEngineRecordSpec("pooled", "pool.lock", 1, "w-1", false, "bm9kZS0x")),
              DeletedVolume.of(
                      "v",
                      DeletedVolumeSpec.EMPTY
                          .withVolumeUID("u")
                          .withVolumeSpec(VolumeSpec.EMPTY.withSize(SIZE))
                          .withLabels(Map.of("app", "db"))
                          .withDeletedAt(Optional.of(SECOND))
                          .withPurgeAt(Optional.of(SECOND.plusSeconds(60))))
                  .withMetadata(ObjectMeta.named("v")),
              BackupTarget.of(
                  "default",
                  BackupTargetSpec.EMPTY
                      .withBackupTargetURL("file:///backups")
                      .withCompressionMethod("gzip")),
              BackupVolume.of("default", "vol")
                  .withStatus(
                      BackupVolumeStatus.EMPTY
                          .withSize(SIZE)
                          .withSyncedScan(3)
                          .withConditions(CONDITIONS)),
              Backup.of("b-1", BackupSpec.EMPTY.withVolume("vol").withLabels(Map.of("app", "db"))),
              BackupBackingImage.of("default", "debian")
                  .withStatus(
                      BackupBackingImageStatus.EMPTY
                          .withProgress(40)
                          .withLabels(Map.of("app", "db"))),
              RecurringJob.of(
                  "nightly",
                  RecurringJobSpec.EMPTY
                      .withTask("backup")
                      .withCron("0 3 * * *")
                      .withTimeZone("Europe/Berlin")
                      .withGroups(List.of("default"))
                      .withRetain(7)),
              SystemBackup.of(
                  "weekly",
                  SystemBackupSpec.EMPTY.withVolumeBackupPolicy(VolumeBackupPolicy.ALWAYS)),
              SystemRestore.of("again", SystemRestoreSpec.EMPTY.withSystemBackup("weekly"))
                  .withStatus(
                      SystemRestoreStatus.EMPTY.withKinds(
                          List.of(new RestoredKind("Volume", 1, 2, 3, 4)))),
              BackingImage.of(
                  "i",
                  BackingImageSpec.EMPTY
                      .withSourceType("download")
                      .withSourceParameters(Map.of("url", "https://images.example/i.qcow2"))
                      .withDiskFileSpecMap(Map.of("d-1", new DiskFileSpec(true)))),
              BackingImageDataSource.of(
                  "i", BackingImageDataSourceSpec.EMPTY.withUuid("u-1").withSourceType("upload")),
              BackingImageManager.of(
                  "node-1-12345678",
                  new BackingImageManagerSpec(
                      "node-1", "d-1", "/disks/disk-1", Map.of("i", "u-1"))),
              ShareManager.of(ShareManagerSpec.EMPTY.withVolume("v").withServe(true)),
              AccessToken.of(
                  "ci",
                  AccessTokenSpec.EMPTY
                      .withRole("operate")
                      .withSecretHash("0a".repeat(32))
                      .withExpiresAt(Optional.of(Instant.parse("2027-11-01T00:00:00Z")))),
              AccessRole.of(
                  "team",
                  AccessRoleSpec.EMPTY.withRules(
                      List.of(
                          new AccessRule(
                              List.of("get", "list"),
                              List.of("volumes"),
                              List.of("vm-*"),
                              Map.of("team", "a"),
                              List.of())))),
              AccessBinding.of(
                  "team-a", AccessBindingSpec.EMPTY.withRole("team").withUsers(List.of("alice"))),
              BlockClient.of(
                  "hv-07",
                  BlockClientSpec.EMPTY
                      .withVolumes(List.of("films", "vm-*"))
                      .withAccess(ClientAccess.READ_ONLY)
                      .withInitiators(List.of("iqn.1993-08.org.debian:01:abc"))
                      .withCertificates(
                          List.of(
                              new ClientCertificate(
                                  "0b".repeat(32),
                                  Optional.of(Instant.parse("2027-11-01T00:00:00Z")))))))
          .collect(Collectors.toUnmodifiableMap(r -> r.resourceKind().kind(), Function.identity()));

  private Samples() {}

  private static Node node() {
    DiskSpec disk = DiskSpec.EMPTY.withPath("/disks/disk-1").withTags(List.of("ssd"));
    Node node =
        Node.of("node-1", new NodeSpec(true, List.of("fast"), Map.of("disk-1", disk), false));
    return node.withStatus(node.status().withConditions(CONDITIONS).withPorts(Map.of("nbd", 1)));
  }

  private static Engine engine() {
    EngineSpec spec =
        EngineSpec.EMPTY
            .withVolume("v")
            .withSize(SIZE)
            .withNodeID("node-1")
            .withDesireState(DesireState.RUNNING);
    return Engine.of("v-e-0", spec)
        .withStatus(
            EngineStatus.EMPTY
                .withReplicaModeMap(Map.of("v-r-1", ReplicaMode.RW, "v-r-2", ReplicaMode.ERR))
                .withMembership(
                    MembershipRecord.EMPTY
                        .withGeneration(5)
                        .withOwner("node-1")
                        .withEpochGeneration(4)
                        .withEpochNumber(2)
                        .withMembers(List.of("v-r-1", "v-r-2"))));
  }

  private static Replica replica() {
    return Replica.of(
        "v-r-1",
        ReplicaSpec.EMPTY
            .withVolume("v")
            .withSize(SIZE)
            .withDataDirectoryName("v-12345678")
            .withNodeID("node-1")
            .withDiskID("disk-1")
            .withDiskPath("/disks/disk-1")
            .withFailedAt(Optional.of(SECOND)));
  }
}
