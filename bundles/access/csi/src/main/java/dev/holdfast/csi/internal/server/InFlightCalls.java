package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import io.grpc.StatusException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects with a call in flight: a second call is rejected with ABORTED, as the specification
 * requires, and blocks no thread. Thread-safe.
 */
public final class InFlightCalls {
  private final Set<String> claimed = ConcurrentHashMap.newKeySet();

  /**
   * Answers while no other call works on an object.
   *
   * @param object what it is and its name, for example {@code volume demo}
   * @throws StatusException ABORTED when one does
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
