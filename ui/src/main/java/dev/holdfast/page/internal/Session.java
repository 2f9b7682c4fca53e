package dev.holdfast.page.internal;

import java.time.Instant;
import java.util.Objects;

/**
 * One signed-in browser.
 *
 * @param credential identifier of the credential that signed in
 * @param readOnly whether writes are refused
 * @param since time of the sign-in
 * @param lastUsed time of the last request
 */
record Session(String credential, boolean readOnly, Instant since, Instant lastUsed) {
  Session {
    Objects.requireNonNull(credential, "credential");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(lastUsed, "lastUsed");
  }

  Session usedAt(Instant time) {
    return new Session(credential, readOnly, since, time);
  }
}
