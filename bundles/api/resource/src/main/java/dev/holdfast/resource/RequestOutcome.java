package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The outcome of a request that is executed once.
 *
 * @param requestID id of the request; another id is a new request
 * @param finishedAt time at which the request ended; empty while it is running
 * @param result result of the request, for users
 * @param error cause of the failure; empty if there is none
 */
@RecordBuilder
public record RequestOutcome(
    String requestID, Optional<Instant> finishedAt, String result, String error)
    implements RequestOutcomeBuilder.With {
  /** The state before the first request. */
  public static final RequestOutcome EMPTY = new RequestOutcome(null, Optional.empty(), null, null);

  /** Replaces null components by their defaults. */
  public RequestOutcome {
    requestID = Defaults.text(requestID);
    finishedAt = Defaults.optional(finishedAt);
    result = Defaults.text(result);
    error = Defaults.text(error);
  }

  /** Returns whether the wanted request has not yet ended. */
  public boolean isPending(String wanted) {
    return !wanted.isEmpty() && !(requestID.equals(wanted) && finishedAt.isPresent());
  }
}
