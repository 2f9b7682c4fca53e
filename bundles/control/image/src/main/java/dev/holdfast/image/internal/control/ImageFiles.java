package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.diskimage.ImageFormat;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BaseTask;
import dev.holdfast.image.internal.content.BaseTasks;
import dev.holdfast.image.internal.disk.BaseEngines;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import java.util.Arrays;
import java.util.Optional;

/** Makes one step with each image file of one disk. */
final class ImageFiles {
  private static final String DEFAULT_ENGINE = "sparse";

  /**
   * Change of the progress, in percent, after which it is recorded again, so that a transfer needs
   * few writes.
   */
  private static final int PROGRESS_STEP = 5;

  private final ImageDisk disk;
  private final InstalledPlugins plugins;
  private final BaseTasks tasks;
  private final ImageCopySource copies;
  private final ReconcileContext context;

  ImageFiles(
      ImageDisk disk,
      InstalledPlugins plugins,
      BaseTasks tasks,
      ImageCopySource copies,
      ReconcileContext context) {
    this.disk = disk;
    this.plugins = plugins;
    this.tasks = tasks;
    this.copies = copies;
    this.context = context;
  }

  /**
   * Deletes an unwanted file in two steps. Returns its remaining state. First the status records
   * that the file no longer counts, so that no other copy is removed in favour of it. A decision
   * made before that is found in the image.
   *
   * @param leaving whether the manager ends; the next manager of the disk takes over the files that
   *     its images need
   */
  Optional<ImageFile> remove(String image, ImageFile file, boolean leaving) {
    if (file.state() != ImageState.FAILED_AND_CLEANUP) {
      return Optional.of(
          file.withState(ImageState.FAILED_AND_CLEANUP)
              .withMessage("is removed from the disk")
              .withSender(""));
    }
    try {
      BaseLocation base = location(image, file.uuid(), "");
      if (!tasks.cancel(key(base))) {
        return Optional.of(file.withMessage("is being cancelled"));
      } else if (!isWanted(image, file)) {
        engine(image).deleteBase(base);
      } else if (!leaving) {
        return Optional.of(file.withMessage("the image needs a copy on this disk again"));
      }
      return Optional.empty();
    } catch (StorageException e) {
      // The disk determines whether a replica uses the file.
      return Optional.of(file.withMessage(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Returns whether the file is wanted. Reads the store, because the spec of the manager may follow
   * from an older plan.
   */
  private boolean isWanted(String image, ImageFile file) throws StorageException {
    return context
        .store()
        .get(BackingImage.KIND, image)
        .filter(found -> found.status().uuid().equals(file.uuid()) && !found.isBeingDeleted())
        .filter(found -> found.spec().diskFileSpecMap().containsKey(disk.uuid()))
        .isPresent();
  }

  /**
   * Makes a wanted file ready, one step at a time. The status records the file before the disk has
   * a part of it, so that it is found after a crash.
   */
  ImageFile keep(String image, String uuid, ImageFile file) {
    if (file == null || !file.uuid().equals(uuid)) {
      return ImageFile.EMPTY.withUuid(uuid);
    }
    try {
      Optional<BackingImage> found =
          context.get(BackingImage.KIND, image).filter(i -> i.status().uuid().equals(uuid));
      if (found.isEmpty()) {
        return file.withMessage("image " + image + " is not known yet");
      }
      BackingImageStatus status = found.get().status();
      BaseLocation base = location(image, uuid, status.contentChecksum());
      Optional<BaseTask> task = tasks.find(key(base));
      if (task.isPresent()) {
        return worked(file, base, task.get());
      }
      BaseEngine engine = engine(image);
      Optional<BaseInfo> info = engine.inspectBase(base);
      return info.filter(BaseInfo::sealed).isPresent()
          ? sealed(file, status, base, engine, info.get())
          : begin(file, status, base, engine);
    } catch (StorageException e) {
      return failed(file, e);
    }
  }

  private ImageFile worked(ImageFile file, BaseLocation base, BaseTask task) {
    Optional<BaseTask.Outcome> outcome = task.outcome();
    if (outcome.isEmpty()) {
      return file.withProgress(task.progress() / PROGRESS_STEP * PROGRESS_STEP);
    }
    tasks.forget(key(base));
    Optional<StorageException> failure = outcome.get().failure();
    if (failure.isPresent()) {
      return failure.get().code() == ErrorCode.BUSY
          ? file.withState(ImageState.PENDING)
              .withSender("")
              .withMessage(String.valueOf(failure.get().getMessage()))
          : failed(file, failure.get());
    }
    // The next step reads from the disk whether the file is ready.
    ImageFile done =
        file.withVirtualSize(new Quantity(outcome.get().virtualSize()))
            .withContentChecksum(outcome.get().contentChecksum());
    return outcome.get().format().isEmpty() ? done : done.withFormat(outcome.get().format());
  }

  private ImageFile failed(ImageFile file, StorageException why) {
    int attempts = file.attempts() + 1;
    return file.withState(ImageState.FAILED)
        .withMessage(String.valueOf(why.getMessage()))
        .withSender("")
        .withAttempts(attempts)
        .withNextAttemptAt(Optional.of(AttemptPause.next(attempts, context.clock().instant())));
  }

  private boolean mustPause(ImageFile file) {
    return file.state() == ImageState.FAILED
        && !AttemptPause.isDue(file.nextAttemptAt(), context.clock().instant());
  }

  private ImageFile sealed(
      ImageFile file,
      BackingImageStatus status,
      BaseLocation base,
      BaseEngine engine,
      BaseInfo info)
      throws StorageException {
    String expected = base.contentChecksum();
    if (!expected.isEmpty() && !expected.equals(info.contentChecksum())) {
      if (mustPause(file)) {
        return file;
      }
      engine.deleteBase(base);
      throw new StorageException(
          ErrorCode.INVALID,
          "image " + base.image() + ": the content on disk " + disk.uuid() + " is another one");
    }
    long size =
        status.virtualSize().bytes() > 0
            ? status.virtualSize().bytes()
            : file.virtualSize().bytes();
    if (size == 0) {
      // The base is sealed, but a crash happened before its size was recorded: it is filled again.
      engine.deleteBase(base);
      return file.withState(ImageState.PENDING);
    }
    if (info.altered()) {
      if (mustPause(file)) {
        return file;
      }
      if (file.state() == ImageState.FAILED && copies.choose(base, 0).isPresent()) {
        engine.deleteBase(base);
        return file.withState(ImageState.PENDING).withMessage("is replaced from another copy");
      }
      tasks.start(
          key(base),
          BaseTask.verify(engine, base.withContentChecksum(info.contentChecksum()), size));
      return file.withState(ImageState.UNKNOWN).withProgress(0).withMessage("is hashed again");
    }
    return file.withState(ImageState.READY)
        .withProgress(100)
        .withVirtualSize(new Quantity(size))
        .withRealSize(new Quantity(info.storedBytes()))
        .withContentChecksum(info.contentChecksum())
        .withMessage("")
        .withSender("")
        .withAttempts(0)
        .withNextAttemptAt(Optional.empty());
  }

  private ImageFile begin(
      ImageFile file, BackingImageStatus status, BaseLocation base, BaseEngine engine)
      throws StorageException {
    if (mustPause(file)) {
      return file;
    }
    Optional<BackingImageDataSource> source =
        context
            .get(BackingImageDataSource.KIND, base.image())
            .filter(s -> s.spec().uuid().equals(base.uuid()))
            .filter(s -> s.spec().diskUUID().equals(disk.uuid()))
            .filter(s -> !s.spec().fileTransferred())
            .filter(s -> s.status().currentState() == ImageState.READY_FOR_TRANSFER)
            .filter(ImageTransfers::hasFile);
    if (source.isPresent()) {
      long largest = new ImageSettings(context).largest();
      tasks.start(
          key(base),
          BaseTask.fetch(
              engine, base, ImageTransfers.file(source.get()), format(source.get()), largest));
      return begun(file)
          .withSize(source.get().status().size())
          .withChecksum(source.get().status().checksum());
    }
    Optional<BackingImageManager> sender = copies.choose(base, file.attempts());
    if (sender.isPresent() && status.virtualSize().bytes() > 0) {
      tasks.start(
          key(base),
          BaseTask.sync(
              engine,
              base,
              status.virtualSize().bytes(),
              copies.content(sender.get(), engine, base)));
      return begun(file).withSender(sender.get().spec().nodeID());
    }
    return file.withState(ImageState.PENDING).withMessage("waits for another copy");
  }

  private static Optional<ImageFormat> format(BackingImageDataSource source) {
    return Arrays.stream(ImageFormat.values())
        .filter(format -> format.toString().equals(source.status().format()))
        .findFirst();
  }

  private static ImageFile begun(ImageFile file) {
    return file.withState(ImageState.IN_PROGRESS).withProgress(0).withMessage("");
  }

  private BaseLocation location(String image, String uuid, String checksum)
      throws StorageException {
    return disk.base(image, uuid, context.nodeName(), checksum);
  }

  private BaseEngine engine(String image) throws StorageException {
    String name =
        context
            .get(BackingImage.KIND, image)
            .map(found -> found.spec().dataEngine())
            .orElse(DEFAULT_ENGINE);
    return BaseEngines.find(plugins, name, context.nodeName());
  }

  private String key(BaseLocation base) {
    return base.image() + "-" + base.uuid() + "@" + disk.uuid();
  }
}
