package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * How something ended that was asked for once.
 *
 * @param requestID of what was asked for; another one is a new request
 * @param finishedAt when it ended, empty while it goes on
 * @param result what came of it, for people
 * @param error why it failed, empty when it did not
 */
@RecordBuilder
public record RequestOutcome(
    String requestID, Optional<Instant> finishedAt, String result, String error)
    implements RequestOutcomeBuilder.With {
  /** Nothing was asked for. */
  public static final RequestOutcome EMPTY = new RequestOutcome(null, Optional.empty(), null, null);

  /** Replaces what is null by its default. */
  public RequestOutcome {
    requestID = Defaults.text(requestID);
    finishedAt = Defaults.optional(finishedAt);
    result = Defaults.text(result);
    error = Defaults.text(error);
  }

  /** Returns whether a request was made that has not ended. */
  public boolean isPending(String wanted) {
    return !wanted.isEmpty() && !(requestID.equals(wanted) && finishedAt.isPresent());
  }
}
