package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Files of this process's host. Stateless. */
final class LocalFiles implements HostFiles {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final int CHUNK = 1 << 16;
  private static final int FORMAT = 0170000;
  private static final int REGULAR = 0100000;
  private static final int FOLDER = 0040000;
  private static final int BLOCK = 0060000;
  private static final int CHARACTER = 0020000;

  /** Kernel files report no size: read them until they end. */
  @Override
  public Optional<byte[]> read(Path file, long offset, int length) throws StorageException {
    try (FileChannel channel = FileChannel.open(file)) {
      if (offset > 0) {
        channel.position(offset);
      }
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      ByteBuffer chunk = ByteBuffer.allocate(Math.min(length, CHUNK));
      int read = channel.read(chunk);
      while (read > 0 && content.size() < length) {
        content.write(chunk.array(), 0, Math.min(read, length - content.size()));
        chunk.clear();
        read = channel.read(chunk);
      }
      return Optional.of(content.toByteArray());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  @Override
  public long size(Path file) throws StorageException {
    try (FileChannel channel = FileChannel.open(file)) {
      return channel.size();
    } catch (NoSuchFileException e) {
      throw new StorageException(ErrorCode.NOT_FOUND, file + " is absent", e);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  @Override
  public List<String> list(Path folder) throws StorageException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }

  @Override
  public Optional<Kind> kind(Path path) {
    try {
      int format = (int) Files.getAttribute(path, "unix:mode") & FORMAT;
      return Optional.of(
          switch (format) {
            case REGULAR -> Kind.FILE;
            case FOLDER -> Kind.FOLDER;
            case BLOCK -> Kind.BLOCK_DEVICE;
            default -> Kind.OTHER;
          });
    } catch (IOException e) {
      return Optional.empty(); // absent
    }
  }

  @Override
  public Path createFolder(Path folder) throws StorageException {
    try {
      if (!Files.exists(folder)) {
        Files.createDirectories(folder);
      }
      if (!Files.isDirectory(folder)) {
        throw new StorageException(ErrorCode.INVALID, folder + " is not a directory");
      }
      return folder.toRealPath();
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }

  @Override
  public void createFile(Path file) throws StorageException {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      // made by an earlier call
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  @Override
  public void delete(Path path) throws StorageException {
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException e) {
      throw new StorageException(ErrorCode.BUSY, path + " is not empty, it is left as it is", e);
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
  }

  @Override
  public Path real(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    try {
      return absolute.getParent() == null
          ? absolute
          : absolute.getParent().toRealPath().resolve(absolute.getFileName());
    } catch (IOException e) {
      return absolute; // its folder is absent
    }
  }

  @Override
  public Optional<String> deviceNumber(Path path) {
    try {
      int format = (int) Files.getAttribute(path, "unix:mode") & FORMAT;
      if (format != BLOCK && format != CHARACTER) {
        return Optional.empty();
      }
      long number = (long) Files.getAttribute(path, "unix:rdev");
      return Optional.of(major(number) + ":" + minor(number));
    } catch (IOException e) {
      return Optional.empty(); // absent
    }
  }

  /** Decodes the numbers like makedev(3) encodes them. */
  private static long major(long number) {
    return (number >> 8 & 0xfff) | (number >> 32 & ~0xfffL);
  }

  private static long minor(long number) {
    return (number & 0xff) | (number >> 12 & ~0xffL & 0xffffffffL);
  }

  @Override
  public SecretFile secret(String content) throws StorageException {
    try {
      LocalSecret file =
          new LocalSecret(Files.createTempFile(MEMORY, "holdfast-", ".key", OWNER_ONLY));
      try {
        Files.writeString(file.path(), content, StandardCharsets.UTF_8);
        return file;
      } catch (IOException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw StorageException.io("a passphrase cannot be kept in " + MEMORY, e);
    }
  }

  private record LocalSecret(Path path) implements SecretFile {
    @Override
    public void close() throws StorageException {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw StorageException.io(path + " holds a passphrase and cannot be deleted", e);
      }
    }
  }
}
