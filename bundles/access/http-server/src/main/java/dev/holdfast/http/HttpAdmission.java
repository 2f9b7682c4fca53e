package dev.holdfast.http;

import java.util.Objects;
import java.util.function.Supplier;

/** Decision about a request, based on its head. */
public sealed interface HttpAdmission {
  /**
   * Returns the action that runs once at the end of the request, on success and failure; never
   * null, must not block.
   */
  Runnable ended();

  /**
   * The answer does not depend on the body, which is discarded.
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
   * The decision may block, so a thread of a lane makes it. The body is not read before.
   *
   * @param lane threads for the decision, not null
   * @param decision returns the admission, never null; its failure causes 500
   * @param ended as for {@link Whole}, in addition to that of the decision; not null
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
   * @param lane threads for the handler, not null
   * @param identified whether the caller has a valid credential
   * @param largestBody size limit of the body in bytes; a larger body causes 413
   * @param handler handles the request, not null
   * @param ended runs once at the end of the request, on success and failure; not null, must not
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
   * Both bodies are streams. The caller has a valid credential.
   *
   * @param handler handles the request, not null
   * @param ended as for {@link Whole}, not null
   */
  record Streamed(StreamHandler handler, Runnable ended) implements HttpAdmission {
    /** Rejects null components. */
    public Streamed {
      Objects.requireNonNull(handler, "handler");
      Objects.requireNonNull(ended, "ended");
    }
  }

  /** Handles a request with a complete body. */
  @FunctionalInterface
  interface WholeHandler {
    /**
     * Handles the request on a thread of the lane, which may block.
     *
     * @param body of the request, not null
     * @return the answer, never null
     */
    HttpAnswer handle(byte[] body);
  }
}
