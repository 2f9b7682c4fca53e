package dev.holdfast.commands;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.DiskFileStatus;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;

/** Formats backing images for output. */
public final class BackingImageViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public BackingImageViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all images. */
  public Output images(ResourceList<BackingImage> images) {
    return new Output(
        () -> table(images),
        () -> json.listTree(BackingImage.KIND, images.items(), images.resourceVersion()));
  }

  private String table(ResourceList<BackingImage> images) {
    Table table = new Table("NAME", "SOURCE", "SIZE", "COPIES", "STATE", "AGE");
    for (BackingImage image : images.items()) {
      table.row(
          image.name(),
          image.spec().sourceType(),
          SizeText.rounded(image.status().virtualSize()),
          ready(image) + "/" + image.status().diskFileStatusMap().size(),
          state(image),
          image
              .metadata()
              .creationTimestamp()
              .map(at -> SizeText.shortened(Duration.between(at, clock.instant())))
              .orElse(""));
    }
    return table.orIfEmpty(
        "No images. Create one: holdfast image create NAME --url https://…/disk.qcow2");
  }

  private static long ready(BackingImage image) {
    return image.status().diskFileStatusMap().values().stream()
        .filter(file -> file.state() == ImageState.READY)
        .count();
  }

  private static String state(BackingImage image) {
    return image.isBeingDeleted()
        ? "deleting"
        : image.isReady()
            ? "ready"
            : Condition.find(image.status().conditions(), Condition.READY)
                .map(condition -> condition.reason() + ": " + condition.message())
                .orElse("pending");
  }

  /** Shows one image with its files. */
  public Output image(BackingImage image) {
    return new Output(() -> details(image), () -> json.tree(image));
  }

  private static String details(BackingImage image) {
    Table table = new Table("IMAGE", image.name());
    table.row("source", image.spec().sourceType());
    image.spec().sourceParameters().forEach(table::row);
    table.row("state", state(image));
    table.row("format", image.status().format());
    table.row("file size", image.status().size());
    table.row("disk size", image.status().virtualSize());
    table.row("SHA-512", image.status().checksum());
    Table files = new Table("DISK", "STATE", "PROGRESS", "MESSAGE");
    for (Map.Entry<String, DiskFileStatus> file : image.status().diskFileStatusMap().entrySet()) {
      files.row(
          file.getKey(),
          file.getValue().state(),
          file.getValue().progress() + " %",
          file.getValue().message());
    }
    return table + "\n\n" + files.orIfEmpty("No disk has it.");
  }

  /** Shows an image that was created. */
  public Output created(BackingImage image) {
    return new Output(
        () ->
            "image "
                + image.name()
                + (image.isReady()
                    ? " is ready, disk size " + image.status().virtualSize()
                    : " is created"),
        () -> json.tree(image));
  }

  /** Shows that the content of an image was stored in a file. */
  public Output downloaded(String name, Path file, long size) {
    return new Output(
        () -> "image " + name + " is in " + file + ", " + size + " bytes",
        () -> json.mapper().createObjectNode().put("file", file.toString()).put("size", size));
  }

  /** Shows an image that was deleted. */
  public Output deleted(String name) {
    return new Output(
        () -> "image " + name + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", name));
  }

  /** Shows an image with a requested clean-up. */
  public Output cleanup(BackingImage image) {
    return new Output(
        () ->
            "image "
                + image.name()
                + ": files that no volume needs are removed from "
                + String.join(", ", image.spec().cleanupDisks()),
        () -> json.tree(image));
  }
}
