package dev.holdfast.engine.sparse.internal.replica;

import java.util.function.Supplier;

/**
 * Requests in the order in which they began, and objects for later ones, so that none is made in
 * the long run. Not thread-safe.
 */
public final class InFlightQueue<R extends InFlightQueue.Request<R>> {
  /** Something that is under way, or waits in the pool for its next life. */
  public abstract static class Request<R> {
    private R earlier;
    private R later;

    /** Returns the one that began next, null when it is the newest. */
    public final R later() {
      return later;
    }

    /** Forgets what it was for. */
    protected abstract void clear();
  }

  private final Supplier<R> maker;
  private final int mostPooled;
  private R oldest;
  private R newest;
  private R pool;
  private int pooled;

  /**
   * Begins with none.
   *
   * @param mostPooled how many are kept for later
   */
  public InFlightQueue(Supplier<R> maker, int mostPooled) {
    this.maker = maker;
    this.mostPooled = mostPooled;
  }

  /** Returns the one that began first, null when there is none. */
  public R oldest() {
    return oldest;
  }

  /** Returns one to be filled in. */
  public R take() {
    R request = pool;
    if (request == null) {
      return maker.get();
    }
    pool = ((Request<R>) request).later;
    pooled--;
    return request;
  }

  /** One begins. */
  public void append(R request) {
    Request<R> one = request;
    one.earlier = newest;
    one.later = null;
    if (newest == null) {
      oldest = request;
    } else {
      ((Request<R>) newest).later = request;
    }
    newest = request;
  }

  /** One that began has ended; its object may be used again. */
  public void remove(R request) {
    Request<R> one = request;
    if (one.earlier == null) {
      oldest = one.later;
    } else {
      ((Request<R>) one.earlier).later = one.later;
    }
    if (one.later == null) {
      newest = one.earlier;
    } else {
      ((Request<R>) one.later).earlier = one.earlier;
    }
    release(request);
  }

  /** One that did not begin may be used again. */
  public void release(R request) {
    request.clear();
    Request<R> one = request;
    one.earlier = null;
    one.later = null;
    if (pooled < mostPooled) {
      pooled++;
      one.later = pool;
      pool = request;
    }
  }
}
