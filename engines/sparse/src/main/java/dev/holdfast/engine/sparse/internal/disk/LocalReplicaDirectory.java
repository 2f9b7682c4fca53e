package dev.holdfast.engine.sparse.internal.disk;

import dev.holdfast.posix.LockFile;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A replica's directory in a file system of this host. */
public final class LocalReplicaDirectory implements ReplicaDirectory {
  private final Path directory;
  // Guarded by this; null while this object has no lock.
  private LockFile lock;

  public LocalReplicaDirectory(Path directory) {
    this.directory = directory;
  }

  @Override
  public String path() {
    return directory.toString();
  }

  @Override
  public synchronized boolean lock() throws IOException {
    if (lock == null) {
      Path file = directory.resolve(StateFiles.LOCK);
      Files.createDirectories(file.getParent());
      lock = LockFile.tryLock(file).orElse(null);
    }
    return lock != null;
  }

  @Override
  public synchronized void unlock() throws IOException {
    LockFile held = lock;
    lock = null;
    if (held != null) {
      held.close();
    }
  }

  @Override
  public SortedSet<String> files() throws IOException {
    return regularFiles(directory, "");
  }

  @Override
  public SortedSet<String> files(String folder) throws IOException {
    Path path = directory.resolve(folder);
    return Files.isDirectory(path) ? regularFiles(path, folder + "/") : new TreeSet<>();
  }

  private static SortedSet<String> regularFiles(Path folder, String prefix) throws IOException {
    SortedSet<String> names = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, Files::isRegularFile)) {
      for (Path entry : entries) {
        names.add(prefix + entry.getFileName());
      }
    }
    return names;
  }

  @Override
  public Optional<byte[]> load(String name) throws IOException {
    try {
      return Optional.of(Files.readAllBytes(directory.resolve(name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public void store(String name, byte[] content) throws IOException {
    Path file = directory.resolve(name);
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.createDirectories(file.getParent());
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    SparseFile.syncDirectory(file.getParent());
  }

  @Override
  public void remove(String name) throws IOException {
    Path file = directory.resolve(name);
    if (Files.deleteIfExists(file)) {
      SparseFile.syncDirectory(file.getParent());
    }
  }

  @Override
  public ReplicaFile open(String name) throws IOException {
    return new LocalReplicaFile(directory.resolve(name));
  }

  @Override
  public ReplicaFile openSealed(String name) throws IOException {
    return LocalReplicaFile.sealed(directory.resolve(name));
  }

  @Override
  public void protect(String name) throws IOException {
    Path file = directory.resolve(name);
    if (Files.getFileAttributeView(file, PosixFileAttributeView.class) != null) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      // force(true) includes length, times and mode.
      channel.force(true);
    }
  }

  @Override
  public String stamp(String name) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(directory.resolve(name), BasicFileAttributes.class);
    return attributes.size() + " " + attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
  }

  @Override
  public ReplicaFile create(String name, long size) throws IOException {
    Path file = directory.resolve(name);
    Files.createFile(file);
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(size);
      content.getFD().sync();
    }
    return new LocalReplicaFile(file);
  }

  @Override
  public void link(String existing, String name) throws IOException {
    Files.createLink(directory.resolve(name), directory.resolve(existing));
  }

  @Override
  public void linkInto(String existing, Path folder, String name) throws IOException {
    Files.createLink(folder.resolve(name), directory.resolve(existing));
  }

  @Override
  public ReplicaDirectory elsewhere(Path folder) {
    return new LocalReplicaDirectory(folder);
  }

  @Override
  public boolean shared(String name) throws IOException {
    Path file = directory.resolve(name);
    int outside = names(file) - 1;
    if (outside > 0) {
      for (String other : files()) {
        outside -= !other.equals(name) && sameFile(name, other) ? 1 : 0;
      }
    }
    return outside > 0;
  }

  /** Returns how many names a file has. */
  public static int names(Path file) throws IOException {
    return (int) Files.getAttribute(file, "unix:nlink");
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public boolean sameFile(String one, String other) throws IOException {
    Path first = directory.resolve(one);
    Path second = directory.resolve(other);
    return Files.exists(first) && Files.exists(second) && Files.isSameFile(first, second);
  }

  @Override
  public void sync(String folder) throws IOException {
    SparseFile.syncDirectory(directory.resolve(folder));
  }

  @Override
  public String fingerprint() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String name : files()) {
      Path file = directory.resolve(name);
      // fdatasync does not make a modification time durable, and this text depends on it.
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      text.append(name)
          .append(' ')
          .append(attributes.size())
          .append(' ')
          .append(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS))
          .append('\n');
    }
    return text.toString();
  }
}
