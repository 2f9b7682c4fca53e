package dev.holdfast.image.internal.exchange;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The receivers to which this node sends images: at most three of each file, so that further
 * receivers copy the image from a receiver that is ready. Thread-safe.
 */
final class SendLeases {
  static final int RECEIVERS_OF_FILE = 3;
  static final int RECEIVERS_OF_NODE = 12;

  // Guarded by this.
  private final Map<Key, Lease> leases = new HashMap<>();

  /** One file and one receiver of it. */
  private record Key(String file, String receiver) {}

  /** The right to send. Closed by the sender when it has ended. */
  final class Lease implements AutoCloseable {
    private final Key key;
    private final Runnable end;

    private Lease(Key key, Runnable end) {
      this.key = key;
      this.end = end;
    }

    @Override
    public void close() {
      synchronized (SendLeases.this) {
        leases.remove(key, this);
      }
    }
  }

  /**
   * Admits a receiver. Ends an earlier call of the same receiver, because its node has started
   * again.
   *
   * @param file that is sent
   * @param receiver that gets it
   * @param end ends the sending
   * @throws StorageException BUSY while the file or the node has the maximum number of receivers
   */
  Lease acquire(String file, String receiver, Runnable end) throws StorageException {
    Lease lease = new Lease(new Key(file, receiver), end);
    Lease earlier;
    synchronized (this) {
      earlier = leases.get(lease.key);
      if (earlier == null) {
        requireFree(file);
      }
      leases.put(lease.key, lease);
    }
    if (earlier != null) {
      earlier.end.run();
    }
    return lease;
  }

  private void requireFree(String file) throws StorageException {
    long ofFile = leases.keySet().stream().filter(key -> key.file().equals(file)).count();
    if (ofFile >= RECEIVERS_OF_FILE || leases.size() >= RECEIVERS_OF_NODE) {
      throw new StorageException(
          ErrorCode.BUSY,
          "image "
              + file
              + " is sent to "
              + ofFile
              + " receivers of this file, the limit is "
              + RECEIVERS_OF_FILE
              + " of a file and "
              + RECEIVERS_OF_NODE
              + " of a node");
    }
  }

  /** Ends all sending. */
  void endAll() {
    List<Lease> running;
    synchronized (this) {
      running = List.copyOf(leases.values());
    }
    running.forEach(lease -> lease.end.run());
  }
}
