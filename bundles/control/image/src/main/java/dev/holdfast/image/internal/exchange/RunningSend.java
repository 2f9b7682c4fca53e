package dev.holdfast.image.internal.exchange;

import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.RangeSource;
import dev.holdfast.image.rpc.ContentPart;
import dev.holdfast.image.rpc.SendRequest;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.ServerCallStreamObserver;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Transfer of one range of an image to a receiver. Runs on one thread; any thread may end it. */
final class RunningSend implements ContentSink, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningSend.class);
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SendRequest request;
  private final ServerCallStreamObserver<ContentPart> receiver;
  private final Object changed = new Object();
  private long at;
  // Guarded by changed.
  private boolean ended;
  private RangeSource source;
  private SendLeases.Lease lease;

  RunningSend(SendRequest request, ServerCallStreamObserver<ContentPart> receiver) {
    this.request = request;
    this.receiver = receiver;
    this.at = request.getOffset();
    receiver.setOnCancelHandler(this::end);
    receiver.setOnReadyHandler(this::wake);
  }

  /** Sets the content and the right to send, which this object releases. */
  RunningSend from(RangeSource content, SendLeases.Lease held) {
    source = content;
    lease = held;
    return this;
  }

  @Override
  public void run() {
    try (SendLeases.Lease held = lease) {
      LOG.debug("image {}: sending by {}", request.getImage(), held);
      source.copyTo(request.getOffset(), request.getLength(), this);
      receiver.onCompleted();
    } catch (StorageException e) {
      LOG.info("image {}: sending ended: {}", request.getImage(), e.getMessage());
      receiver.onError(RpcErrors.toStatus(e));
    } catch (RuntimeException e) {
      LOG.error("image {}: sending failed", request.getImage(), e);
      receiver.onError(
          RpcErrors.toStatus(new StorageException(ErrorCode.INTERNAL, "sending failed: " + e, e)));
    }
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    int count = bytes.remaining();
    send(ContentPart.newBuilder().setOffset(at).setData(ByteString.copyFrom(bytes)), count);
  }

  @Override
  public void zeroes(long length) throws StorageException {
    send(ContentPart.newBuilder().setOffset(at).setZeroes(length), length);
  }

  private void send(ContentPart.Builder part, long length) throws StorageException {
    awaitReady();
    receiver.onNext(part.build());
    at += length;
  }

  private void awaitReady() throws StorageException {
    long deadline = System.nanoTime() + STALL_NANOS;
    synchronized (changed) {
      while (!ended && !receiver.isReady()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new StorageException(
              ErrorCode.TIMEOUT, "image " + request.getImage() + ": the receiver accepts no data");
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(changed, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new StorageException(ErrorCode.UNREACHABLE, "this node stops sending", e);
        }
      }
      if (ended) {
        throw new StorageException(
            ErrorCode.UNREACHABLE, "image " + request.getImage() + ": the receiver left");
      }
    }
  }

  /** Requests the end of the transfer. */
  void end() {
    synchronized (changed) {
      ended = true;
      changed.notifyAll();
    }
  }

  private void wake() {
    synchronized (changed) {
      changed.notifyAll();
    }
  }
}
