package dev.holdfast.http;

import java.util.Objects;
import java.util.function.Supplier;

/** Decision about a request, made by its head. */
public sealed interface HttpAdmission {
  /**
   * Returns what is run once when the request has ended, however it ended; never null, and it must
   * not block.
   */
  Runnable ended();

  /**
   * The answer does not depend on the body, of which nothing is kept.
   *
   * @param answer not null
   */
  record Answered(HttpAnswer.Complete answer) implements HttpAdmission {
    /** Rejects null components. */
    public Answered {
      Objects.requireNonNull(answer, "answer");
    }

    @Override
    public Runnable ended() {
      return () -> {};
    }
  }

  /**
   * The decision may block, so a thread of a lane makes it. Nothing of the body is read before.
   *
   * @param lane threads that decide, not null
   * @param decision returns the admission, never null; a failure of it gets 500
   * @param ended as for {@link Whole}, beside that of the decision; not null
   */
  record Deferred(HttpLane lane, Supplier<HttpAdmission> decision, Runnable ended)
      implements HttpAdmission {
    /** Rejects null components. */
    public Deferred {
      Objects.requireNonNull(lane, "lane");
      Objects.requireNonNull(decision, "decision");
      Objects.requireNonNull(ended, "ended");
    }
  }

  /**
   * The request is handled when its body is complete.
   *
   * @param lane threads that handle it, not null
   * @param identified whether the caller has shown a credential that is known
   * @param largestBody bytes that the body may have; more gets 413
   * @param handler answers it, not null
   * @param ended is run once when the request has ended, however it ended, not null; it must not
   *     block
   */
  record Whole(
      HttpLane lane, boolean identified, int largestBody, WholeHandler handler, Runnable ended)
      implements HttpAdmission {
    /** Rejects null components. */
    public Whole {
      Objects.requireNonNull(lane, "lane");
      Objects.requireNonNull(handler, "handler");
      Objects.requireNonNull(ended, "ended");
    }
  }

  /**
   * Both bodies are streams. The caller has shown a credential that is known.
   *
   * @param handler answers it, not null
   * @param ended as for {@link Whole}, not null
   */
  record Streamed(StreamHandler handler, Runnable ended) implements HttpAdmission {
    /** Rejects null components. */
    public Streamed {
      Objects.requireNonNull(handler, "handler");
      Objects.requireNonNull(ended, "ended");
    }
  }

  /** Answers a request whose body is complete. */
  @FunctionalInterface
  interface WholeHandler {
    /**
     * Answers, on a thread of the lane, which may block.
     *
     * @param body of the request, not null
     * @return the answer, never null
     */
    HttpAnswer handle(byte[] body);
  }
}
