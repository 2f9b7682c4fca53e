package dev.holdfast.apiserver.internal.http;

import dev.holdfast.http.PieceSource;
import java.util.concurrent.atomic.AtomicBoolean;

/** A stream whose end is reported once. */
public final class CountedSource implements PieceSource {
  private final PieceSource source;
  private final Runnable ended;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a stream.
   *
   * @param source produces the pieces
   * @param ended runs at the end of the stream
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
