package dev.holdfast.engine.sparse.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Reads and writes the files that a replica directory shares with Longhorn's own engine. */
final class LonghornLayout {
  static final String VOLUME_META = "volume.meta";
  static final String FIRST_HEAD = "volume-head-000.img";
  private static final String META = ".meta";
  private static final int MAX_LAYERS = BlockIndex.MAX_LAYER;
  private static final int SECTOR_SIZE = 512;
  private static final ObjectMapper JSON = new ObjectMapper();

  private LonghornLayout() {}

  /** Returns the metadata of a replica, empty when the directory holds none. */
  static Optional<VolumeMeta> volumeMeta(ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<byte[]> content = directory.load(VOLUME_META);
    return content.isEmpty()
        ? Optional.empty()
        : Optional.of(parse(directory, VOLUME_META, content.get(), VolumeMeta.class));
  }

  static byte[] newVolumeMeta(long size) throws JsonProcessingException {
    return JSON.writeValueAsBytes(
        new VolumeMeta(size, FIRST_HEAD, false, false, "", "", SECTOR_SIZE, "", false));
  }

  static byte[] newHeadMeta(String created) throws JsonProcessingException {
    return JSON.writeValueAsBytes(new LayerMeta(FIRST_HEAD, "", false, false, created, null));
  }

  static String metaOf(String image) {
    return image + META;
  }

  static void store(ReplicaDirectory directory, VolumeMeta meta) throws IOException {
    directory.store(VOLUME_META, JSON.writeValueAsBytes(meta));
  }

  /** Returns the names of the layers' files, the oldest first, the head last. */
  static List<String> chain(ReplicaDirectory directory, VolumeMeta meta)
      throws IOException, StorageException {
    Deque<String> chain = new ArrayDeque<>();
    String name = meta.head();
    while (name != null && !name.isEmpty()) {
      checkName(directory, name);
      if (chain.contains(name) || chain.size() == MAX_LAYERS) {
        throw invalid(directory, "the chain of layers does not end at " + name);
      }
      chain.addFirst(name);
      Optional<byte[]> content = directory.load(metaOf(name));
      if (content.isEmpty()) {
        throw invalid(directory, metaOf(name) + " is missing");
      }
      name = parse(directory, metaOf(name), content.get(), LayerMeta.class).parent();
    }
    return new ArrayList<>(chain);
  }

  // The metadata may come from elsewhere; a name in it must not lead out of the directory.
  private static void checkName(ReplicaDirectory directory, String name) throws StorageException {
    if (name.indexOf('/') >= 0 || !name.startsWith("volume-") || !name.endsWith(".img")) {
      throw invalid(directory, "'" + name + "' is not the name of a layer");
    }
  }

  private static <T> T parse(ReplicaDirectory directory, String file, byte[] content, Class<T> type)
      throws StorageException {
    try {
      return JSON.readValue(content, type);
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID, directory.path() + "/" + file + " is no such metadata", e);
    }
  }

  private static StorageException invalid(ReplicaDirectory directory, String what) {
    return new StorageException(
        ErrorCode.INVALID, "replica directory " + directory.path() + ": " + what);
  }
}
