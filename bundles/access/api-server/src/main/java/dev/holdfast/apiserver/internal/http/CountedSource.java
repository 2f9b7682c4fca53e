package dev.holdfast.apiserver.internal.http;

import dev.holdfast.http.PieceSource;
import java.util.concurrent.atomic.AtomicBoolean;

/** A stream whose end is counted, once. */
public final class CountedSource implements PieceSource {
  private final PieceSource source;
  private final Runnable ended;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a stream.
   *
   * @param source that makes the pieces
   * @param ended is run when the stream ends
   */
  public CountedSource(PieceSource source, Runnable ended) {
    this.source = source;
    this.ended = ended;
  }

  @Override
  public void open(Runnable wake) {
    source.open(wake);
  }

  @Override
  public Piece next() {
    return source.next();
  }

  @Override
  public void close() {
    try {
      source.close();
    } finally {
      if (closed.compareAndSet(false, true)) {
        ended.run();
      }
    }
  }
}
