package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageManagerSpec;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecordSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeQos;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.util.List;
import java.util.Map;

/**
 * The checks of the records as schema rules, so that the API server rejects the same input from
 * kubectl as the model. A test shows for each rule that both reject it. Rules that a schema cannot
 * express with bounded cost, or without a default, remain in the model: that a node's disks have
 * different paths, and that only a directory is created.
 */
final class FieldRules {
  private static final String NAME =
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
  private static final String OPTIONAL_NAME = "^(" + NAME.substring(1, NAME.length() - 1) + ")?$";
  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_TEXT = 4096;
  private static final int MOST_TICKETS = 4096;

  /** Base64 length of the largest record. */
  private static final int LONGEST_RECORD = (StoredEngineRecordSpec.LARGEST_VALUE + 2) / 3 * 4;

  private FieldRules() {}

  /**
   * A rule across fields.
   *
   * @param expression CEL expression
   * @param message message for the client that violates the rule
   * @param field field to name, as a path below the rule's place; empty for the place itself
   */
  record Rule(String expression, String message, String field) {}

  private static Map<String, Object> between(long minimum, long maximum) {
    return Map.of("minimum", minimum, "maximum", maximum);
  }

  private static Map<String, Object> atLeast(long minimum) {
    return Map.of("minimum", minimum);
  }

  private static Map<String, Object> name() {
    return Map.of("pattern", NAME, "maxLength", LONGEST_NAME, "minLength", 1);
  }

  private static Map<String, Object> optionalName() {
    return Map.of("pattern", OPTIONAL_NAME, "maxLength", LONGEST_NAME);
  }

  private static Map<String, Object> given() {
    return Map.of("minLength", 1, "maxLength", LONGEST_TEXT);
  }

  private static Map<String, Object> longest(int characters) {
    return Map.of("maxLength", characters);
  }

  private static final Map<Class<?>, Map<String, Map<String, Object>>> BOUNDS =
      Map.ofEntries(
          Map.entry(
              VolumeSpec.class,
              Map.of(
                  "numberOfReplicas", between(1, 20),
                  "snapshotMaxCount", between(2, 250),
                  "staleReplicaTimeout", atLeast(1),
                  "dataEngine", name(),
                  "frontend", name(),
                  "nodeID", optionalName(),
                  "migrationNodeID", optionalName(),
                  "deletionGrace",
                      Map.of("pattern", "^(" + DeletionGrace.PATTERN + ")?$", "maxLength", 8))),
          Map.entry(DeletedVolumeSpec.class, Map.of("volumeUID", given())),
          Map.entry(
              VolumeQos.class,
              Map.of(
                  "iops", atLeast(0),
                  "readIops", atLeast(0),
                  "writeIops", atLeast(0),
                  "burstSeconds", between(1, 3600))),
          Map.entry(CloneSource.class, Map.of("volume", name())),
          Map.entry(
              EngineSpec.class,
              Map.of("volume", name(), "rebuildReplica", optionalName(), "nodeID", longest(253))),
          Map.entry(
              ReplicaSpec.class,
              Map.of(
                  "volume", name(),
                  "dataDirectoryName", name(),
                  "rebuildRetryCount", atLeast(0))),
          Map.entry(
              SnapshotSpec.class,
              Map.of(
                  "volume", name(), "revertRequest", longest(253), "scrubRequest", longest(253))),
          Map.entry(ChangesRequest.class, Map.of("id", longest(253), "offset", atLeast(0))),
          Map.entry(
              AttachmentTicket.class,
              Map.of("type", Map.of("minLength", 1), "nodeID", optionalName())),
          Map.entry(DiskSpec.class, Map.of("path", Map.of("pattern", "^/"))),
          Map.entry(EventSpec.class, Map.of("reason", Map.of("minLength", 1))),
          Map.entry(SettingSpec.class, Map.of("value", longest(LONGEST_TEXT))),
          Map.entry(
              ShareManagerSpec.class,
              Map.of(
                  "volume", name(),
                  "protocol", name(),
                  "address", Map.of("pattern", "^([0-9a-fA-F.:]+/[0-9]{1,3}%[^\\s/%]{1,15})?$"),
                  "port", between(0, 65_535),
                  "leaseSeconds", between(5, 120),
                  "graceSeconds", between(5, 180),
                  "allowedClients", Map.of("maxItems", 256),
                  "keyFile", Map.of("pattern", "^(/.*)?$"),
                  "trimRequest", longest(253))),
          Map.entry(
              BackingImageSpec.class,
              Map.of(
                  "sourceType", name(),
                  "checksum", Map.of("pattern", "^([0-9a-f]{128})?$", "maxLength", 128),
                  "minNumberOfCopies", between(1, 20),
                  "dataEngine", name())),
          Map.entry(
              BackingImageDataSourceSpec.class, Map.of("uuid", given(), "sourceType", name())),
          Map.entry(
              BackingImageManagerSpec.class,
              Map.of("nodeID", name(), "diskUUID", given(), "diskPath", given())),
          Map.entry(
              AllowedClient.class,
              Map.of("address", Map.of("pattern", "^[0-9a-fA-F.:]+(/[0-9]{1,3})?$"))),
          Map.entry(ShareFilesystem.class, Map.of("type", Map.of("pattern", "^(ext4|xfs)$"))),
          Map.entry(
              StoredEngineRecordSpec.class,
              Map.of(
                  "engine",
                  longest(StoredEngineRecordSpec.LONGEST_ENGINE),
                  "name",
                  Map.of(
                      "pattern",
                      NAME,
                      "maxLength",
                      StoredEngineRecordSpec.LONGEST_NAME,
                      "minLength",
                      1),
                  "version",
                  atLeast(1),
                  "writer",
                  Map.of("minLength", 1, "maxLength", StoredEngineRecordSpec.LONGEST_WRITER),
                  "value",
                  longest(LONGEST_RECORD))));

  private static final Map<Class<?>, List<String>> REQUIRED =
      Map.ofEntries(
          Map.entry(VolumeSpec.class, List.of("size")),
          Map.entry(CloneSource.class, List.of("volume")),
          Map.entry(
              DeletedVolumeSpec.class, List.of("volumeUID", "volumeSpec", "deletedAt", "purgeAt")),
          Map.entry(EngineSpec.class, List.of("volume")),
          Map.entry(ReplicaSpec.class, List.of("volume", "dataDirectoryName")),
          Map.entry(SnapshotSpec.class, List.of("volume")),
          Map.entry(VolumeAttachmentSpec.class, List.of("volume")),
          Map.entry(AttachmentTicket.class, List.of("id", "type")),
          Map.entry(DiskSpec.class, List.of("path")),
          Map.entry(EventSpec.class, List.of("reason")),
          Map.entry(ShareManagerSpec.class, List.of("volume")),
          Map.entry(BackingImageSpec.class, List.of("sourceType")),
          Map.entry(BackingImageDataSourceSpec.class, List.of("uuid", "sourceType")),
          Map.entry(BackingImageManagerSpec.class, List.of("nodeID", "diskUUID", "diskPath")),
          Map.entry(AllowedClient.class, List.of("address")),
          Map.entry(StoredEngineRecordSpec.class, List.of("engine", "name", "version", "writer")));

  /** Bounds of one field, as keywords of its schema. */
  static Map<String, Object> bounds(Class<?> owner, String field) {
    return BOUNDS.getOrDefault(owner, Map.of()).getOrDefault(field, Map.of());
  }

  /** Required fields of an object. */
  static List<String> required(Class<?> owner) {
    return REQUIRED.getOrDefault(owner, List.of());
  }

  /** Returns the maximum number of a map's entries, which bounds the cost of rules over them. */
  static Map<String, Object> mapBounds(Class<?> owner) {
    return owner == VolumeAttachmentSpec.class ? Map.of("maxProperties", MOST_TICKETS) : Map.of();
  }

  private static Rule immutable(String field) {
    return new Rule("self." + field + " == oldSelf." + field, field + " may not be changed", field);
  }

  private static Rule immutableOptional(String field) {
    return new Rule(
        "has(self.%1$s) == has(oldSelf.%1$s) && (!has(self.%1$s) || self.%1$s == oldSelf.%1$s)"
            .formatted(field),
        field + " may not be changed",
        "");
  }

  private static String bytes(String path) {
    return "quantity(string(" + path + ")).asInteger()";
  }

  private static final Map<Class<?>, List<Rule>> RULES =
      Map.ofEntries(
          Map.entry(
              VolumeSpec.class,
              List.of(
                  new Rule(
                      bytes("self.size") + " >= 1048576 && " + bytes("self.size") + " % 4096 == 0",
                      "must be a multiple of 4Ki and at least 1Mi",
                      "size"),
                  new Rule(
                      "!self.witness || self.numberOfReplicas == 2",
                      "must be 2 when witness is true",
                      "numberOfReplicas"),
                  new Rule(
                      "self.dataLocality != 'strict-local' || self.numberOfReplicas == 1",
                      "must be 1 when dataLocality is strict-local",
                      "numberOfReplicas"),
                  new Rule(
                      "self.dataLocality != 'strict-local' || !has(self.cloneSource)",
                      "must not be strict-local with cloneSource, because the copy is made where its"
                          + " source is attached",
                      "dataLocality"),
                  new Rule(
                      "!self.migratable || self.accessMode == 'rwx'",
                      "must be false unless accessMode is rwx",
                      "migratable"),
                  new Rule(
                      "self.migrationNodeID == '' || self.migrationNodeID != self.nodeID",
                      "must be another node than nodeID",
                      "migrationNodeID"),
                  immutable("witness"),
                  immutable("dataEngine"),
                  immutable("accessMode"),
                  immutable("migratable"),
                  immutableOptional("cloneSource"))),
          Map.entry(
              DeletedVolumeSpec.class,
              List.of(
                  new Rule(
                      "self.purgeAt >= oldSelf.purgeAt",
                      "must not be earlier than before: delete the resource to remove the content"
                          + " earlier",
                      "purgeAt"),
                  immutable("volumeUID"),
                  immutable("deletedAt"))),
          Map.entry(
              SalvageRequest.class,
              List.of(
                  new Rule(
                      "(self.id == '') == (size(self.replicas) == 0)",
                      "must be set together with replicas",
                      "id"))),
          Map.entry(
              EngineSpec.class,
              List.of(
                  new Rule(
                      "self.desireState == 'stopped' || self.nodeID != ''",
                      "must be set when desireState is running",
                      "nodeID"),
                  immutable("volume"),
                  immutable("dataEngine"))),
          Map.entry(
              ReplicaSpec.class,
              List.of(
                  new Rule(
                      "(self.nodeID == '') == (self.diskID == '')"
                          + " && (self.diskID == '') == (self.diskPath == '')",
                      "must be set together with nodeID and diskPath",
                      "diskID"),
                  immutable("volume"),
                  immutable("dataEngine"),
                  immutable("dataDirectoryName"),
                  immutable("witness"),
                  new Rule(
                      "oldSelf.nodeID == '' || (self.nodeID == oldSelf.nodeID"
                          + " && self.diskID == oldSelf.diskID && self.diskPath == oldSelf.diskPath)",
                      "nodeID, diskID and diskPath may not be changed",
                      "nodeID"),
                  new Rule(
                      "self.nodeID == '' || self.diskUUID == ''",
                      "must be empty when nodeID is set, because a replica on a shared disk has no node",
                      "diskUUID"),
                  new Rule(
                      "oldSelf.diskUUID == '' || (self.diskUUID == oldSelf.diskUUID"
                          + " && self.nodeID == oldSelf.nodeID)",
                      "diskUUID may not be changed",
                      "diskUUID"))),
          Map.entry(
              SnapshotSpec.class,
              List.of(
                  new Rule(
                      "self.snapshotName == ''"
                          + " || self.snapshotName.matches('^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$')",
                      "must be at most 200 letters, digits, dots, dashes and underscores, starting with"
                          + " a letter or digit",
                      "snapshotName"),
                  immutable("volume"),
                  immutable("snapshotName"))),
          Map.entry(
              StoredEngineRecordSpec.class,
              List.of(
                  new Rule(
                      "self.engine.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
                      "must have lower-case letters, digits and '-'",
                      "engine"),
                  immutable("engine"),
                  immutable("name"),
                  new Rule(
                      "self == oldSelf || self.version == oldSelf.version + 1",
                      "must be one more than before, because each write counts",
                      "version"))),
          Map.entry(
              ShareManagerSpec.class,
              List.of(
                  new Rule(
                      "self.graceSeconds >= self.leaseSeconds",
                      "must be from leaseSeconds to 180",
                      "graceSeconds"),
                  immutable("volume"),
                  immutable("protocol"))),
          Map.entry(
              VolumeAttachmentSpec.class,
              List.of(
                  new Rule(
                      "self.attachmentTickets.all(k, self.attachmentTickets[k].id == k)",
                      "each id must be the ticket's key",
                      "attachmentTickets"),
                  immutable("volume"))),
          Map.entry(
              BackingImageSpec.class,
              List.of(immutable("sourceType"), immutable("checksum"), immutable("dataEngine"))),
          Map.entry(
              BackingImageDataSourceSpec.class,
              List.of(immutable("uuid"), immutable("sourceType"))),
          Map.entry(BackingImageManagerSpec.class, List.of(immutable("diskUUID"))));

  /** Rules across the fields of a record. */
  static List<Rule> rules(Class<?> owner) {
    return RULES.getOrDefault(owner, List.of());
  }

  private static final Map<ResourceKind<?>, List<Rule>> OF_WHOLE =
      Map.of(
          Volume.KIND,
          List.of(
              new Rule(
                  "size(self.metadata.name) <= 63",
                  "the name must be at most 63 characters, because it is also a label",
                  ""),
              new Rule(
                  "!has(self.spec.cloneSource)"
                      + " || self.spec.cloneSource.volume != self.metadata.name",
                  "must be another volume than this one",
                  "spec.cloneSource.volume"),
              new Rule(
                  "%1$s >= %2$s || (has(self.status) && has(self.status.currentSize) && %3$s > 0 && %1$s >= %3$s)"
                      .formatted(
                          bytes("self.spec.size"),
                          bytes("oldSelf.spec.size"),
                          bytes("self.status.currentSize")),
                  "must not be smaller than the present size",
                  "spec.size")),
          VolumeAttachment.KIND,
          List.of(
              new Rule(
                  "self.metadata.name == self.spec.volume",
                  "must be the name of this resource",
                  "spec.volume")),
          BackingImage.KIND,
          List.of(
              new Rule(
                  "size(self.metadata.name) <= 63",
                  "the name must be at most 63 characters, because folders are named by it",
                  "")),
          ShareManager.KIND,
          List.of(
              new Rule(
                  "self.metadata.name == self.spec.volume",
                  "must be the name of this resource",
                  "spec.volume")),
          Setting.KIND,
          SettingRules.all(),
          Snapshot.KIND,
          List.of(
              new Rule(
                  "self.spec.snapshotName != '' || size(self.metadata.name) <= 200",
                  "the name must be at most 200 characters, unless spec.snapshotName is set",
                  "")),
          StoredEngineRecord.KIND,
          List.of(
              new Rule(
                  "self.metadata.name == self.spec.engine + '.' + self.spec.name",
                  "must be spec.engine, a dot and spec.name",
                  "spec.name")),
          Engine.KIND,
          List.of(),
          Replica.KIND,
          List.of());

  /** Rules across metadata, spec and status of a kind. */
  static List<Rule> rules(ResourceKind<?> kind) {
    return OF_WHOLE.getOrDefault(kind, List.of());
  }

  /** Format of an amount of bytes. */
  static final String QUANTITY = "^[0-9]+(\\.[0-9]+)?([KMGTPE]i|[kMGTPE])?$";

  /** Longer than any amount that {@link Quantity} can hold. */
  static final int LONGEST_QUANTITY = 32;
}
