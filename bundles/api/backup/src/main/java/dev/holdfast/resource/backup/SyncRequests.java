package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import java.util.List;

/** Validates the texts that request a scan or a verification. */
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
