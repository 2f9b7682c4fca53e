package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * Produces the body of an answer piece by piece. The server calls {@link #open} once, then {@link
 * #next} as the client reads, and {@link #close} at the end. These calls never overlap and must not
 * block, because few threads serve all sources.
 */
public interface PieceSource extends AutoCloseable {
  /**
   * Starts the source.
   *
   * @param wake called by the source, on any thread, when a piece is available; returns at once;
   *     not null
   */
  void open(Runnable wake);

  /** Returns the next piece, never null. */
  Piece next();

  /**
   * Ends the source, possibly before the body is complete because the client has disconnected;
   * idempotent.
   */
  @Override
  void close();

  /**
   * Piece of a body.
   *
   * @param bytes from position to limit, not null; empty if no data is available now; must not
   *     change afterwards
   * @param last whether it is the last piece
   * @param quiet time after which the server calls again without a wake-up, not null; only for a
   *     piece without bytes
   */
  record Piece(ByteBuffer bytes, boolean last, Duration quiet) {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Rejects null components. */
    public Piece {
      Objects.requireNonNull(bytes, "bytes");
      Objects.requireNonNull(quiet, "quiet");
    }

    /** Returns a piece after which more follows. */
    public static Piece of(ByteBuffer bytes) {
      return new Piece(bytes, false, Duration.ZERO);
    }

    /** Returns the last piece, which may be empty. */
    public static Piece last(ByteBuffer bytes) {
      return new Piece(bytes, true, Duration.ZERO);
    }

    /** Returns a piece without data, because none is available now. */
    public static Piece none(Duration quiet) {
      return new Piece(NOTHING.duplicate(), false, quiet);
    }
  }
}
