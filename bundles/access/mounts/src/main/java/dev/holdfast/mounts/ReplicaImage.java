package dev.holdfast.mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.BackingImages;
import dev.holdfast.client.Disk;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The backing image that replaces the file below a replica of Longhorn. It must have been made from
 * a file with the same bytes.
 *
 * <pre>
 *   &lt;disk of Longhorn&gt;/replicas/&lt;replica&gt;/volume.meta: BackingFilePath
 *   &lt;disk of Longhorn&gt;/backing-images/&lt;image&gt;-&lt;uuid&gt;/backing
 * </pre>
 */
final class ReplicaImage {
  private static final String FOLDER = "backing-images";
  private static final String FILE = "backing";
  private static final Pattern BACKING_FILE =
      Pattern.compile("(?s).*/" + FOLDER + "/([A-Za-z0-9][A-Za-z0-9._-]{0,350})/" + FILE);
  private static final int PIECE = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ResourceStore store;
  private final LonghornReplica source;

  ReplicaImage(ResourceStore store, LonghornReplica source) {
    this.store = store;
    this.source = source;
  }

  /**
   * Returns the image when a verified copy exists and its content equals that below the replica;
   * empty for a replica without a backing file.
   *
   * @throws StorageException INVALID when an image is missing, unnecessary or different; NOT_FOUND;
   *     TIMEOUT; IO
   */
  Optional<BackingImage> of(Optional<String> image, Waiting waiting) throws StorageException {
    String below = source.backingFile();
    if (below.isEmpty()) {
      if (image.isPresent()) {
        throw wrong("--image " + image.get() + ": it has no backing file: leave it out");
      }
      return Optional.empty();
    }
    Path file = file();
    if (image.isEmpty()) {
      throw wrong(
          "it is based on the backing file "
              + below
              + ": make an image of it by 'holdfast image upload NAME "
              + file
              + "', and name that by --image");
    }
    BackingImage found = new BackingImages(store).get(image.get());
    if (!found.isReady()) {
      found = new BackingImages(store).awaitReady(image.get(), waiting);
    }
    requireFitting(found);
    waiting.progress().accept("image " + found.name() + ": compares it with " + file);
    requireSame(found, file);
    return Optional.of(found);
  }

  /**
   * Finds the backing file near the replica, because Longhorn used it at another path. Files
   * outside of that folder are never opened, even if a replica names one.
   */
  private Path file() throws StorageException {
    Path images = source.directory().resolve("../..").normalize().resolve(FOLDER);
    Matcher named = BACKING_FILE.matcher(source.backingFile());
    if (named.matches()) {
      Path file = images.resolve(named.group(1)).resolve(FILE);
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return file;
      }
    }
    throw wrong(
        "its backing file "
            + source.backingFile()
            + " is not below "
            + images
            + ": copy its folder there, so that the content can be compared");
  }

  private void requireFitting(BackingImage image) throws StorageException {
    String engine = VolumeSpec.EMPTY.dataEngine();
    if (!image.spec().dataEngine().equals(engine)) {
      throw wrong(
          "image "
              + image.name()
              + " is kept by engine "
              + image.spec().dataEngine()
              + ", a replica of Longhorn needs one of engine "
              + engine);
    }
    long size = image.status().virtualSize().bytes();
    if (size > source.sizeBytes()) {
      throw wrong(
          "image "
              + image.name()
              + " has "
              + size
              + " bytes, its volume only "
              + source.sizeBytes());
    }
  }

  private void requireSame(BackingImage image, Path file) throws StorageException {
    String found = sha512(file);
    String expected = image.status().checksum().toLowerCase(Locale.ROOT);
    if (!found.equals(expected)) {
      throw wrong(
          "image "
              + image.name()
              + " was made of a file with the SHA-512 "
              + expected
              + ", that of "
              + file
              + " is "
              + found
              + ": make an image of this file by 'holdfast image upload NAME "
              + file
              + "'");
    }
  }

  private static String sha512(Path file) throws StorageException {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-512");
      byte[] piece = new byte[PIECE];
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        digest.update(piece, 0, count);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    } catch (NoSuchAlgorithmException e) {
      throw new StorageException(ErrorCode.INTERNAL, "SHA-512 is missing", e);
    }
  }

  private StorageException wrong(String why) {
    return new StorageException(
        ErrorCode.INVALID, source.directory() + " cannot be imported: " + why);
  }

  /** Makes the copy of a replica refer to the copy of the image on its disk. */
  static void refer(Path copy, Disk disk, Optional<BackingImage> image) throws IOException {
    if (image.isPresent()) {
      String folder = image.get().name() + "-" + image.get().status().uuid();
      Path file = Path.of(disk.status().path()).resolve(FOLDER).resolve(folder).resolve(FILE);
      Path meta = copy.resolve(LonghornReplica.VOLUME_META);
      JsonNode content = JSON.readTree(meta.toFile());
      ((ObjectNode) content).put(LonghornReplica.BACKING_FILE, file.toString());
      Files.write(meta, JSON.writeValueAsBytes(content));
    }
  }
}
