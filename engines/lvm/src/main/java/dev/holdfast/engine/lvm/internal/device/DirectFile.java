package dev.holdfast.engine.lvm.internal.device;

import com.sun.nio.file.ExtendedOpenOption;
import dev.holdfast.posix.BlockDiscard;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A device, or a file, without the page cache (O_DIRECT): hosts that use another layer of the same
 * volume see each write at once. An interrupted thread closes the channel, which is opened again.
 */
public final class DirectFile implements RawDevice {
  private final Path path;
  private final Set<OpenOption> options;
  private final Optional<BlockDiscard> discard;
  private volatile FileChannel channel;
  private boolean closed;

  private DirectFile(Path path, Set<OpenOption> options, Optional<BlockDiscard> discard)
      throws IOException {
    this.path = path;
    this.options = Set.copyOf(options);
    this.discard = discard;
    this.channel = FileChannel.open(path, options);
  }

  /** Opens a device; see {@link RawDevice.Opener}. */
  public static RawDevice open(Path path, Access access) throws IOException {
    Set<OpenOption> options = new HashSet<>();
    options.addAll(Set.of(StandardOpenOption.READ, ExtendedOpenOption.DIRECT));
    if (access != Access.READ) {
      options.add(StandardOpenOption.WRITE);
    }
    if (access == Access.WRITE_THROUGH) {
      options.add(StandardOpenOption.DSYNC);
    }
    Optional<BlockDiscard> discard =
        access == Access.WRITE_AND_DISCARD || access == Access.WRITE_THROUGH
            ? Optional.of(BlockDiscard.open(path))
            : Optional.empty();
    try {
      return new DirectFile(path, options, discard);
    } catch (IOException e) {
      discard.ifPresent(BlockDiscard::close);
      throw e;
    }
  }

  @Override
  public void read(long offset, ByteBuffer target) throws IOException {
    int start = target.position();
    while (target.hasRemaining()) {
      FileChannel now = channel;
      try {
        if (now.read(target, offset + target.position() - start) < 0) {
          throw new EOFException(path + " ends before the request");
        }
      } catch (ClosedChannelException e) {
        reopen(now, e);
      }
    }
  }

  @Override
  public void write(long offset, ByteBuffer source) throws IOException {
    int start = source.position();
    while (source.hasRemaining()) {
      FileChannel now = channel;
      try {
        int unused = now.write(source, offset + source.position() - start);
      } catch (ClosedChannelException e) {
        reopen(now, e);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    FileChannel now = channel;
    try {
      now.force(false);
    } catch (ClosedChannelException e) {
      reopen(now, e);
      channel.force(false);
    }
  }

  /** The interruption is for the owner of the thread, not for a request of a host. */
  private synchronized void reopen(FileChannel before, ClosedChannelException cause)
      throws IOException {
    if (closed) {
      throw cause;
    }
    boolean interrupted = Thread.interrupted();
    if (before == channel) {
      channel = FileChannel.open(path, options);
    }
    if (interrupted) {
      throw new IOException(path + ": the thread of the request was interrupted", cause);
    }
  }

  @Override
  public boolean discard(long offset, long length) throws IOException {
    boolean done = discard.isPresent() && discard.get().discard(offset, length);
    if (done && options.contains(StandardOpenOption.DSYNC)) {
      flush();
    }
    return done;
  }

  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      discard.ifPresent(BlockDiscard::close);
      channel.close();
    }
  }
}
