package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.http.PieceSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Several watches in one stream. Each watch writes complete lines with its id. The end of one
 * watch, for example with code 410, does not end the others; the stream ends with the last watch.
 */
final class MultiplexedWatch implements PieceSource {
  private final ByteBuffer refused;
  private final List<PieceSource> watches;
  private boolean begun;

  /**
   * Combines watches.
   *
   * @param refused lines for rejected entries
   * @param watches the watches
   */
  MultiplexedWatch(ByteBuffer refused, List<PieceSource> watches) {
    this.refused = refused;
    this.watches = new ArrayList<>(watches);
  }

  @Override
  public void open(Runnable wake) {
    watches.forEach(watch -> watch.open(wake));
  }

  @Override
  public Piece next() {
    if (!begun) {
      begun = true;
      if (refused.hasRemaining()) {
        return Piece.of(refused);
      }
    }
    Duration quiet = Duration.ofDays(1);
    Iterator<PieceSource> all = watches.iterator();
    while (all.hasNext()) {
      PieceSource watch = all.next();
      Piece piece = watch.next();
      if (piece.last()) {
        all.remove();
        watch.close();
      }
      if (piece.bytes().hasRemaining()) {
        // The next call reads the other watches first, so that one busy watch does not delay them.
        if (!piece.last()) {
          all.remove();
          watches.add(watch);
        }
        return Piece.of(piece.bytes());
      } else if (!piece.last() && piece.quiet().compareTo(quiet) < 0) {
        quiet = piece.quiet();
      }
    }
    return watches.isEmpty() ? Piece.last(ByteBuffer.allocate(0)) : Piece.none(quiet);
  }

  @Override
  public void close() {
    watches.forEach(PieceSource::close);
    watches.clear();
  }
}
