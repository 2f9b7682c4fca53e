package dev.holdfast.access;

import java.net.URI;
import java.util.Objects;

/**
 * Secrets of one sign-in of a browser at an {@link IdentityProvider}.
 *
 * @param callback address to which the provider redirects the browser, not null
 * @param state random text that the provider returns through the browser, not null
 * @param nonce random text that the provider repeats in its token, not null
 * @param verifier random text (PKCE, RFC 7636); the provider receives its hash first; not null
 */
public record SignInRequest(URI callback, String state, String nonce, String verifier) {
  /** Rejects null components. */
  public SignInRequest {
    Objects.requireNonNull(callback, "callback");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(nonce, "nonce");
    Objects.requireNonNull(verifier, "verifier");
  }
}
