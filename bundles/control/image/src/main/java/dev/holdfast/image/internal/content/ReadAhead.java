package dev.holdfast.image.internal.content;

import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Reads and unpacks the next pieces of a disk on its own threads while the caller's thread forwards
 * the earlier pieces in order.
 *
 * <pre>
 *   runs of the disk ──► pieces ──► readers (4) ──► in order ──► sink (caller: checksum, write)
 * </pre>
 *
 * <p>For one thread.
 */
final class ReadAhead implements AutoCloseable {
  private static final int PIECE = 1 << 20;
  private static final int READERS = 4;
  private static final int AHEAD = 3 * READERS;

  private final VirtualDisk disk;
  private final ContentSink sink;
  private final List<VirtualDisk> readers = new ArrayList<>();
  private final BlockingQueue<VirtualDisk> idle = new LinkedBlockingQueue<>();
  private final Deque<ByteBuffer> buffers = new ArrayDeque<>();
  private final Deque<Piece> pieces = new ArrayDeque<>();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          READERS,
          task -> {
            Thread thread = new Thread(task, "image-read");
            thread.setDaemon(true);
            return thread;
          });
  private final Executor executor;

  /**
   * A piece whose read was started.
   *
   * @param zeroes number of zero bytes, 0 for data
   * @param data empty for zeroes
   */
  private record Piece(long zeroes, Optional<Future<ByteBuffer>> data) {}

  /**
   * Begins.
   *
   * @param disk stays open
   * @param sink receives the content on the caller's thread
   */
  ReadAhead(VirtualDisk disk, ContentSink sink) {
    this.disk = disk;
    this.sink = sink;
    // For a single piece, read-ahead has no effect.
    this.executor = disk.size() <= PIECE ? Runnable::run : threads;
    for (int i = 0; i < READERS; i++) {
      readers.add(disk.another());
    }
    idle.addAll(readers);
  }

  /**
   * Copies the whole disk to the sink.
   *
   * @throws StorageException as the disk and the sink throw it
   */
  void copy() throws StorageException {
    for (long at = 0; at < disk.size(); ) {
      VirtualDisk.Run run = disk.run(at);
      if (run.zero()) {
        makeRoom();
        pieces.add(new Piece(run.length(), Optional.empty()));
      } else {
        for (long done = 0; done < run.length(); done += PIECE) {
          begin(at + done, (int) Math.min(PIECE, run.length() - done));
        }
      }
      at += run.length();
    }
    while (!pieces.isEmpty()) {
      passFirst();
    }
  }

  /** Forwards pieces until another read may start. */
  private void makeRoom() throws StorageException {
    while (pieces.size() >= AHEAD) {
      passFirst();
    }
  }

  private void begin(long offset, int length) throws StorageException {
    makeRoom();
    // Each piece has at most one buffer, so there are at most AHEAD buffers.
    ByteBuffer buffer = buffers.isEmpty() ? ByteBuffer.allocateDirect(PIECE) : buffers.remove();
    buffer.clear().limit(length);
    FutureTask<ByteBuffer> reading = new FutureTask<>(() -> read(offset, buffer));
    pieces.add(new Piece(0, Optional.of(reading)));
    executor.execute(reading);
  }

  private ByteBuffer read(long offset, ByteBuffer buffer) throws Exception {
    VirtualDisk reader = idle.take();
    try {
      reader.read(offset, buffer);
      return buffer.flip();
    } finally {
      idle.add(reader);
    }
  }

  private void passFirst() throws StorageException {
    Piece first = pieces.remove();
    if (first.data().isEmpty()) {
      sink.zeroes(first.zeroes());
    } else {
      ByteBuffer buffer = await(first.data().get());
      DiskContent.split(buffer, sink);
      buffers.add(buffer);
    }
  }

  private static ByteBuffer await(Future<ByteBuffer> data) throws StorageException {
    try {
      return data.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StorageException failure
          ? failure
          : new StorageException(ErrorCode.INTERNAL, "read failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "the copy was interrupted", e);
    }
  }

  /** Waits for running reads, because an interrupted read would close the file of the disk. */
  @Override
  public void close() {
    threads.shutdown();
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = threads.awaitTermination(1, TimeUnit.HOURS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    readers.forEach(VirtualDisk::close);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
