package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.BaseLocation;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Identity of a base, as its folder and each replica above it record it.
 *
 * @param image name of the image
 * @param uuid identifier of the image's content
 * @param sizeBytes size of the content in bytes, a multiple of 4096
 * @param contentChecksum checksum given when it was sealed
 */
public record BaseIdentity(String image, String uuid, long sizeBytes, String contentChecksum) {
  /** Folder of all bases of a disk, as Longhorn names it. */
  static final String FOLDER = "backing-images";

  static final String FILE = "backing";

  private static final Pattern NAME = Pattern.compile("[a-z0-9][-a-zA-Z0-9.]{0,350}");

  /** Returns the folder of this base on a disk. */
  public Path folder(Path disk) {
    return folder(disk, image, uuid);
  }

  static Path folder(BaseLocation base) {
    return folder(base.disk().path(), base.image(), base.uuid());
  }

  private static Path folder(Path disk, String image, String uuid) {
    return disk.resolve(FOLDER).resolve(image + "-" + uuid);
  }

  /**
   * Returns the folder of a disk that the path of a base's file names. The path may come from a
   * program that mounts the disk elsewhere. Empty when the path is not that of a base.
   */
  public static Optional<Path> folderNamedBy(Path disk, String file) {
    String[] parts = file.split("/", -1);
    int last = parts.length - 1;
    boolean base =
        last >= 2
            && parts[last].equals(FILE)
            && parts[last - 2].equals(FOLDER)
            && NAME.matcher(parts[last - 1]).matches();
    return base ? Optional.of(disk.resolve(FOLDER).resolve(parts[last - 1])) : Optional.empty();
  }

  /** Returns a text that is equal exactly for equal content. */
  public String text() {
    return image + "/" + uuid + "/" + sizeBytes + "/" + contentChecksum;
  }
}
