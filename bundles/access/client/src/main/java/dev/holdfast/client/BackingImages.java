package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.DiskFileSpec;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Creates, returns, cleans up and deletes backing images. Thread-safe. */
public final class BackingImages {
  /** States of a delivery in which a node receives its file. */
  private static final Set<ImageState> RECEIVES =
      EnumSet.of(ImageState.STARTING, ImageState.FAILED);

  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the images of a store. */
  public BackingImages(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Creates an image; with waiting, until a verified copy exists.
   *
   * @throws StorageException INVALID with the field; ALREADY_EXISTS; IO when the image fails;
   *     TIMEOUT (the creation continues)
   */
  public BackingImage create(String name, BackingImageSpec spec, Waiting waiting)
      throws StorageException {
    BackingImage created = store.create(BackingImage.of(name, spec));
    return waiting.isWanted() ? awaitReady(name, waiting) : created;
  }

  /**
   * Creates an image whose file will be uploaded. An image whose upload has not succeeded is
   * returned as it is, so that its file can be sent again.
   *
   * @param spec with a source that takes an upload
   * @throws StorageException INVALID with the field; ALREADY_EXISTS when the present image is
   *     ready, has another source, or another checksum
   */
  public BackingImage createForUpload(String name, BackingImageSpec spec) throws StorageException {
    try {
      return store.create(BackingImage.of(name, spec));
    } catch (StorageException e) {
      Optional<BackingImage> present =
          e.code() == ErrorCode.ALREADY_EXISTS
              ? store.get(BackingImage.KIND, name)
              : Optional.empty();
      if (present.filter(image -> awaitsFile(image, spec)).isEmpty()) {
        throw e;
      }
      return present.get();
    }
  }

  private static boolean awaitsFile(BackingImage image, BackingImageSpec wanted) {
    return !image.isReady()
        && image.spec().sourceType().equals(wanted.sourceType())
        && image.spec().checksum().equals(wanted.checksum());
  }

  /**
   * Waits until a verified copy exists.
   *
   * @throws StorageException NOT_FOUND when the image is deleted; IO when it fails; TIMEOUT
   */
  public BackingImage awaitReady(String name, Waiting waiting) throws StorageException {
    return awaitReady(name, Optional.empty(), waiting);
  }

  /**
   * Waits until a verified copy exists after a file was sent again. The failure that the image
   * reported before is ignored.
   *
   * @param before the image before its file was sent, not null
   * @throws StorageException NOT_FOUND when the image is deleted; IO when it fails; TIMEOUT
   */
  public BackingImage awaitReadyAfter(BackingImage before, Waiting waiting)
      throws StorageException {
    return awaitReady(before.name(), ready(before), waiting);
  }

  private BackingImage awaitReady(String name, Optional<Condition> ignored, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var image = observation.follow(BackingImage.KIND, name);
      return observation.await(
          "image " + name,
          waiting,
          () -> ready(name, image.latest(), ignored),
          () -> why(image.latest()));
    }
  }

  private static Optional<Condition> ready(BackingImage image) {
    return Condition.find(image.status().conditions(), Condition.READY);
  }

  private static Optional<BackingImage> ready(
      String name, Optional<BackingImage> image, Optional<Condition> ignored)
      throws StorageException {
    if (image.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "image " + name + " was deleted");
    } else if (image.get().hasFailed() && !ready(image.get()).equals(ignored)) {
      throw new StorageException(ErrorCode.IO, "image " + name + " failed: " + why(image));
    }
    return image.filter(BackingImage::isReady);
  }

  private static String why(Optional<BackingImage> image) {
    return image.flatMap(BackingImages::ready).map(Condition::message).orElse("its controller");
  }

  /**
   * Requests a copy of an image on a disk, and waits until it is verified. An unused copy is
   * removed later like all unneeded copies.
   *
   * @param disk UUID of the disk
   * @throws StorageException NOT_FOUND; TIMEOUT (the copy continues)
   */
  public void awaitCopy(String name, String disk, Waiting waiting) throws StorageException {
    editor.edit(
        BackingImage.KIND,
        name,
        image -> {
          Map<String, DiskFileSpec> disks = new TreeMap<>(image.spec().diskFileSpecMap());
          disks.putIfAbsent(disk, new DiskFileSpec(false));
          return image.withSpec(image.spec().withDiskFileSpecMap(disks));
        });
    try (ResourceWait observation = new ResourceWait(store)) {
      var image = observation.follow(BackingImage.KIND, name);
      observation.await(
          "image " + name + " on disk " + disk,
          waiting,
          () -> image.latest().filter(found -> found.stateOn(disk) == ImageState.READY),
          () -> copyOn(disk, image.latest()));
    }
  }

  private static String copyOn(String disk, Optional<BackingImage> image) {
    return image
        .map(found -> found.status().diskFileStatusMap().get(disk))
        .map(file -> file.state() + " " + file.progress() + " % " + file.message())
        .orElse("its controller");
  }

  /**
   * Waits until a node is ready to receive the file of an image, for the first time or after an
   * upload that failed.
   *
   * @throws StorageException CONFLICT when the file was received already; TIMEOUT
   */
  public void awaitUpload(String name, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var source = observation.follow(BackingImageDataSource.KIND, name);
      var image = observation.follow(BackingImage.KIND, name);
      observation.await(
          "image " + name,
          waiting,
          () -> receiver(name, source.latest()),
          () -> why(image.latest()));
    }
  }

  private static Optional<BackingImageDataSource> receiver(
      String name, Optional<BackingImageDataSource> source) throws StorageException {
    if (source.filter(s -> s.status().currentState() == ImageState.READY_FOR_TRANSFER).isPresent()
        || source.filter(s -> s.spec().fileTransferred()).isPresent()) {
      throw new StorageException(ErrorCode.CONFLICT, "image " + name + " was uploaded already");
    }
    return source.filter(s -> RECEIVES.contains(s.status().currentState()));
  }

  /** Returns all images by name. */
  public ResourceList<BackingImage> list() throws StorageException {
    return store.list(BackingImage.KIND, LabelSelector.ALL);
  }

  /**
   * Returns one image.
   *
   * @throws StorageException NOT_FOUND
   */
  public BackingImage get(String name) throws StorageException {
    return editor.require(BackingImage.KIND, name);
  }

  /**
   * Deletes an image; with waiting, until its files are removed.
   *
   * @throws StorageException NOT_FOUND; BUSY while a volume uses it; TIMEOUT (the deletion
   *     continues)
   */
  public void delete(String name, Waiting waiting) throws StorageException {
    BackingImage image = get(name);
    List<String> users =
        store.list(Volume.KIND, LabelSelector.ALL).items().stream()
            .filter(volume -> volume.spec().backingImage().equals(name))
            .map(Volume::name)
            .toList();
    if (!users.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "image "
              + name
              + ": volumes use it: "
              + String.join(", ", users)
              + ": delete them first");
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(BackingImage.KIND, name);
      store.delete(BackingImage.KIND, name, image.metadata().uid());
      if (waiting.isWanted()) {
        observation.await(
            "image " + name,
            waiting,
            () -> Optional.of(true).filter(yes -> followed.latest().isEmpty()),
            () ->
                followed
                    .latest()
                    .flatMap(i -> Condition.find(i.status().conditions(), Condition.DELETING))
                    .map(Condition::message)
                    .orElse("its deletion"));
      }
    }
  }

  /**
   * Requests the removal of the files on some disks; needed files remain.
   *
   * @param disks UUIDs of the disks; empty for all disks with the image
   * @throws StorageException NOT_FOUND, also when a disk does not have the image
   */
  public BackingImage cleanup(String name, List<String> disks) throws StorageException {
    return editor.edit(
        BackingImage.KIND,
        name,
        image -> {
          List<String> having = List.copyOf(image.spec().diskFileSpecMap().keySet());
          for (String disk : disks) {
            if (!having.contains(disk)) {
              throw new StorageException(
                  ErrorCode.NOT_FOUND,
                  "image "
                      + name
                      + ": disk "
                      + disk
                      + " does not have it; these have it: "
                      + String.join(", ", having));
            }
          }
          List<String> wanted = new ArrayList<>(image.spec().cleanupDisks());
          (disks.isEmpty() ? having : disks)
              .stream().filter(disk -> !wanted.contains(disk)).forEach(wanted::add);
          return image.withSpec(image.spec().withCleanupDisks(wanted));
        });
  }
}
