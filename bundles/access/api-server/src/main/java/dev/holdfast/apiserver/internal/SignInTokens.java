package dev.holdfast.apiserver.internal;

import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.TokenCheck;
import dev.holdfast.apiserver.internal.auth.RequestAdmission;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * Checks tokens with which a request to the path of an extension signs in. Each use is recorded in
 * the audit log.
 */
final class SignInTokens implements TokenCheck {
  private static final int UNAUTHORIZED = 401;
  private static final int OK = 200;

  private final RequestAdmission admission;
  private final RequestAudit audit;
  private final ApiRequest head;

  SignInTokens(RequestAdmission admission, RequestAudit audit, ApiRequest head) {
    this.admission = admission;
    this.audit = audit;
    this.head = head;
  }

  @Override
  public Optional<String> credentialOf(String token) throws StorageException {
    Optional<String> credential = admission.tokens().credentialOf(token);
    RequestAudit.Attempt attempt = audit.begin(head);
    if (credential.isEmpty()) {
      attempt.end(UNAUTHORIZED, "the token of a sign-in is not known");
      return credential;
    }
    try {
      AccessRequest signIn = AccessRequest.ofPath("POST", head.pathText());
      attempt.asks(admission.holder(credential.get()), signIn);
      attempt.permitted("signed in by a token", false);
      attempt.end(OK, "");
      return credential;
    } catch (ApiException e) {
      attempt.end(e.status().code(), e.status().message());
      return Optional.empty();
    }
  }
}
