package dev.holdfast.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An exclusive lock on a file, against other processes and against all bundles of this one. The
 * lock ends with its process, and has no effect on processes that do not check it.
 *
 * <p>The kernel drops a process's lock when the process closes any descriptor of the file.
 * Therefore this process does not open a locked file a second time. System properties, which all
 * class loaders share, record the locked paths. Other code must not open the file.
 */
public final class LockFile implements AutoCloseable {
  private static final String RECORD = "dev.holdfast.lock:";

  // Descriptors of files that a holder without a record has locked, such as an earlier version of
  // its bundle. Closing one would release that lock, so the descriptor is kept and used again.
  private static final Map<Path, FileChannel> KEPT = new ConcurrentHashMap<>();

  /** The result of an attempt to take a lock. */
  private enum Answer {
    LOCKED,
    IN_THIS_PROCESS,
    ELSEWHERE
  }

  private final Path path;
  private final FileChannel channel;

  private LockFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Locks a file, and creates it if it is absent.
   *
   * @param file file in an existing directory
   * @return empty if another process, or another holder in this process, holds the lock
   * @throws IOException when the file cannot be opened or locked
   */
  public static Optional<LockFile> tryLock(Path file) throws IOException {
    Path path = recorded(file);
    if (properties().putIfAbsent(RECORD + path, holder()) != null) {
      return Optional.empty();
    }
    Optional<FileChannel> locked = Optional.empty();
    try {
      locked = open(path);
    } finally {
      if (locked.isEmpty()) {
        forget(path);
      }
    }
    return locked.map(channel -> new LockFile(path, channel));
  }

  /** Returns whether this process has a file locked; such a file must not be opened. */
  public static boolean heldHere(Path file) throws IOException {
    Path path = recorded(file);
    return properties().containsKey(RECORD + path) || KEPT.containsKey(path);
  }

  // The file itself may not exist yet.
  private static Path recorded(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    return absolute.getParent().toRealPath().resolve(absolute.getFileName());
  }

  private static Properties properties() {
    return System.getProperties();
  }

  private static String holder() {
    return Long.toString(ProcessHandle.current().pid());
  }

  private static void forget(Path path) {
    properties().remove(RECORD + path);
  }

  private static Optional<FileChannel> open(Path path) throws IOException {
    if (KEPT.containsKey(path) && ask(KEPT.get(path)) != Answer.LOCKED) {
      return Optional.empty();
    }
    // The holder without a record has released the lock. The path may name another file now, so
    // open it again.
    FileChannel kept = KEPT.remove(path);
    if (kept != null) {
      kept.close();
    }
    return openAnew(path);
  }

  private static Optional<FileChannel> openAnew(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    Answer answer = Answer.ELSEWHERE;
    try {
      answer = ask(channel);
    } finally {
      switch (answer) {
        case LOCKED -> {}
        case IN_THIS_PROCESS -> KEPT.put(path, channel);
        case ELSEWHERE -> channel.close();
      }
    }
    return answer == Answer.LOCKED ? Optional.of(channel) : Optional.empty();
  }

  private static Answer ask(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() == null ? Answer.ELSEWHERE : Answer.LOCKED;
    } catch (OverlappingFileLockException e) {
      return Answer.IN_THIS_PROCESS;
    }
  }

  /** Replaces the content of the file, which other processes read if they cannot lock it. */
  public void write(byte[] content) throws IOException {
    channel.truncate(0);
    ByteBuffer bytes = ByteBuffer.wrap(content);
    while (bytes.hasRemaining()) {
      int unused = channel.write(bytes, bytes.position());
    }
  }

  /** Releases the lock; the file remains. Idempotent. */
  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      try {
        channel.close();
      } finally {
        forget(path);
      }
    }
  }
}
