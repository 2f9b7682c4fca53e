package dev.holdfast.backup.internal.system;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The kinds whose resources are in a system backup, in the order in which they are restored. Kinds
 * that are unknown to this version are saved too.
 */
final class SavedKinds {
  /** Kind of shares, which have the names of their volumes. */
  static final String SHARE = "ShareManager";

  /** All other kinds follow in the order of their names. */
  private static final List<String> ORDER =
      List.of(
          "Setting",
          "AccessRole",
          "AccessBinding",
          "BackupTarget",
          "RecurringJob",
          "BackingImage",
          "Volume",
          SHARE,
          "BlockClient",
          "StorageClass",
          "PersistentVolume",
          "PersistentVolumeClaim");

  /** Kinds of Kubernetes, which no bundle defines. */
  private static final Set<String> OF_WORKLOADS =
      Set.of("StorageClass", "PersistentVolume", "PersistentVolumeClaim");

  /**
   * Resources of runtime state, which the controllers create; caches of targets; and verifiers of
   * secrets. Nodes register themselves, and a snapshot is useless without its disks.
   */
  private static final Set<String> OMITTED =
      Set.of(
          "Lease",
          "Event",
          "Node",
          "Engine",
          "Replica",
          "EngineRecord",
          "VolumeAttachment",
          "Snapshot",
          "BackingImageDataSource",
          "BackingImageManager",
          "Backup",
          "BackupBackingImage",
          "BackupVolume",
          "SystemBackup",
          "SystemRestore",
          "AccessToken");

  private SavedKinds() {}

  /** Returns the kinds that are saved, in the order of their restore. */
  static List<ResourceKind<?>> of(KindCatalogue catalogue) {
    return catalogue.kinds().stream()
        .filter(kind -> isSaved(kind.kind()))
        .sorted(Comparator.comparing(ResourceKind::kind, BY_ORDER))
        .toList();
  }

  /** The order in which kinds are restored, by their names. */
  static final Comparator<String> BY_ORDER =
      Comparator.comparingInt(SavedKinds::rank).thenComparing(Comparator.naturalOrder());

  private static int rank(String kind) {
    int rank = ORDER.indexOf(kind);
    return rank < 0 ? ORDER.size() : rank;
  }

  /** Returns whether a kind belongs to the orchestrator. */
  static boolean isOfWorkloads(String kind) {
    return OF_WORKLOADS.contains(kind);
  }

  /** Returns whether resources of a kind are saved, and restored from an archive. */
  static boolean isSaved(String kind) {
    return !OMITTED.contains(kind);
  }
}
