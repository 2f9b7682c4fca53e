package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The content of a volume at a point in time.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Snapshot(ObjectMeta metadata, SnapshotSpec spec, SnapshotStatus status)
    implements Resource<Snapshot> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Snapshot> KIND =
      new ResourceKind<>(
          "Snapshot",
          "snapshots",
          List.of("hfs"),
          Snapshot.class,
          "The content of a volume at a point in time.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volume", "The volume."),
              ResourceKind.Column.of(
                  "Ready", "boolean", ".status.readyToUse", "Whether it can be read."),
              ResourceKind.Column.of(
                  "Size", "string", ".status.size", "Bytes that it occupies on each disk."),
              ResourceKind.Column.wide(
                  "Name in volume", "string", ".spec.snapshotName", "The name in the volume."),
              ResourceKind.Column.wide(
                  "Parent", "string", ".status.parent", "The snapshot below it."),
              ResourceKind.Column.wide(
                  "Error", "string", ".status.error", "Cause why it cannot be used.")));

  private static final int LONGEST_PLAIN = 240;

  /** Finalizer that keeps the resource until the engine has removed the snapshot. */
  public static final String FINALIZER = "holdfast.dev/snapshot-data";

  /** Label of a snapshot that is one of a group: the group's id. */
  public static final String GROUP_LABEL = "holdfast.dev/snapshot-group";

  /** Annotation with the volumes of the group, separated by commas. */
  public static final String GROUP_VOLUMES_ANNOTATION = "holdfast.dev/snapshot-group-volumes";

  /**
   * Label of a snapshot that is taken to copy a volume: the copy's name. Lists for users omit such
   * snapshots.
   */
  public static final String COPY_LABEL = "holdfast.dev/clone";

  /** Label of a snapshot that is taken to copy a volume: the copy's uid. */
  public static final String COPY_UID_LABEL = "holdfast.dev/clone-uid";

  /**
   * Label that an engine keeps with a snapshot: the uid of the Snapshot resource for which it was
   * taken. A later snapshot of the same name has another uid.
   *
   * @since 1.1
   */
  public static final String UID_LABEL = "holdfast.dev/uid";

  /**
   * Annotation of a requested snapshot: the creation time to store instead of the actual time. An
   * import sets it; for example {@code 2026-11-20T23:22:57Z}.
   *
   * @since 1.1
   */
  public static final String CREATED_ANNOTATION = "holdfast.dev/created";

  /**
   * Label of a snapshot that keeps the content of a standby volume: the volume's name.
   *
   * @since 1.1
   */
  public static final String STANDBY_LABEL = "holdfast.dev/standby";

  /**
   * Finalizer that keeps the target snapshot of a standby volume's revert until the revert is
   * complete.
   *
   * @since 1.1
   */
  public static final String STANDBY_FINALIZER = "holdfast.dev/standby-revert";

  /**
   * Begin of the annotations by which clients that copy an exported snapshot show that they are
   * alive. The rest is an id of the client, and the value changes with each renewal. When a client
   * stops renewing, its annotation is removed, and the export ends with the last of them.
   *
   * @since 1.1
   */
  public static final String EXPORT_CLIENT_PREFIX = "holdfast.dev/export-client-";

  /**
   * Annotation of a snapshot that a client took in order to export it. The snapshot is deleted when
   * its last client stops renewing.
   *
   * @since 1.1
   */
  public static final String TAKEN_FOR_EXPORT_ANNOTATION = "holdfast.dev/taken-for-export";

  /** Label of a snapshot that is taken before a revert: the snapshot that the volume reverts to. */
  public static final String BEFORE_REVERT_LABEL = "holdfast.dev/before-revert-to";

  /** Replaces null components by empty values. */
  public Snapshot {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SnapshotSpec.EMPTY);
    status = Defaults.or(status, SnapshotStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Snapshot of(String name, SnapshotSpec spec) {
    return new Snapshot(ObjectMeta.named(name), spec, SnapshotStatus.EMPTY);
  }

  @Override
  public ResourceKind<Snapshot> resourceKind() {
    return KIND;
  }

  @Override
  public Snapshot withMetadata(ObjectMeta newMetadata) {
    return new Snapshot(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Snapshot withSpec(SnapshotSpec newSpec) {
    return new Snapshot(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Snapshot withStatus(SnapshotStatus newStatus) {
    return new Snapshot(metadata, spec, newStatus);
  }

  /**
   * Returns the name of the resource that describes a snapshot of a volume. It consists of both
   * names. Names that are invalid in a resource name are truncated and receive a hash.
   *
   * @param volume name of the volume, not null
   * @param snapshot name of the snapshot in the volume, not null
   */
  public static String nameFor(String volume, String snapshot) {
    String plain = volume + "." + snapshot;
    String name = plain.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
    if (name.equals(plain) && Checks.isName(name)) {
      return name;
    }
    String cut = name.substring(0, Math.min(name.length(), LONGEST_PLAIN));
    String start = cut.replaceAll("[^a-z0-9]+$", "").replaceAll("[^a-z0-9]*\\.[^a-z0-9]*", ".");
    return start + String.format("-%08x", plain.hashCode());
  }

  /** Returns the name of the snapshot in the volume, never empty. */
  public String nameInVolume() {
    return spec.snapshotName().isEmpty() ? name() : spec.snapshotName();
  }

  /** Returns whether an engine has received, or may have received, the request for the snapshot. */
  public boolean isRequested() {
    return metadata.hasFinalizer(FINALIZER);
  }

  /**
   * Returns whether the snapshot needs an engine of its volume, so that the volume must be
   * attached, with or without a frontend.
   *
   * <p>A snapshot needs an engine for its creation, export, comparison and deletion. The deletion
   * needs no engine if no engine received a request for the snapshot, or if its data stays ({@link
   * #hasKeptData}). While a copy or a standby volume needs a snapshot, its deletion waits without
   * an engine. A failed or lost snapshot can only be deleted. If the volume is being deleted, its
   * snapshots need no engine. A revert is not considered, because it needs a volume without a
   * frontend.
   *
   * @param volume present state of its volume, not null
   */
  public boolean needsEngine(Volume volume) {
    if (volume.isBeingDeleted()) {
      return false;
    }
    if (isBeingDeleted()) {
      return isRequested() && !isNeeded() && !hasKeptData();
    }
    if (!status.error().isEmpty()) {
      return false;
    }
    boolean toBeTaken = spec.createSnapshot() && status.creationTime().isEmpty();
    return toBeTaken
        || spec.exported()
        || status.scrub().isPending(spec.scrubRequest())
        || isAskedForChanges();
  }

  /**
   * Returns whether the snapshot is removed but its data remains. This is so below the live content
   * until the next snapshot, below several children until only one is left, and while another
   * volume shares the data.
   *
   * @since 1.1
   */
  public boolean hasKeptData() {
    return status.markRemoved()
        && (status.dataShared()
            || status.children().size() > 1
            || status.children().contains(SnapshotStatus.HEAD));
  }

  /**
   * Returns whether a copy or a standby volume needs the snapshot, so that its deletion must wait.
   *
   * @since 1.1
   */
  public boolean isNeeded() {
    return metadata.hasFinalizer(CloneSource.NEEDED_FINALIZER)
        || metadata.hasFinalizer(STANDBY_FINALIZER);
  }

  /**
   * Returns the annotations of the clients that copy this snapshot while it is exported, with their
   * values; never null.
   *
   * @since 1.1
   */
  public Map<String, String> exportClients() {
    return metadata.annotations().entrySet().stream()
        .filter(annotation -> annotation.getKey().startsWith(EXPORT_CLIENT_PREFIX))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * Returns this snapshot after clients ended; without another client it is not exported any more.
   * A snapshot that none of these clients exported is returned as it is.
   *
   * @param clients their annotations, not null
   * @since 1.1
   */
  public Snapshot withoutExportClients(Set<String> clients) {
    Map<String, String> annotations = new LinkedHashMap<>(metadata.annotations());
    if (!annotations.keySet().removeAll(clients)) {
      return this;
    }
    Snapshot left = withMetadata(metadata.withAnnotations(annotations));
    return left.exportClients().isEmpty() ? left.withSpec(spec.withExported(false)) : left;
  }

  /** Returns whether a request for changed ranges has no answer yet. */
  public boolean isAskedForChanges() {
    String asked = spec.changes().id();
    return !asked.isEmpty() && !asked.equals(status.changes().requestID());
  }

  @Override
  public Snapshot withSpecOf(Snapshot other) {
    return withSpec(other.spec());
  }

  @Override
  public Snapshot withStatusOf(Snapshot other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(Snapshot earlier) {
    return spec.validateChange(earlier.spec());
  }
}
