package dev.holdfast.engine.sparse.internal.replica;

import java.util.function.Supplier;

/**
 * Requests in the order of their start, with a pool of objects, so that the steady state allocates
 * no memory. Not thread-safe.
 */
public final class InFlightQueue<R extends InFlightQueue.Request<R>> {
  /** A request in flight, or a pooled object. */
  public abstract static class Request<R> {
    private R earlier;
    private R later;

    /** Returns the next newer request, null when this is the newest. */
    public final R later() {
      return later;
    }

    /** Clears the fields before the object is pooled. */
    protected abstract void clear();
  }

  private final Supplier<R> maker;
  private final int mostPooled;
  private R oldest;
  private R newest;
  private R pool;
  private int pooled;

  /**
   * Starts empty.
   *
   * @param mostPooled maximum size of the pool
   */
  public InFlightQueue(Supplier<R> maker, int mostPooled) {
    this.maker = maker;
    this.mostPooled = mostPooled;
  }

  /** Returns the oldest request in flight, null when none is in flight. */
  public R oldest() {
    return oldest;
  }

  /** Returns an object from the pool or a new one. */
  public R take() {
    R request = pool;
    if (request == null) {
      return maker.get();
    }
    pool = ((Request<R>) request).later;
    pooled--;
    return request;
  }

  /** Adds a request that starts. */
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

  /** Removes a request that has ended and returns its object to the pool. */
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

  /** Returns an object to the pool whose request was not started. */
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
