package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import io.grpc.StatusException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects with a call in flight: a second call is rejected with ABORTED, as the specification
 * requires, without blocking a thread. Thread-safe.
 */
public final class InFlightCalls {
  private final Set<String> claimed = ConcurrentHashMap.newKeySet();

  /**
   * Runs a call if no other call works on the object.
   *
   * @param object kind and name of the object, for example {@code volume demo}
   * @throws StatusException ABORTED if another call works on the object
   */
  public <T> T on(String object, CallReplies.Call<T> call)
      throws StorageException, StatusException {
    if (!claimed.add(object)) {
      throw CsiStatus.aborted(object + ": another call for it is under way, try again");
    }
    try {
      return call.answer();
    } finally {
      claimed.remove(object);
    }
  }
}
