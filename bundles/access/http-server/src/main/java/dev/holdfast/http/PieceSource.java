package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * Makes the body of an answer piece by piece. The server calls {@link #open} once, then {@link
 * #next} while the client has room for more, and {@link #close} at the end. These calls never
 * overlap, and none of them may block, because few threads serve all sources.
 */
public interface PieceSource extends AutoCloseable {
  /**
   * Begins.
   *
   * @param wake to be called, on any thread, when a next piece is there; not null. It returns at
   *     once.
   */
  void open(Runnable wake);

  /** Returns the next piece, never null. */
  Piece next();

  /** Ends, also before the body is complete, because the client has gone; idempotent. */
  @Override
  void close();

  /**
   * Piece of a body.
   *
   * @param bytes from position to limit, not null; empty when nothing is there now. Not to be
   *     changed afterwards
   * @param last whether the body ends with it
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

    /** Returns that nothing is there now. */
    public static Piece none(Duration quiet) {
      return new Piece(NOTHING.duplicate(), false, quiet);
    }
  }
}
