package dev.holdfast.mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A replica's directory in the format of Longhorn v1 and Holdfast. It is untrusted and only read.
 *
 * @param directory path of the directory
 * @param sizeBytes of the volume
 * @param backingFile path of the file below its layers in the view of the program that wrote the
 *     replica; empty for none
 * @param files names of its files
 * @param snapshots names of its snapshots
 */
public record LonghornReplica(
    Path directory,
    long sizeBytes,
    String backingFile,
    List<String> files,
    List<String> snapshots) {
  private static final ObjectMapper JSON = new ObjectMapper();
  static final String VOLUME_META = "volume.meta";

  /** Field of {@code volume.meta} with the path of the file below the layers. */
  static final String BACKING_FILE = "BackingFilePath";

  /**
   * Prefix of that field with which a replica of Holdfast marks layers shared with other replicas.
   */
  private static final Pattern SHARES_LAYERS = Pattern.compile("^holdfast:shares-layers:?");

  private static final String REVISION_COUNTER = "revision.counter";
  private static final String LOCK = "holdfast/lock";
  private static final String META = ".meta";
  private static final long LARGEST_META = 1 << 20;
  private static final long BLOCK = 4096;
  private static final String PREFIX = "volume-snap-";
  private static final String SUFFIX = ".img";
  private static final String SNAPSHOT = "volume-snap-[A-Za-z0-9][A-Za-z0-9._-]{0,199}\\.img";
  private static final String HEAD = "volume-head-\\d{3,}\\.img";

  /** Copies the lists. */
  public LonghornReplica {
    files = List.copyOf(files);
    snapshots = List.copyOf(snapshots);
  }

  /**
   * Inspects a directory without changing it. Must not be called in a process that serves replicas,
   * because it would lose its lock of this replica.
   *
   * @throws StorageException NOT_FOUND when the directory is absent; INVALID when it is not a
   *     complete replica of Longhorn v1; BUSY when it is in use
   */
  public static LonghornReplica inspect(Path directory) throws StorageException {
    if (!Files.isDirectory(directory)) {
      throw new StorageException(ErrorCode.NOT_FOUND, directory + " is not a directory");
    }
    try {
      return new Reader(directory).read();
    } catch (IOException e) {
      throw StorageException.io(directory.toString(), e);
    }
  }

  /** Returns the snapshot of a layer; empty for the live content. */
  static String snapshotOf(String file) {
    return file.matches(SNAPSHOT)
        ? file.substring(PREFIX.length(), file.length() - SUFFIX.length())
        : "";
  }

  private static final class Reader {
    private final Path directory;
    private final TreeSet<String> names = new TreeSet<>();
    private final Map<String, String> parents = new HashMap<>();
    private final List<String> kept = new ArrayList<>();

    Reader(Path directory) {
      this.directory = directory;
    }

    LonghornReplica read() throws IOException, StorageException {
      try (Stream<Path> found = Files.list(directory)) {
        found.forEach(path -> names.add(path.getFileName().toString()));
      }
      JsonNode volume = json(VOLUME_META);
      long size = volume.path("Size").asLong();
      String head = volume.path("Head").asText();
      check(size > 0 && size % BLOCK == 0, "its volume has a size of " + size);
      check(head.matches(HEAD), "its head is '" + head + "'");
      checkUsable(volume);
      for (String name : names) {
        if (name.matches(SNAPSHOT)) {
          JsonNode meta = json(name + META);
          parents.put(name, meta.path("Parent").asText());
          if (!meta.path("Removed").asBoolean()) {
            kept.add(snapshotOf(name));
          }
        }
      }
      parents.put(head, json(head + META).path("Parent").asText());
      checkChain();
      long present = Files.size(directory.resolve(head));
      check(present == size, "its head has " + present + " bytes, its volume " + size);
      String below = SHARES_LAYERS.matcher(volume.path(BACKING_FILE).asText()).replaceFirst("");
      return new LonghornReplica(directory, size, below, files(), kept);
    }

    // A replica of Holdfast in use is locked. A killed node leaves it unclean, and the import
    // recovers its content when the store is lost.
    private void requireUnlocked() throws IOException, StorageException {
      if (!isUnlocked()) {
        throw wrong(ErrorCode.BUSY, "a node has it open: detach its volume first");
      }
    }

    private boolean isUnlocked() throws IOException {
      try (FileChannel channel =
              FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
          FileLock lock = channel.tryLock()) {
        return lock != null;
      } catch (OverlappingFileLockException e) {
        return false;
      }
    }

    private void checkUsable(JsonNode volume) throws IOException, StorageException {
      if (volume.path("Rebuilding").asBoolean()) {
        throw wrong(
            ErrorCode.INVALID, "it was being rebuilt and is not whole: use another replica");
      }
      if (Files.exists(directory.resolve(LOCK))) {
        requireUnlocked();
      } else if (volume.path("Dirty").asBoolean()) {
        throw wrong(
            ErrorCode.BUSY, "it is in use, or was not closed: detach its volume in Longhorn first");
      }
      Optional<String> unfinished =
          names.stream().filter(n -> n.startsWith("volume-delta-") || n.endsWith("_tmp")).findAny();
      if (unfinished.isPresent()) {
        throw wrong(ErrorCode.INVALID, "a restore was not finished: " + unfinished.get());
      }
    }

    private void checkChain() throws IOException, StorageException {
      for (String image : parents.keySet()) {
        check(
            Files.isRegularFile(directory.resolve(image), LinkOption.NOFOLLOW_LINKS),
            image + " is missing");
        String above = image;
        for (int depth = 0; !above.isEmpty(); depth++) {
          check(parents.containsKey(above), above + ", below " + image + ", is missing");
          check(depth <= parents.size(), "its layers form a cycle");
          above = parents.get(above);
        }
      }
    }

    private List<String> files() {
      List<String> files = new ArrayList<>(List.of(VOLUME_META));
      if (names.contains(REVISION_COUNTER)) {
        files.add(REVISION_COUNTER);
      }
      for (String image : new TreeSet<>(parents.keySet())) {
        files.add(image);
        files.add(image + META);
      }
      return files;
    }

    private JsonNode json(String name) throws IOException, StorageException {
      Path file = directory.resolve(name);
      check(
          Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS),
          "it is not a replica of Longhorn v1: " + name + " is missing");
      check(Files.size(file) <= LARGEST_META, name + " is too large");
      JsonNode content;
      try {
        content = JSON.readTree(Files.readAllBytes(file));
      } catch (IOException e) {
        throw wrong(ErrorCode.INVALID, name + " is not JSON");
      }
      check(content.isObject(), name + " is not a JSON object");
      return content;
    }

    private void check(boolean holds, String why) throws StorageException {
      if (!holds) {
        throw wrong(ErrorCode.INVALID, why);
      }
    }

    private StorageException wrong(ErrorCode code, String why) {
      return new StorageException(code, directory + " cannot be imported: " + why);
    }
  }
}
