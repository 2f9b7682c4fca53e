package dev.holdfast.backuptarget.azure.internal;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;

/** Sends buffers without copying them and without changing their positions. */
final class ContentPublisher implements BodyPublisher {
  private final List<ByteBuffer> content;
  private final long length;

  private ContentPublisher(List<ByteBuffer> content, long length) {
    this.content = content;
    this.length = length;
  }

  /** Returns what sends some buffers. */
  static BodyPublisher of(List<ByteBuffer> content) {
    long length = content.stream().mapToLong(ByteBuffer::remaining).sum();
    return length == 0 ? BodyPublishers.noBody() : new ContentPublisher(content, length);
  }

  @Override
  public long contentLength() {
    return length;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    List<ByteBuffer> parts = new ArrayList<>();
    for (ByteBuffer part : content) {
      if (part.hasRemaining()) {
        parts.add(part.asReadOnlyBuffer());
      }
    }
    subscriber.onSubscribe(new Parts(parts, subscriber));
  }

  /** Hands out one buffer for each that is asked for. Calls may be nested. */
  private static final class Parts implements Flow.Subscription {
    private final List<ByteBuffer> parts;
    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private long wanted;
    private int next;
    private boolean handing;
    private boolean ended;

    Parts(List<ByteBuffer> parts, Flow.Subscriber<? super ByteBuffer> subscriber) {
      this.parts = parts;
      this.subscriber = subscriber;
    }

    @Override
    public synchronized void request(long count) {
      wanted += Math.min(count, parts.size());
      if (handing) {
        return;
      }
      handing = true;
      while (!ended && wanted > 0 && next < parts.size()) {
        wanted--;
        subscriber.onNext(parts.get(next++));
      }
      handing = false;
      if (!ended && next == parts.size()) {
        ended = true;
        subscriber.onComplete();
      }
    }

    @Override
    public synchronized void cancel() {
      ended = true;
    }
  }
}
