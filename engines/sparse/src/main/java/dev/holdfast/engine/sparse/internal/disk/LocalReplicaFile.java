package dev.holdfast.engine.sparse.internal.disk;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A file of the host. The JDK closes a {@link FileChannel} when a thread that uses it is
 * interrupted. Other requests must not fail by that, so the channel is opened again and the request
 * repeated.
 */
final class LocalReplicaFile implements ReplicaFile {
  private static final int ZERO_BUFFER = 1 << 20;

  private final SparseFile holes;
  private final Set<StandardOpenOption> access;
  private volatile FileChannel channel;
  private volatile boolean closed;

  LocalReplicaFile(Path path) throws IOException {
    this(SparseFile.open(path), EnumSet.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  /** Opens a file that may be protected from changes. */
  static LocalReplicaFile sealed(Path path) throws IOException {
    return new LocalReplicaFile(SparseFile.openReadOnly(path), EnumSet.of(StandardOpenOption.READ));
  }

  private LocalReplicaFile(SparseFile holes, Set<StandardOpenOption> access) throws IOException {
    this.holes = holes;
    this.access = access;
    FileChannel opened = null;
    try {
      opened = openChannel();
    } finally {
      if (opened == null) {
        holes.close();
      }
    }
    this.channel = opened;
  }

  // Not by its name: layers are renamed and replaced while they are open.
  private FileChannel openChannel() throws IOException {
    return FileChannel.open(holes.link(), access);
  }

  @Override
  public long size() throws IOException {
    return holes.size();
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    int start = target.position();
    boolean interrupted = false;
    while (target.hasRemaining()) {
      FileChannel current = channel;
      try {
        if (current.read(target, position + target.position() - start) < 0) {
          Zeroes.fill(target);
        }
      } catch (ClosedChannelException e) {
        interrupted |= reopen(current, e);
      }
    }
    restore(interrupted);
  }

  @Override
  public boolean readNow(ByteBuffer target, long position) {
    return holes.readCached(target, position);
  }

  @Override
  public boolean tellsCached() {
    return holes.tellsCached();
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    int start = source.position();
    boolean interrupted = false;
    while (source.hasRemaining()) {
      FileChannel current = channel;
      try {
        current.write(source, position + source.position() - start);
      } catch (ClosedChannelException e) {
        interrupted |= reopen(current, e);
      }
    }
    restore(interrupted);
  }

  @Override
  public void punch(long position, long length) throws IOException {
    if (length > 0 && !holes.punchHole(position, length)) {
      writeZeroes(position, length);
    }
  }

  @Override
  public void zero(long position, long length) throws IOException {
    if (length > 0 && !holes.zeroRange(position, length)) {
      writeZeroes(position, length);
    }
  }

  private void writeZeroes(long position, long length) throws IOException {
    ByteBuffer zeroes = ByteBuffer.allocateDirect((int) Math.min(length, ZERO_BUFFER));
    for (long done = 0; done < length; done += zeroes.limit()) {
      zeroes.clear().limit((int) Math.min(length - done, zeroes.capacity()));
      write(zeroes, position + done);
    }
  }

  @Override
  public long nextData(long position) throws IOException {
    return holes.nextData(position);
  }

  @Override
  public long nextHole(long position) throws IOException {
    return holes.nextHole(position);
  }

  @Override
  public boolean visitHole(long position, long end, ExtentVisitor visitor) {
    for (long at = position; at < end; ) {
      Optional<SparseFile.Unwritten> unwritten = holes.nextUnwritten(at, end);
      long hole = unwritten.map(SparseFile.Unwritten::offset).orElse(end);
      if (hole > at && !visitor.extent(at, hole - at, ExtentKind.HOLE)) {
        return false;
      }
      at = unwritten.map(SparseFile.Unwritten::end).orElse(end);
      if (at > hole && !visitor.extent(hole, at - hole, ExtentKind.ZERO)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void grow(long size) throws IOException {
    holes.grow(size);
  }

  @Override
  public void sync() throws IOException {
    boolean interrupted = false;
    boolean synced = false;
    while (!synced) {
      FileChannel current = channel;
      try {
        current.force(false);
        synced = true;
      } catch (ClosedChannelException e) {
        interrupted |= reopen(current, e);
      }
    }
    restore(interrupted);
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    holes.close();
    channel.close();
  }

  /**
   * Opens the channel again after an interruption closed it, unless this file was closed.
   *
   * @return whether this thread was interrupted. The flag is cleared, because it would close the
   *     channel again at the next attempt; the caller restores it at the end
   */
  private synchronized boolean reopen(FileChannel broken, ClosedChannelException cause)
      throws IOException {
    if (closed) {
      throw cause;
    }
    boolean interrupted = Thread.interrupted();
    if (channel == broken) {
      channel = openChannel();
    }
    return interrupted;
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
