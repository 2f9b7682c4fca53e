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
 * @param spec what is wanted
 * @param status what is observed
 */
public record Snapshot(ObjectMeta metadata, SnapshotSpec spec, SnapshotStatus status)
    implements Resource<Snapshot> {
  /** The kind. */
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

  /** Keeps the resource until the engine has removed the snapshot. */
  public static final String FINALIZER = "holdfast.dev/snapshot-data";

  /** Label of a snapshot that is one of a group: the group's id. */
  public static final String GROUP_LABEL = "holdfast.dev/snapshot-group";

  /** Annotation with the volumes of the group, separated by commas. */
  public static final String GROUP_VOLUMES_ANNOTATION = "holdfast.dev/snapshot-group-volumes";

  /** Label of a snapshot that is taken to copy a volume: the copy's name. Users do not see it. */
  public static final String COPY_LABEL = "holdfast.dev/clone";

  /** Label of a snapshot that is taken to copy a volume: the copy's uid. */
  public static final String COPY_UID_LABEL = "holdfast.dev/clone-uid";

  /**
   * Label that an engine keeps with a snapshot: the uid of the Snapshot resource for which it was
   * taken. A later snapshot of the same name has another one.
   *
   * @since 1.1
   */
  public static final String UID_LABEL = "holdfast.dev/uid";

  /**
   * Annotation of a snapshot that is to be taken: the time that is kept with it instead of the time
   * at which it is taken, as an import sets it; for example {@code 2026-11-20T23:22:57Z}.
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
   * Keeps a snapshot that a standby volume is to be reverted to, until it is reverted.
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

  /** Replaces what is null by its empty value. */
  public Snapshot {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SnapshotSpec.EMPTY);
    status = Defaults.or(status, SnapshotStatus.EMPTY);
  }

  /** A resource that is to be created. */
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
   * names. Names that are not valid in a resource name are cut and receive a hash.
   *
   * @param volume name of the volume, not null
   * @param snapshot its name in the volume, not null
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

  /** Returns its name in the volume, never empty. */
  public String nameInVolume() {
    return spec.snapshotName().isEmpty() ? name() : spec.snapshotName();
  }

  /** Returns whether an engine was, or may have been, asked to take the snapshot. */
  public boolean isRequested() {
    return metadata.hasFinalizer(FINALIZER);
  }

  /**
   * Returns whether the snapshot needs an engine of its volume, so that the volume must be
   * attached, with or without a frontend.
   *
   * <p>A snapshot needs an engine while it is to be taken, exported or compared, and during its
   * deletion until the engine has carried that out. A snapshot that no engine was asked to take
   * needs none for its deletion. The data of some removed snapshots stays, however long the volume
   * stays attached ({@link #hasKeptData}): they need no engine either. While a copy or a standby
   * volume needs a snapshot, its deletion waits without an engine. A snapshot that failed or is
   * lost can only be deleted. If the volume is being deleted, no snapshot needs an engine. A revert
   * does not count here, because it needs a volume without a frontend.
   *
   * @param volume its volume as it is now, not null
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
   * Returns whether the snapshot is removed and its data stays: below the live content until the
   * next snapshot, below several children until all but one are deleted, and while another volume
   * shares it.
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
   * Returns whether a copy or a standby volume needs it, so that its deletion has to wait.
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
