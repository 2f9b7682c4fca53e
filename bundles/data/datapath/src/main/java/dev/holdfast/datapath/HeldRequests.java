package dev.holdfast.datapath;

/** Requests of hosts that wait until this is closed. Owned by one operation; not thread-safe. */
@FunctionalInterface
public interface HeldRequests extends AutoCloseable {

  /** Releases the requests. Idempotent. */
  @Override
  void close();
}
