package dev.holdfast.access.audit.internal;

import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.certificates.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * Appends lines to a file with mode 0600, and starts a new file at a size limit. An incomplete line
 * after a crash or a full disk is terminated before the next line. For one thread.
 */
final class RotatedFile implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(OWNER);

  private final AuditFolder folder;
  private final long largest;
  private Optional<FileChannel> open = Optional.empty();
  private long size;
  private boolean cutOff;

  /**
   * Creates the writer without opening the file.
   *
   * @param largest size in bytes at which the next file starts
   */
  RotatedFile(AuditFolder folder, long largest) {
    this.folder = folder;
    this.largest = largest;
  }

  /**
   * Appends complete lines.
   *
   * @param lines each with its line feed
   * @throws IOException when they were not written completely; the next call opens the file again
   */
  void append(byte[] lines) throws IOException {
    try {
      FileChannel channel = channel();
      if (size > 0 && size + lines.length > largest) {
        rotate();
        channel = channel();
      }
      cutOff = true;
      write(channel, lines);
      cutOff = false;
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private FileChannel channel() throws IOException {
    if (open.isPresent() && Files.exists(folder.file(0), LinkOption.NOFOLLOW_LINKS)) {
      return open.get();
    }
    close();
    PrivateFiles.createDirectory(folder.path());
    Path file = folder.file(0);
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS),
            PRIVATE);
    open = Optional.of(channel);
    Files.setPosixFilePermissions(file, OWNER);
    size = channel.size();
    if (cutOff || endsWithinLine(file)) {
      write(channel, new byte[] {'\n'});
      cutOff = false;
    }
    return channel;
  }

  private boolean endsWithinLine(Path file) throws IOException {
    if (size == 0) {
      return false;
    }
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return in.read(last, size - 1) == 1 && last.get(0) != '\n';
    }
  }

  private void write(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      size += channel.write(buffer);
    }
  }

  private void rotate() throws IOException {
    sync();
    close();
    for (int age = AuditFolder.FILES - 1; age > 0; age--) {
      Path from = folder.file(age - 1);
      if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
        Files.move(from, folder.file(age), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** Makes appended lines durable. */
  void sync() throws IOException {
    if (open.isPresent()) {
      open.get().force(false);
    }
  }

  @Override
  public void close() throws IOException {
    Optional<FileChannel> closing = open;
    open = Optional.empty();
    if (closing.isPresent()) {
      closing.get().close();
    }
  }
}
