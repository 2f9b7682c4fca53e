package dev.holdfast.cli;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.mounts.DiskImage;
import dev.holdfast.mounts.LonghornReplica;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Source of an import. */
final class ImportOptions {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "raw or qcow2. Default: by the beginning of the file.")
  private DiskImage.Format format;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the volume. Default: that of the image.")
  private String size;

  @Option(
      names = "--longhorn",
      paramLabel = "DIR",
      description = {
        "A replica's directory of Longhorn v1 or Holdfast instead of an image, with all its"
            + " snapshots.",
        "It is copied, and not changed."
      })
  private Path directory;

  /** Returns the directory, empty when there is an image; the image may be null. */
  Optional<LonghornReplica> longhorn(Path file) throws StorageException {
    if (directory == null) {
      return Optional.empty();
    }
    if (file != null || format != null || size != null) {
      throw new StorageException(
          ErrorCode.INVALID, "--longhorn: takes no image, no --format and no --size");
    }
    return Optional.of(LonghornReplica.inspect(directory.toAbsolutePath().normalize()));
  }

  /** Returns the image, which may be null. */
  DiskImage image(Path file) throws StorageException {
    if (file == null) {
      throw new StorageException(
          ErrorCode.INVALID, "an image FILE is needed, or --longhorn with a directory");
    }
    return DiskImage.inspect(file, Optional.ofNullable(format));
  }

  String size() {
    return size == null ? "" : size;
  }
}
