package dev.holdfast.backuptarget.azure.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Receives a body up to a size, whatever size the server announces. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final int most;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private Flow.Subscription subscription;

  BoundedBody(int most) {
    this.most = most;
  }

  /** The body has more bytes than it may have. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;

    TooLongException() {
      super("too long");
    }
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      if (body.isDone()) {
        return;
      }
      if (part.remaining() > most - received.size()) {
        subscription.cancel();
        body.completeExceptionally(new TooLongException());
        return;
      }
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      received.write(bytes, 0, bytes.length);
    }
  }

  @Override
  public void onError(Throwable cause) {
    body.completeExceptionally(cause);
  }

  @Override
  public void onComplete() {
    body.complete(received.toByteArray());
  }
}
