package dev.holdfast.initiator;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A lock of one name in a directory against other threads and processes. Its file exists while the
 * lock is held. After a crash the file remains, but the kernel releases the lock.
 *
 * <p>Files are opened and removed under the directory's own lock, and threads do not wait with an
 * open file. Therefore the holder's lock is always on the file that others will open. The kernel
 * releases a process's locks on a file when the process closes any channel to that file. Therefore
 * neither a second thread nor another copy of this class (during a bundle's replacement) opens a
 * locked file. System properties record the locked files, because all copies share them.
 *
 * <pre>
 *   directory/.lock        held while a lock is taken or given back
 *   directory/.demo.lock   held while the lock of demo is
 * </pre>
 */
final class HostLock implements AutoCloseable {
  private static final int RETRY_MILLIS = 5;
  private static final String RECORD = "dev.holdfast.initiator.lock:";

  /** Files that threads of this process have locked. */
  private static final Set<Path> OURS = new HashSet<>();

  private final Path file;
  private final FileChannel channel;

  private HostLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Waits for the lock of a name. Creates a missing directory. */
  static HostLock of(Path directory, String name) throws IOException, InterruptedException {
    Path real = Files.createDirectories(directory).toRealPath();
    return take(real.resolve("." + name + ".lock"), HostLock::openUnderLockOfDirectory);
  }

  private static HostLock ofDirectory(Path directory) throws IOException, InterruptedException {
    return take(directory.resolve(".lock"), HostLock::open);
  }

  private interface Opener {
    /** Returns a channel to a locked file, or null if another process holds the lock. */
    FileChannel open(Path file) throws IOException, InterruptedException;
  }

  private static HostLock take(Path file, Opener opener) throws IOException, InterruptedException {
    claim(file);
    try {
      FileChannel channel = opener.open(file);
      while (channel == null) {
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        channel = opener.open(file);
      }
      return new HostLock(file, channel);
    } catch (IOException | InterruptedException | RuntimeException e) {
      disclaim(file);
      throw e;
    }
  }

  private static FileChannel openUnderLockOfDirectory(Path file)
      throws IOException, InterruptedException {
    HostLock gate = ofDirectory(file.getParent());
    try {
      return open(file);
    } finally {
      gate.giveBack();
    }
  }

  private static FileChannel open(Path file) throws IOException {
    if (System.getProperties().putIfAbsent(RECORD + file, "") != null) {
      return null;
    }
    FileChannel locked = null;
    try {
      locked = openRecorded(file);
      return locked;
    } finally {
      if (locked == null) {
        forget(file);
      }
    }
  }

  private static FileChannel openRecorded(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // A copy of this class from version 0.2, which does not record locks, holds the lock and is
      // being replaced.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return null;
  }

  private static void forget(Path file) {
    System.getProperties().remove(RECORD + file);
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    boolean interrupted =
        Thread.interrupted(); // an interrupted thread could not wait for the directory's lock
    try {
      takeAway();
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      giveBack();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void takeAway() throws IOException, InterruptedException {
    HostLock gate = ofDirectory(file.getParent());
    try {
      Files.deleteIfExists(file);
      giveBack(); // released before another process can look
    } finally {
      gate.giveBack();
    }
  }

  /** Idempotent. */
  private void giveBack() throws IOException {
    if (channel.isOpen()) {
      try {
        channel.close();
      } finally {
        forget(file);
        disclaim(file);
      }
    }
  }

  private static void claim(Path file) throws InterruptedException {
    synchronized (OURS) {
      while (!OURS.add(file)) {
        OURS.wait();
      }
    }
  }

  private static void disclaim(Path file) {
    synchronized (OURS) {
      OURS.remove(file);
      OURS.notifyAll();
    }
  }
}
