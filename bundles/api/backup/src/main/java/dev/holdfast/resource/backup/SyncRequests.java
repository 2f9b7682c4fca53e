package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import java.util.List;

/** Checks the texts by which a scan or a verification is asked for. */
final class SyncRequests {
  private static final int LONGEST = 100;

  private SyncRequests() {}

  static List<FieldError> validate(String field, String request) {
    return new Checks()
        .that(
            request.length() <= LONGEST && request.matches("[\\p{Graph}]*"),
            field,
            request,
            "must be at most " + LONGEST + " printable ASCII characters without spaces")
        .errors();
  }
}
