package dev.holdfast.backupstore.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Two backups of one volume in a folder of the test, which is used as a target. */
public final class LonghornBackupstore {
  /** Name of the volume, which has 64 MiB in blocks of 2 MiB. */
  public static final String VOLUME = "vol1";

  /** Name of the first backup, of the snapshot {@code snap1}. */
  public static final String FIRST = "backup-0496a402e81d4902";

  /** Name of the second backup, of the snapshot {@code snap2}. */
  public static final String SECOND = "backup-7966edeab6654a48";

  /** Key of the folder that holds the objects of the volume. */
  public static final String VOLUME_FOLDER = "backupstore/volumes/01/9c/" + VOLUME;

  private static final String RESOURCES = "longhorn-v1/";
  private static final String ARCHIVE = "backupstore.tar.zst";

  private final Path root;

  private LonghornBackupstore(Path root) {
    this.root = root;
  }

  /**
   * Unpacks the backups.
   *
   * @param folder an existing folder, not null
   */
  public static LonghornBackupstore unpackedIn(Path folder) throws IOException {
    Path archive = folder.resolve(ARCHIVE);
    try (InputStream resource = resource(ARCHIVE)) {
      Files.copy(resource, archive);
    }
    Process tar =
        new ProcessBuilder("tar", "--zstd", "-xf", archive.toString(), "-C", folder.toString())
            .inheritIO()
            .start();
    assertThat(tar.onExit().join().exitValue()).as("exit code of tar").isZero();
    Files.delete(archive);
    return new LonghornBackupstore(folder.toAbsolutePath());
  }

  private static InputStream resource(String name) {
    return LonghornBackupstore.class.getResourceAsStream(RESOURCES + name);
  }

  /** Returns the folder to which the keys of the objects are relative. */
  public Path root() {
    return root;
  }

  /** Returns the address of the target. */
  public String url() {
    return "file://" + root;
  }

  /**
   * Returns the file of an object.
   *
   * @param key of the object, not null
   */
  public Path object(String key) {
    return root.resolve(key);
  }

  /**
   * Returns the file of the configuration of a backup.
   *
   * @param backup name of the backup, not null
   */
  public Path configuration(String backup) {
    return object(VOLUME_FOLDER + "/backups/backup_" + backup + ".cfg");
  }

  /**
   * Returns the file of a block.
   *
   * @param checksum 64 hex digits, not null
   */
  public Path block(String checksum) {
    String folders = checksum.substring(0, 2) + "/" + checksum.substring(2, 4) + "/";
    return object(VOLUME_FOLDER + "/blocks/" + folders + checksum + ".blk");
  }

  /**
   * Returns the SHA-256 of the volume's content at the time of a snapshot, in hex.
   *
   * @param snapshot name of the snapshot, not null
   */
  public static String expectedSha256(String snapshot) throws IOException {
    try (InputStream resource = resource("content.sha256")) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.endsWith(" " + snapshot))
          .findFirst()
          .orElseThrow()
          .substring(0, 64);
    }
  }

  /**
   * Returns the SHA-256 of a file, in hex.
   *
   * @param file to read, not null
   */
  public static String sha256(Path file) throws IOException {
    MessageDigest digest = digest();
    try (InputStream content = new DigestInputStream(Files.newInputStream(file), digest)) {
      content.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
