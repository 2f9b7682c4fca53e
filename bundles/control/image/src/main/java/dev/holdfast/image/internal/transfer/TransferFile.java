package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.resource.cluster.PlatformSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * The file of a transfer, {@code <disk>/tmp/<name>-<uuid>}, and a mark beside it by which a later
 * transfer recognizes the same image. One thread writes it; other threads observe it.
 */
final class TransferFile implements ImageSink, AutoCloseable {
  private static final int PIECE = 1 << 20;
  private static final ByteBuffer ZEROES = ByteBuffer.allocate(PIECE).asReadOnlyBuffer();
  private static final long CHECK_SPACE = 64L << 20;
  private static final long RESERVED_SPACE = 256L << 20;

  private final String image;
  private final Path path;
  private final Path markPath;
  private final long largest;
  private final FileChannel file;
  private final MessageDigest digest = sha512();
  private Optional<String> mark = Optional.empty();
  // Whether the file ends with the last received byte, and not before trailing zeroes.
  private boolean ends = true;
  private long spaceCheckedAt;
  private volatile long position;
  private volatile long total;
  private volatile boolean disk;
  private volatile String ended = "";

  private TransferFile(String image, Path path, long largest) throws IOException {
    this.image = image;
    this.path = path;
    this.markPath = markOf(path);
    this.largest = largest;
    Files.createDirectories(path.getParent());
    this.file =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS));
  }

  /** Opens the file. It keeps the bytes of an earlier transfer if a mark identifies them. */
  static TransferFile open(String image, Path path, long largest) throws StorageException {
    try {
      TransferFile opened = new TransferFile(image, path, largest);
      try {
        opened.resume();
        return opened;
      } catch (IOException e) {
        opened.close();
        throw e;
      }
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
  }

  static Path markOf(Path path) {
    return path.resolveSibling(path.getFileName() + ".mark");
  }

  private static MessageDigest sha512() {
    try {
      return MessageDigest.getInstance("SHA-512");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void resume() throws IOException {
    if (Files.isRegularFile(markPath, LinkOption.NOFOLLOW_LINKS)) {
      mark = Optional.of(Files.readString(markPath)).filter(text -> !text.isEmpty());
    }
    if (mark.isEmpty()) {
      file.truncate(0);
      return;
    }
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    long at = 0;
    for (int count = file.read(piece, at); count > 0; count = file.read(piece.clear(), at)) {
      digest.update(piece.flip());
      at += count;
    }
    position = at;
  }

  @Override
  public void takeAsDisk() {
    disk = true;
  }

  /** Returns whether the bytes are those of the disk itself. */
  boolean isDisk() {
    return disk;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public Optional<String> mark() {
    return mark;
  }

  @Override
  public void restart(Optional<String> newMark) throws StorageException {
    try {
      Files.deleteIfExists(markPath);
      file.truncate(0);
      if (newMark.isPresent()) {
        Files.write(markPath, newMark.get().getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
    digest.reset();
    position = 0;
    total = 0;
    ends = true;
    spaceCheckedAt = 0;
    mark = newMark;
  }

  @Override
  public void total(long bytes) throws StorageException {
    requireSize(bytes);
    requireSpace(bytes - position);
    total = bytes;
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    requireMore(bytes.remaining());
    long next = position + bytes.remaining();
    if (next - spaceCheckedAt >= CHECK_SPACE) {
      requireSpace(bytes.remaining());
      spaceCheckedAt = next;
    }
    digest.update(bytes.duplicate());
    ends = true;
    try {
      long at = position;
      while (bytes.hasRemaining()) {
        at += file.write(bytes, at);
      }
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
    position = next;
  }

  @Override
  public void zeroes(long length) throws StorageException {
    long at = position;
    for (long end = at + length; at < end; ) {
      ByteBuffer piece = ZEROES.slice(0, (int) Math.min(end - at, ZEROES.capacity()));
      requireMore(piece.capacity());
      digest.update(piece);
      at += piece.capacity();
      position = at;
      ends = false;
    }
  }

  private void requireMore(long count) throws StorageException {
    if (!ended.isEmpty()) {
      throw new StorageException(ErrorCode.TIMEOUT, "image " + image + ": " + ended);
    }
    long next = position + count;
    requireSize(next);
    if (total > 0 && next > total) {
      throw new StorageException(
          ErrorCode.INVALID, "image " + image + ": more than the announced " + total + " bytes");
    }
  }

  private void requireSize(long bytes) throws StorageException {
    if (bytes > largest) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + image
              + ": its file has more than "
              + largest
              + " bytes, the limit of the setting "
              + PlatformSettings.IMAGE_SIZE.name());
    }
  }

  private void requireSpace(long bytes) throws StorageException {
    try {
      long free = Files.getFileStore(path).getUsableSpace();
      if (bytes > free - RESERVED_SPACE) {
        throw new StorageException(
            ErrorCode.NO_SPACE,
            "image "
                + image
                + ": "
                + path.getParent()
                + ": "
                + free
                + " bytes free, "
                + (bytes + RESERVED_SPACE)
                + " required: free space on the disk or add a disk");
      }
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
  }

  /** Refuses further bytes. May be called from any thread. */
  void end(String why) {
    ended = why;
  }

  /** Returns the announced number of bytes, 0 while it is not known. */
  long total() {
    return total;
  }

  /** Makes the file durable and returns its SHA-512. */
  String finish() throws StorageException {
    if (total > 0 && position != total) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "image " + image + ": " + position + " of " + total + " bytes arrived");
    }
    try {
      if (!ends && position > 0) {
        file.write(ByteBuffer.allocate(1), position - 1);
      }
      file.force(true);
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Removes the file of a transfer and its mark. */
  static void delete(Path path) throws StorageException {
    try {
      Files.deleteIfExists(path);
      Files.deleteIfExists(markOf(path));
    } catch (IOException e) {
      throw StorageException.io("delete " + path, e);
    }
  }

  @Override
  public void close() throws StorageException {
    try {
      file.close();
    } catch (IOException e) {
      throw StorageException.io("image " + image + ": " + path, e);
    }
  }
}
