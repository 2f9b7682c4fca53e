package dev.holdfast.datapath;

/** Requests of hosts that wait until this is closed. Owned by one operation; not thread-safe. */
@FunctionalInterface
public interface HeldRequests extends AutoCloseable {

  /** Lets the requests continue. Idempotent. */
  @Override
  void close();
}
