package dev.holdfast.support.internal.peer;

import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A reply with flow control, so that little of it is in memory. Written by one thread outside of
 * gRPC.
 */
final class PacedReply {
  private final ServerCallStreamObserver<byte[]> observer;
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Creates a reply. Must be called within gRPC's own call. */
  PacedReply(ServerCallStreamObserver<byte[]> observer) {
    this.observer = observer;
    observer.setOnReadyHandler(this::wake);
    observer.setOnCancelHandler(this::wake);
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Sends a file. */
  void file(String name, byte[] content) throws IOException {
    send(NodeFileCalls.name(name));
    for (int at = 0; at < content.length; at += NodeFileCalls.PIECE) {
      send(NodeFileCalls.data(content, at));
    }
  }

  private void send(byte[] message) throws IOException {
    lock.lock();
    try {
      while (!observer.isReady() && !observer.isCancelled()) {
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      lock.unlock();
    }
    if (observer.isCancelled()) {
      throw new IOException("the calling node disconnected");
    }
    observer.onNext(message);
  }
}
