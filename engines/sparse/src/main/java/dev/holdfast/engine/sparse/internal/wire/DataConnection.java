package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.block.IoThread;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The requests of one session with a replica, over one socket. The calling thread sends, unless
 * another thread is sending. The loop's thread reads the replies, and continues to send when a full
 * socket is writable again. No thread waits for the other side.
 *
 * <pre>
 *   request --> filling batch --swap--> sending batch --> socket
 *      '--(batch full)--> overflow --'
 * </pre>
 */
public final class DataConnection implements LinkData, DataLoop.Handler {
  private static final ByteBuffer[] NOTHING = {};

  private final String what;
  private final SocketChannel channel;
  private final DataSocket socket;
  private final DataLoop loop;
  private final Consumer<StorageException> lost;
  private final DataReplies replies;
  private final Runnable flush = this::flush;
  private final BufferCache<DataBatch> batches;

  // Guarded by this.
  private final List<DataRequest> requests = new ArrayList<>();
  private final ArrayDeque<DataRequest> idle = new ArrayDeque<>();
  private final ArrayDeque<DataRequest> overflow = new ArrayDeque<>();
  // Null while the batch is empty, so that an idle connection holds no memory for requests.
  private DataBatch filling;
  private DataBatch sending;
  private boolean senderTaken;
  private boolean senderAtWork;
  private boolean readerAtWork;
  private boolean closed;
  private boolean told;
  private StorageException failure;

  /**
   * Uses a socket whose handshake is complete.
   *
   * @param what names of the replica and its node for messages
   * @param buffers pool shared with the other connections
   * @param lost called once after the connection broke, when no thread uses a buffer
   */
  public DataConnection(
      String what,
      SocketChannel channel,
      DataSocket socket,
      DataLoop loop,
      WireBuffers buffers,
      Consumer<StorageException> lost) {
    this.what = what;
    this.channel = channel;
    this.socket = socket;
    this.loop = loop;
    this.lost = lost;
    this.batches = buffers.batches();
    this.replies = new DataReplies(this, socket, buffers.inputs());
  }

  public void start() throws IOException {
    loop.watch(channel, this);
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    submit(Wire.CMD_READ, 0, offset, length, target, position, done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    submit(Wire.CMD_WRITE, 0, offset, length, source, position, done);
  }

  @Override
  public void zero(long offset, int length, boolean allocated, MemberCompletion done) {
    int flags = allocated ? Wire.CMD_FLAG_NO_HOLE : 0;
    submit(Wire.CMD_WRITE_ZEROES, flags, offset, length, null, 0, done);
  }

  @Override
  public void sync(MemberCompletion done) {
    submit(Wire.CMD_FLUSH, 0, 0, 0, null, 0, done);
  }

  /** Deferred to the end of the caller's run, if the caller is in one. */
  @Override
  public void endOfBatch() {
    if (!IoThread.defer(flush)) {
      flush();
    }
  }

  private void submit(
      int type,
      int flags,
      long offset,
      int length,
      ByteBuffer buffer,
      int position,
      MemberCompletion done) {
    try {
      collect(type, flags, offset, length, buffer, position, done);
    } catch (RuntimeException | Error e) {
      // The owner learns of the loss, and sends the request again or fails it.
      fail(defect(e));
    }
  }

  private synchronized void collect(
      int type,
      int flags,
      long offset,
      int length,
      ByteBuffer buffer,
      int position,
      MemberCompletion done) {
    if (failure != null || closed) {
      // No further request completes here: the receiver of the loss sends it again.
      return;
    }
    DataRequest request = idle.pollFirst();
    if (request == null) {
      request = new DataRequest(requests.size());
      requests.add(request);
    }
    request.begin(type, flags, offset, length, done).data(buffer, position);
    if (!overflow.isEmpty() || !fill(request)) {
      // The caller may change the buffer's own limits as soon as this returns.
      request.data(buffer == null ? null : buffer.duplicate().clear(), position);
      overflow.addLast(request);
    }
  }

  private boolean fill(DataRequest request) {
    if (filling == null) {
      filling = batches.take();
    }
    return filling.add(request);
  }

  private void flush() {
    synchronized (this) {
      if (senderTaken || filling == null || dead()) {
        return;
      }
      senderTaken = true;
      senderAtWork = true;
    }
    send();
  }

  /** Sends until no batch is left or the socket is full. */
  private void send() {
    try {
      while (nextBatch()) {
        if (!sendRest()) {
          leaveSender(true);
          loop.awaitWritable(channel);
          return;
        }
      }
    } catch (IOException e) {
      fail(broken(e.getMessage(), e));
      leaveSender(true);
    } catch (RuntimeException | Error e) {
      fail(defect(e));
      leaveSender(true);
    }
  }

  private synchronized boolean nextBatch() {
    if (sending != null) {
      batches.give(sending);
      sending = null;
    }
    if (dead() || filling == null) {
      leaveSender(false);
      return false;
    }
    sending = filling;
    filling = null;
    while (!overflow.isEmpty() && fill(overflow.peekFirst())) {
      overflow.removeFirst();
    }
    return true;
  }

  // Without a batch, TLS may still have bytes to send.
  private boolean sendRest() throws IOException {
    return sending == null ? socket.write(NOTHING, 0, 0) : sending.sendTo(socket);
  }

  /**
   * Ends the sender's turn. With unsent bytes, no other thread may send until the socket is
   * writable.
   */
  private synchronized void leaveSender(boolean unfinished) {
    senderAtWork = false;
    senderTaken = unfinished;
    notifyAll();
    tellLater();
  }

  @Override
  public void writable() {
    synchronized (this) {
      if (dead() || senderAtWork) {
        return;
      }
      senderTaken = true;
      senderAtWork = true;
    }
    try {
      if (sendRest()) {
        send();
      } else {
        leaveSender(true);
        loop.awaitWritable(channel);
      }
    } catch (IOException e) {
      fail(broken(e.getMessage(), e));
      leaveSender(true);
    } catch (RuntimeException | Error e) {
      fail(defect(e));
      leaveSender(true);
    }
  }

  @Override
  public void readable() {
    synchronized (this) {
      if (dead()) {
        return;
      }
      readerAtWork = true;
    }
    StorageException cause = null;
    try {
      if (!replies.take()) {
        cause = broken("the node closed the connection", null);
      } else if (socket.hasUnsent()) {
        loop.awaitWritable(channel);
      }
    } catch (IOException e) {
      cause = broken(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      cause = defect(e);
    }
    if (cause != null) {
      fail(cause);
    }
    synchronized (this) {
      readerAtWork = false;
      notifyAll();
      tellLater();
    }
  }

  @Override
  public void stopped() {
    fail(broken("the transport stops", null));
  }

  /** Returns the request that a reply names, or null when it does not exist. */
  synchronized DataRequest find(long cookie) {
    int index = (int) cookie;
    if (index < 0 || index >= requests.size()) {
      return null;
    }
    DataRequest request = requests.get(index);
    return request.active() && request.cookie() == cookie ? request : null;
  }

  /** Completes a request whose reply was received, unless the connection was closed before. */
  void complete(DataRequest request, int error) {
    MemberCompletion done;
    long length;
    synchronized (this) {
      if (closed) {
        return;
      }
      done = request.done;
      length = request.length;
      request.end();
      idle.addFirst(request);
    }
    if (error == 0) {
      done.completed(null, length);
    } else {
      done.completed(
          new StorageException(DataErrors.of(error), what + " failed with error " + error), 0);
    }
  }

  @Override
  public synchronized boolean dead() {
    return closed || failure != null;
  }

  /** Breaks the connection. Reports the loss when no thread uses the connection. */
  void fail(StorageException cause) {
    synchronized (this) {
      if (dead()) {
        return;
      }
      failure = cause;
    }
    closeSocket();
    synchronized (this) {
      tellLater();
    }
  }

  /** Reports the loss on the loop's thread, once no other thread uses the connection. */
  private void tellLater() {
    if (failure != null && !closed && !told && !senderAtWork && !readerAtWork) {
      told = true;
      StorageException cause = failure;
      loop.later(() -> tell(cause));
    }
  }

  private void tell(StorageException cause) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    lost.accept(cause);
  }

  private StorageException defect(Throwable cause) {
    return new StorageException(ErrorCode.INTERNAL, what + ": " + cause, cause);
  }

  private StorageException broken(String why, Exception cause) {
    return new StorageException(ErrorCode.UNREACHABLE, what + ": " + why, cause);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closeSocket();
    synchronized (this) {
      Uninterruptibly.awaitWhile(this, () -> senderAtWork || (readerAtWork && !loop.isCurrent()));
    }
  }

  private void closeSocket() {
    try {
      socket.close();
    } catch (IOException e) {
      // The connection is abandoned either way.
    }
  }
}
