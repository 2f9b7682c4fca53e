package dev.holdfast.engine.lvm.internal.replica;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/**
 * Place of a replica in a volume group.
 *
 * @param location as the platform names it
 * @param group name of the volume group on this host
 * @param groupId of the group in records, the same when the group is renamed
 * @param key of the replica in the group: the name of the blob of its live content
 */
public record ReplicaPlace(ReplicaLocation location, String group, String groupId, String key) {
  private static final Path DEVICES = Path.of("/dev");
  private static final int READABLE = 18;
  private static final int HASHED = 6;

  /**
   * Returns the place of a replica.
   *
   * @param groupUuid of its group, as LVM reports it
   * @throws StorageException INVALID when the disk is not a volume group
   */
  public static ReplicaPlace of(ReplicaLocation location, String groupUuid)
      throws StorageException {
    return new ReplicaPlace(
        location,
        group(location.disk()),
        UUID.nameUUIDFromBytes(groupUuid.getBytes(StandardCharsets.UTF_8)).toString(),
        key(location.directoryName()));
  }

  /**
   * Returns the volume group of a disk.
   *
   * @throws StorageException INVALID when its path is not {@code /dev/NAME}
   */
  public static String group(DiskLocation disk) throws StorageException {
    Path path = disk.path();
    if (disk.kind() != DiskKind.VOLUME_GROUP
        || path.getNameCount() != 2
        || !DEVICES.equals(path.getParent())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "disk " + path + ": must be /dev/NAME of a volume group, with type volume-group");
    }
    return path.getFileName().toString();
  }

  /** Names of LVM are short and have few characters, so a hash makes them unique. */
  private static String key(String directoryName) {
    String readable =
        directoryName.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-", "");
    String start = readable.substring(0, Math.min(READABLE, readable.length()));
    String hash = HexFormat.of().formatHex(sha256(directoryName), 0, HASHED);
    return (start.isEmpty() ? "r" : start) + "-" + hash;
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a blob of the group. */
  public Blob blob(String name) {
    return new Blob(group, name);
  }

  /** Returns the blob of the live content. */
  public Blob head() {
    return blob(key);
  }
}
