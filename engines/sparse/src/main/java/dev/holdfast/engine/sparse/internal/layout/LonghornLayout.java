package dev.holdfast.engine.sparse.internal.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.sparse.internal.disk.RecordJson;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes the files that a replica directory shares with Longhorn's own engine. */
public final class LonghornLayout {
  public static final String VOLUME_META = "volume.meta";
  public static final String FIRST_HEAD = "volume-head-000.img";

  /** The label of a snapshot that an expansion made. Its value is the new size in bytes. */
  public static final String EXPANSION_LABEL = "replica-expansion";

  /**
   * Prefix of the backing file in the volume.meta of a replica that shares layers with another. The
   * path of a base follows it after a colon. Longhorn, and versions of this engine that would
   * change such layers in place, look for a file of that name and refuse to open the replica.
   */
  public static final String SHARES_LAYERS = "holdfast:shares-layers";

  private static final String SNAPSHOT_PREFIX = "volume-snap-";
  private static final String IMAGE = ".img";
  private static final String META = ".meta";
  private static final String CHECKSUM = ".checksum";
  private static final Pattern HEAD = Pattern.compile("volume-head-\\d*(\\d)\\.img");
  private static final int SECTOR_SIZE = 512;
  private static final ObjectMapper JSON = RecordJson.mapper();

  private LonghornLayout() {}

  /**
   * Returns the metadata of a replica, empty when the directory holds none.
   *
   * @throws StorageException INVALID when the file does not contain such metadata
   */
  public static Optional<VolumeMeta> volumeMeta(ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<byte[]> content = directory.load(VOLUME_META);
    if (content.isEmpty() || content.get().length == 0) {
      return VolumeMetaRecovery.recovered(directory);
    }
    VolumeMeta meta = parse(directory, VOLUME_META, content.get(), VolumeMeta.class);
    if (meta.size() <= 0 || meta.head() == null || !isHead(meta.head())) {
      throw invalid(
          directory, VOLUME_META + " is not of a known replica format; it was not changed");
    }
    return Optional.of(meta);
  }

  public static LayerMeta layerMeta(ReplicaDirectory directory, String image)
      throws IOException, StorageException {
    String file = metaOf(image);
    byte[] content =
        directory.load(file).orElseThrow(() -> invalid(directory, file + " is missing"));
    LayerMeta meta = parse(directory, file, content, LayerMeta.class);
    // The metadata may come from another program: a name in it must not point outside the
    // directory.
    if (meta.parent() != null && !meta.parent().isEmpty() && !isLayer(meta.parent())) {
      throw invalid(directory, "'" + meta.parent() + "' is not the name of a layer");
    }
    return meta;
  }

  /**
   * Returns the volume.meta of a new replica whose head stands on shared layers.
   *
   * @param base path of the file below the layers, empty for none
   */
  public static byte[] newLinkedMeta(long size, String parent, String base)
      throws JsonProcessingException {
    return line(newVolume(size).withHead(FIRST_HEAD, parent, size).withBacking(true, base));
  }

  /** Returns the metadata of a new head on top of a layer. */
  public static byte[] newHeadMeta(String created, String parent) throws JsonProcessingException {
    return line(new LayerMeta(FIRST_HEAD, parent, false, false, created, null));
  }

  static VolumeMeta newVolume(long size) {
    return new VolumeMeta(size, FIRST_HEAD, false, false, "", "", SECTOR_SIZE, "", false);
  }

  public static byte[] newVolumeMeta(long size) throws JsonProcessingException {
    return newVolumeMeta(size, "");
  }

  /**
   * Returns the volume.meta of a new replica that stands on a base file, or on none if the path is
   * empty.
   */
  public static byte[] newVolumeMeta(long size, String base) throws JsonProcessingException {
    return JSON.writeValueAsBytes(newVolume(size).withBacking(false, base));
  }

  public static byte[] newHeadMeta(String created) throws JsonProcessingException {
    return JSON.writeValueAsBytes(new LayerMeta(FIRST_HEAD, "", false, false, created, null));
  }

  public static boolean isLayer(String file) {
    return file.indexOf('/') < 0 && file.startsWith("volume-") && file.endsWith(IMAGE);
  }

  static boolean isHead(String file) {
    return HEAD.matcher(file).matches();
  }

  public static boolean isSnapshot(String file) {
    return isLayer(file) && file.startsWith(SNAPSHOT_PREFIX);
  }

  /** Returns the file name of a snapshot. */
  public static String imageOf(String snapshot) {
    return SNAPSHOT_PREFIX + snapshot + IMAGE;
  }

  /** Returns the snapshot name of a file. */
  public static String snapshotOf(String image) {
    return image.substring(SNAPSHOT_PREFIX.length(), image.length() - IMAGE.length());
  }

  public static String metaOf(String image) {
    return image + META;
  }

  public static String checksumOf(String image) {
    return image + CHECKSUM;
  }

  /** Returns the file name of the next head. As in Longhorn, only the last digit counts. */
  public static String headAfter(String head) {
    Matcher matcher = HEAD.matcher(head);
    int digit = matcher.matches() ? matcher.group(1).charAt(0) - '0' : -1;
    return String.format("volume-head-%03d.img", digit + 1);
  }

  static void store(ReplicaDirectory directory, VolumeMeta meta) throws IOException {
    directory.store(VOLUME_META, line(meta));
  }

  public static void store(ReplicaDirectory directory, String image, LayerMeta meta)
      throws IOException {
    directory.store(metaOf(image), line(meta));
  }

  private static byte[] line(Object value) throws JsonProcessingException {
    return (JSON.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static <T> T parse(ReplicaDirectory directory, String file, byte[] content, Class<T> type)
      throws StorageException {
    try {
      return JSON.readValue(content, type);
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          directory.path() + "/" + file + " is not valid metadata; the file was not changed",
          e);
    }
  }

  public static StorageException invalid(ReplicaDirectory directory, String what) {
    return new StorageException(
        ErrorCode.INVALID, "replica directory " + directory.path() + ": " + what);
  }
}
