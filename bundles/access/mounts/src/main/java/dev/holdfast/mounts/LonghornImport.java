package dev.holdfast.mounts;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.BackingImages;
import dev.holdfast.client.Disk;
import dev.holdfast.client.Disks;
import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Creates a volume from a replica directory of Longhorn v1 with all its snapshots, on a host with
 * the directory and a disk of Holdfast. The directory is copied as the volume's first replica.
 * After its first opening the other replicas are rebuilt from it. A backing file of Longhorn is
 * replaced by a backing image of Holdfast with the same content.
 *
 * <pre>
 *   files copied -> replica's resource -> volume's resource -> opened once -> more replicas
 * </pre>
 *
 * <p>After an interruption, the same call continues.
 */
public final class LonghornImport {
  private static final String DISK_MARK = "longhorn-disk.cfg";
  private static final Pattern UUID_ON_DISK =
      Pattern.compile("\"diskUUID\"\\s*:\\s*\"([0-9A-Za-z-]{1,64})\"");
  private static final int DEFAULT_REPLICAS = 3;

  private final ResourceStore store;
  private final StoreEditor editor;

  /** Creates the import into volumes of a store. */
  public LonghornImport(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Imports a replica.
   *
   * @param name of the volume
   * @param source the replica, which is not changed
   * @param image the backing image that replaces the replica's backing file; empty for a replica
   *     without one
   * @param replicas wanted number of copies, empty for 3
   * @param waiting wait for the volume to be served; the copy has no time limit
   * @return the volume, which may still lack replicas
   * @throws StorageException INVALID without waiting, or when the image differs from the content
   *     below the replica; ALREADY_EXISTS when the volume exists and is not an unfinished import;
   *     UNSUPPORTED when this host has no disk of Holdfast; NO_SPACE; TIMEOUT; IO
   */
  public Volume run(
      String name,
      LonghornReplica source,
      Optional<String> image,
      OptionalInt replicas,
      Waiting waiting)
      throws StorageException {
    if (!waiting.isWanted()) {
      // Replicas added before the first opening would count as equally current.
      throw new StorageException(
          ErrorCode.INVALID, "volume " + name + ": the import must be waited for");
    }
    Optional<Volume> present = store.get(Volume.KIND, name);
    requireNew(name, source, present);
    Optional<BackingImage> below = new ReplicaImage(store, source).of(image, waiting);
    Replica first = firstReplica(name, source, below, waiting);
    Volume volume = present.isPresent() ? present.get() : store.create(wanted(name, source, below));
    editor.edit(Replica.KIND, first.name(), replica -> owned(replica, volume));
    open(name, source, waiting);
    int copies = replicas.orElse(DEFAULT_REPLICAS);
    return editor.edit(
        Volume.KIND,
        name,
        v -> Images.annotated(v.withSpec(v.spec().withNumberOfReplicas(copies)), Optional.empty()));
  }

  /** Rejects an existing volume unless it is an interrupted import of the same replica. */
  static void requireNew(String name, LonghornReplica source, Optional<Volume> present)
      throws StorageException {
    String file = source.directory().toString();
    boolean other =
        present
            .filter(
                volume ->
                    volume.isBeingDeleted()
                        || !file.equals(
                            volume
                                .metadata()
                                .annotations()
                                .get(Volume.IMPORT_UNFINISHED_ANNOTATION)))
            .isPresent();
    if (other) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "volume " + name + " exists, and is not an interrupted import");
    }
  }

  private static Volume wanted(String name, LonghornReplica source, Optional<BackingImage> image)
      throws StorageException {
    Volume volume =
        VolumeRequest.of(
                name,
                new Quantity(source.sizeBytes()).toString(),
                OptionalInt.of(1),
                Optional.empty(),
                Optional.empty())
            .toVolume();
    VolumeSpec spec = volume.spec().withBackingImage(image.map(BackingImage::name).orElse(""));
    return Images.annotated(volume.withSpec(spec), Optional.of(source.directory().toString()));
  }

  /**
   * Creates the resource only after the files exist, so that an empty replica is not created
   * instead.
   */
  private Replica firstReplica(
      String name, LonghornReplica source, Optional<BackingImage> image, Waiting waiting)
      throws StorageException {
    Optional<Replica> known =
        store.list(Replica.KIND, LabelSelector.ALL).items().stream()
            .filter(replica -> replica.spec().volume().equals(name))
            .findFirst();
    if (known.isPresent()) {
      return known.get();
    }
    Disk disk = disk(name, source, image);
    if (image.isPresent()) {
      new BackingImages(store).awaitCopy(image.get().name(), disk.status().diskUUID(), waiting);
    }
    String directory = name + "-r-" + UUID.randomUUID().toString().substring(0, 8);
    Path target = Path.of(disk.status().path()).resolve("replicas").resolve(directory);
    waiting.progress().accept("volume " + name + ": copies " + source.directory());
    new DirectoryCopy(source.directory(), source.files())
        .to(target, copy -> ReplicaImage.refer(copy, disk, image));
    ReplicaSpec spec =
        ReplicaSpec.EMPTY
            .withVolume(name)
            .withSize(new Quantity(source.sizeBytes()))
            .withNodeID(disk.node())
            .withDiskID(disk.id())
            .withDiskPath(disk.status().path())
            .withDataDirectoryName(directory);
    ObjectMeta metadata =
        ObjectMeta.named(directory)
            .withLabels(Map.of(Volume.LABEL, name))
            .plusFinalizer(Replica.FINALIZER);
    return store.create(Replica.of(directory, spec).withMetadata(metadata));
  }

  private static Replica owned(Replica replica, Volume volume) {
    return replica.withMetadata(
        replica.metadata().withOwnerReferences(List.of(OwnerReference.controller(volume))));
  }

  /**
   * Returns the disk of this host with the most free space, preferably one with a copy of the
   * image.
   */
  private Disk disk(String name, LonghornReplica source, Optional<BackingImage> image)
      throws StorageException {
    Predicate<Disk> ready =
        disk ->
            image.isPresent() && image.get().stateOn(disk.status().diskUUID()) == ImageState.READY;
    return new Disks(store)
        .list().stream()
            .filter(disk -> disk.spec().allowScheduling() && isHere(disk))
            .max(
                Comparator.comparing(ready::test)
                    .thenComparing(disk -> disk.status().storageAvailable().bytes()))
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNSUPPORTED,
                        "volume "
                            + name
                            + ": no disk of Holdfast that takes replicas is on this host, where "
                            + source.directory()
                            + " is: run the command on a node, as its user"));
  }

  private static boolean isHere(Disk disk) {
    Path mark = Path.of(disk.status().path()).resolve(DISK_MARK);
    boolean directory = disk.spec().type() == DiskType.DIRECTORY;
    if (!directory || disk.status().path().isEmpty() || !Files.isReadable(mark)) {
      return false;
    }
    try {
      var found = UUID_ON_DISK.matcher(Files.readString(mark));
      return found.find() && found.group(1).equals(disk.status().diskUUID());
    } catch (IOException e) {
      return false;
    }
  }

  /** Opens the volume. From the first opening on, this replica is known to be the current one. */
  private void open(String name, LonghornReplica source, Waiting waiting) throws StorageException {
    Attachments attachments = new Attachments(store);
    String ticket = "api-import-" + UUID.randomUUID();
    try {
      attachments.attachFor(name, ticket, Optional.empty(), waiting);
      awaitSnapshots(name, source.snapshots(), waiting);
    } finally {
      attachments.releaseTicket(name, ticket, waiting);
    }
  }

  private void awaitSnapshots(String name, List<String> snapshots, Waiting waiting)
      throws StorageException {
    for (String snapshot : snapshots) {
      try (ResourceWait observation = new ResourceWait(store)) {
        var seen = observation.follow(Snapshot.KIND, Snapshot.nameFor(name, snapshot));
        observation.await(
            "snapshot " + snapshot + " of volume " + name,
            waiting,
            () -> seen.latest().filter(s -> s.status().creationTime().isPresent()),
            () -> "the engine");
      }
    }
  }
}
