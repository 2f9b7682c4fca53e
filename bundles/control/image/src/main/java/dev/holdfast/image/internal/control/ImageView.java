package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.plan.ImageWorld;
import dev.holdfast.image.internal.plan.ImageWorld.PlannedDisk;
import dev.holdfast.image.internal.plan.ImageWorld.PlannedFile;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageManagerSpec;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The resources on which a step of one image depends, as stored.
 *
 * @param image the image
 * @param source the transfer that delivers it; empty for none
 * @param managers of all disks
 * @param disks of all nodes
 * @param used disks with a replica that uses the image
 * @param now the time
 */
record ImageView(
    BackingImage image,
    Optional<BackingImageDataSource> source,
    List<BackingImageManager> managers,
    List<ImageDisk> disks,
    Set<String> used,
    Instant now) {
  ImageView {
    managers = List.copyOf(managers);
    disks = List.copyOf(disks);
    used = Set.copyOf(used);
  }

  /** Reads the store. */
  static ImageView read(BackingImage image, ReconcileContext context) throws StorageException {
    return view(
        image,
        context.store().get(BackingImageDataSource.KIND, image.name()),
        new Reader(context, true));
  }

  /** Reads the caches, which may be late. */
  static ImageView cached(BackingImage image, ReconcileContext context) throws StorageException {
    return view(
        image, context.get(BackingImageDataSource.KIND, image.name()), new Reader(context, false));
  }

  /** Lists resources of the store or of the caches. */
  private record Reader(ReconcileContext context, boolean stored) {
    <R extends Resource<R>> List<R> list(ResourceKind<R> kind) throws StorageException {
      return stored
          ? context.store().list(kind, LabelSelector.ALL).items()
          : context.list(kind, LabelSelector.ALL);
    }
  }

  private static ImageView view(
      BackingImage image, Optional<BackingImageDataSource> source, Reader reader)
      throws StorageException {
    List<Node> nodes = reader.list(Node.KIND);
    return new ImageView(
        image,
        source,
        reader.list(BackingImageManager.KIND),
        ImageDisk.all(nodes),
        usedDisks(image, nodes, reader),
        reader.context().clock().instant());
  }

  /** Returns the disks with replicas of volumes on the image, including deleted volumes. */
  private static Set<String> usedDisks(BackingImage image, List<Node> nodes, Reader reader)
      throws StorageException {
    Set<String> volumes =
        reader.list(Volume.KIND).stream()
            .filter(volume -> volume.spec().backingImage().equals(image.name()))
            .map(Volume::name)
            .collect(Collectors.toCollection(HashSet::new));
    reader.list(DeletedVolume.KIND).stream()
        .filter(deleted -> deleted.spec().volumeSpec().backingImage().equals(image.name()))
        .map(DeletedVolume::name)
        .forEach(volumes::add);
    Set<String> used = new HashSet<>();
    for (Replica replica : reader.list(Replica.KIND)) {
      if (volumes.contains(replica.spec().volume()) && !replica.spec().witness()) {
        uuid(replica, nodes).ifPresent(used::add);
      }
    }
    return used;
  }

  static Optional<String> uuid(Replica replica, List<Node> nodes) {
    return nodes.stream()
        .filter(node -> node.name().equals(replica.spec().nodeID()))
        .map(node -> node.status().diskStatus().get(replica.spec().diskID()))
        .filter(status -> status != null && !status.diskUUID().isEmpty())
        .map(DiskStatus::diskUUID)
        .findFirst();
  }

  ImageView withSource(Optional<BackingImageDataSource> found) {
    return new ImageView(image, found, managers, disks, used, now);
  }

  Optional<ImageDisk> disk(String uuid) {
    return disks.stream().filter(disk -> disk.uuid().equals(uuid)).findFirst();
  }

  Optional<BackingImageManager> manager(String disk) {
    return managers.stream().filter(m -> m.spec().diskUUID().equals(disk)).findFirst();
  }

  /**
   * Returns the image's file on a disk, as its manager reports it. Ignores files of another image
   * of the same name.
   */
  Optional<ImageFile> file(BackingImageManager manager) {
    return Optional.ofNullable(manager.status().backingImageFileMap().get(image.name()))
        .filter(file -> file.uuid().equals(image.status().uuid()));
  }

  boolean isVerified(ImageFile file) {
    String expected = image.status().contentChecksum();
    return !file.contentChecksum().isEmpty()
        && (expected.isEmpty() || expected.equals(file.contentChecksum()));
  }

  /**
   * Returns the input of the planner.
   *
   * @param keepFor how long an unneeded copy is kept
   * @param recoveryWait how long a disk is absent before its copy is made on another disk
   */
  ImageWorld world(Duration keepFor, Duration recoveryWait) {
    Map<String, PlannedDisk> planned = new HashMap<>();
    for (ImageDisk disk : disks) {
      planned.put(
          disk.uuid(),
          new PlannedDisk(disk.node().name(), disk.isEligible(image.spec()), disk.isLeaving()));
    }
    Map<String, PlannedFile> files = new HashMap<>();
    for (BackingImageManager manager : managers) {
      ImageFile file = manager.status().backingImageFileMap().get(image.name());
      if (file != null) {
        files.put(
            manager.spec().diskUUID(),
            new PlannedFile(
                counted(manager, file.state(), recoveryWait),
                file.uuid().equals(image.status().uuid()),
                isVerified(file)));
      }
    }
    Map<String, Boolean> entries = new HashMap<>();
    image
        .spec()
        .diskFileSpecMap()
        .forEach((disk, spec) -> entries.put(disk, spec.evictionRequested()));
    Set<String> needed = new HashSet<>(used);
    source
        .filter(s -> !s.spec().fileTransferred() && !s.spec().diskUUID().isEmpty())
        .ifPresent(s -> needed.add(s.spec().diskUUID()));
    return new ImageWorld(
        image.spec().minNumberOfCopies(),
        planned,
        files,
        entries,
        needed,
        image.status().diskLastRefAtMap(),
        Set.copyOf(image.spec().cleanupDisks()),
        keepFor,
        now);
  }

  /**
   * Returns the state that counts for a file. The report of a manager whose disk is now absent may
   * be outdated. Therefore no other copy is removed in favour of it, and after the wait another
   * disk gets a copy.
   */
  private ImageState counted(BackingImageManager manager, ImageState reported, Duration wait) {
    Optional<ImageDisk> away = away(manager, reported);
    if (away.isEmpty()) {
      return reported;
    }
    return away.get().absentSince().filter(since -> !since.plus(wait).isAfter(now)).isPresent()
        ? ImageState.FAILED
        : ImageState.UNKNOWN;
  }

  /** Returns the disk of a file that may be on it, if the disk or its node is now absent. */
  Optional<ImageDisk> away(BackingImageManager manager, ImageState reported) {
    boolean mayBeThere = reported == ImageState.READY || reported.isUnderWay();
    return mayBeThere
        ? disk(manager.spec().diskUUID()).filter(disk -> !disk.isReady())
        : Optional.empty();
  }

  static BackingImageManager newManager(BackingImage image, ImageDisk disk) {
    return BackingImageManager.of(
        BackingImageManager.nameFor(disk.node().name(), disk.uuid()),
        new BackingImageManagerSpec(
            disk.node().name(),
            disk.uuid(),
            disk.spec().path(),
            Map.of(image.name(), image.status().uuid())));
  }
}
