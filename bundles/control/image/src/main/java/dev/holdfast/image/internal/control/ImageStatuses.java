package dev.holdfast.image.internal.control;

import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.plan.CopyPlan;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceStatus;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.DiskFileStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Computes the status of an image from the known states of its files. */
final class ImageStatuses {
  private ImageStatuses() {}

  static BackingImageStatus withoutDisk(ImageView view) {
    return condition(
        view,
        view.image().status(),
        Condition.Status.FALSE,
        "NoFittingDisk",
        "no ready disk of type directory fits the selectors and the engine "
            + view.image().spec().dataEngine()
            + ": add a disk, or change the selectors");
  }

  static BackingImageStatus of(ImageView view, CopyPlan plan) {
    Map<String, DiskFileStatus> files = new TreeMap<>();
    plan.entries().keySet().forEach(disk -> files.put(disk, DiskFileStatus.EMPTY));
    BackingImageStatus status = view.image().status();
    for (BackingImageManager manager : view.managers()) {
      Optional<ImageFile> file = view.file(manager);
      if (file.isPresent()) {
        files.put(manager.spec().diskUUID(), ofFile(view, manager, file.get()));
        status = known(view, status, file.get());
      }
    }
    view.source()
        .filter(source -> !source.spec().fileTransferred())
        .filter(source -> hasNothing(files.get(source.spec().diskUUID())))
        .ifPresent(source -> files.put(source.spec().diskUUID(), ofSource(source)));
    status =
        status.withDiskFileStatusMap(files).withDiskLastRefAtMap(new TreeMap<>(plan.lastRefAt()));
    return ready(view, status);
  }

  private static boolean hasNothing(DiskFileStatus file) {
    return file == null || file.state() == ImageState.PENDING;
  }

  private static DiskFileStatus ofFile(
      ImageView view, BackingImageManager manager, ImageFile file) {
    Optional<ImageDisk> away = view.away(manager, file.state());
    if (away.isPresent()) {
      Optional<Instant> since = away.get().absentSince().or(file::lastStateTransition);
      return new DiskFileStatus(
          ImageState.UNKNOWN, file.progress(), absence(manager, file, since), since);
    }
    boolean other = file.state() == ImageState.READY && !view.isVerified(file);
    return new DiskFileStatus(
        other ? ImageState.FAILED : file.state(),
        file.progress(),
        other ? "the content has another checksum than the image" : file.message(),
        file.lastStateTransition());
  }

  private static String absence(
      BackingImageManager manager, ImageFile file, Optional<Instant> since) {
    return "node %s or its disk is away%s; the copy was %s before"
        .formatted(
            manager.spec().nodeID(), since.map(time -> " since " + time).orElse(""), file.state());
  }

  private static DiskFileStatus ofSource(BackingImageDataSource source) {
    BackingImageDataSourceStatus status = source.status();
    return new DiskFileStatus(
        status.currentState(), status.progress(), status.message(), status.lastStateTransition());
  }

  /** Copies the values that are assigned once from the delivered file. */
  private static BackingImageStatus known(
      ImageView view, BackingImageStatus status, ImageFile file) {
    if (file.state() != ImageState.READY || !view.isVerified(file)) {
      return status;
    }
    BackingImageStatus next = status.withRealSize(file.realSize());
    if (status.contentChecksum().isEmpty()) {
      next =
          next.withContentChecksum(file.contentChecksum())
              .withVirtualSize(file.virtualSize())
              .withChecksum(file.checksum())
              .withSize(file.size())
              .withFormat(file.format());
    }
    return next;
  }

  private static BackingImageStatus ready(ImageView view, BackingImageStatus status) {
    long ready =
        status.diskFileStatusMap().values().stream()
            .filter(file -> file.state() == ImageState.READY)
            .count();
    if (ready > 0) {
      return condition(view, status, Condition.Status.TRUE, Condition.READY, "");
    }
    Optional<String> absence = absence(view, status);
    if (absence.isPresent()) {
      return condition(view, status, Condition.Status.FALSE, "NoCopyInReach", absence.get());
    }
    Optional<String> failure = failure(view, status);
    return failure.isPresent()
        ? condition(view, status, Condition.Status.FALSE, BackingImage.FAILED_REASON, failure.get())
        : condition(view, status, Condition.Status.FALSE, "InProgress", progress(status));
  }

  /** Reports the absence of a disk whose copy may be complete. */
  private static Optional<String> absence(ImageView view, BackingImageStatus status) {
    return view.managers().stream()
        .filter(
            manager ->
                view.file(manager)
                    .filter(file -> !file.contentChecksum().isEmpty())
                    .flatMap(file -> view.away(manager, file.state()))
                    .isPresent())
        .map(manager -> manager.spec().diskUUID())
        .map(disk -> "disk %s: %s".formatted(disk, status.diskFileStatusMap().get(disk).message()))
        .findFirst();
  }

  /** Reports a failure after which the image is not retried. */
  private static Optional<String> failure(ImageView view, BackingImageStatus status) {
    Optional<BackingImageDataSource> source =
        view.source().filter(s -> !s.spec().fileTransferred());
    if (source.isPresent()) {
      Optional<String> fetched =
          view.manager(source.get().spec().diskUUID())
              .flatMap(view::file)
              .filter(file -> file.state() == ImageState.FAILED)
              .map(ImageFile::message);
      return fetched.or(
          () ->
              source
                  .filter(s -> s.status().currentState() == ImageState.FAILED)
                  .filter(s -> s.status().nextAttemptAt().isEmpty())
                  .map(s -> s.status().message()));
    }
    boolean allFailed =
        !status.diskFileStatusMap().isEmpty()
            && status.diskFileStatusMap().values().stream()
                .allMatch(file -> file.state() == ImageState.FAILED);
    return allFailed
        ? status.diskFileStatusMap().values().stream().map(DiskFileStatus::message).findFirst()
        : Optional.empty();
  }

  private static String progress(BackingImageStatus status) {
    return status.diskFileStatusMap().entrySet().stream()
        .map(
            entry ->
                "disk "
                    + entry.getKey()
                    + ": "
                    + entry.getValue().state()
                    + " "
                    + entry.getValue().progress()
                    + " %"
                    + (entry.getValue().message().isEmpty()
                        ? ""
                        : ": " + entry.getValue().message()))
        .findFirst()
        .orElse("waits for its first disk");
  }

  private static BackingImageStatus condition(
      ImageView view,
      BackingImageStatus status,
      Condition.Status holds,
      String reason,
      String message) {
    return status.withConditions(
        Condition.with(status.conditions(), Condition.READY, holds, reason, message, view.now()));
  }
}
