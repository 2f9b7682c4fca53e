package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A backup of the store in a separate file. It is written under another name, synced, and then
 * renamed, so that a file of the final name is always complete.
 */
final class BackupFile {
  private final StoreFile store;

  BackupFile(StoreFile store) {
    this.store = store;
  }

  void writeTo(Path target) throws StorageException {
    Path partial = target.resolveSibling(target.getFileName() + ".partial");
    if (Files.exists(target)) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "the file " + target + " exists; give the backup another name");
    }
    try {
      Files.deleteIfExists(partial);
      Files.createFile(
          partial,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      copyTo(partial);
      sync(partial, StandardOpenOption.WRITE);
      publish(partial, target);
      sync(target.toAbsolutePath().getParent(), StandardOpenOption.READ);
    } catch (IOException e) {
      throw withoutPartial(partial, StorageException.io("back up to " + target, e));
    } catch (SQLException e) {
      throw withoutPartial(partial, store.errors().failed("the backup to " + target, e));
    }
  }

  /** SQLite treats an empty file as absent. */
  private void copyTo(Path partial) throws SQLException {
    try (Connection connection = store.plainConnection();
        PreparedStatement vacuum = connection.prepareStatement("VACUUM INTO ?")) {
      vacuum.setString(1, partial.toString());
      vacuum.execute();
    }
  }

  /** A hard link fails if another program took the name; a rename would replace its file. */
  private static void publish(Path partial, Path target) throws IOException {
    Files.createLink(target, partial);
    Files.delete(partial);
  }

  private static void sync(Path path, StandardOpenOption option) throws IOException {
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    }
  }

  private static StorageException withoutPartial(Path partial, StorageException cause) {
    try {
      Files.deleteIfExists(partial);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }
}
