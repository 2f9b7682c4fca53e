package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.TokenCheck;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;

/**
 * The only place in which the server identifies the sender of a request and checks the sender's
 * permission.
 */
public final class RequestAdmission {
  private final Authentication authentication;
  private final AccessControl access;
  private final RequestReader requested;

  /**
   * Creates the decisions.
   *
   * @param authentication identifies callers
   * @param access checks permissions
   * @param requested reads the requested access of a request
   */
  public RequestAdmission(
      Authentication authentication, AccessControl access, RequestReader requested) {
    this.authentication = authentication;
    this.access = access;
    this.requested = requested;
  }

  /** Returns the check of tokens. */
  public TokenCheck tokens() {
    return authentication;
  }

  /**
   * Returns the holder of a credential.
   *
   * @param credential as {@link #tokens} returns it
   * @throws ApiException 401 for an expired or removed credential; 503 if it cannot be verified yet
   */
  public Caller holder(String credential) throws ApiException {
    return authentication.holder(credential);
  }

  /**
   * Returns the sender of a request, by its head.
   *
   * @throws ApiException 401 for a wrong credential; 503 if it cannot be verified yet
   */
  public Caller caller(ApiRequest head) throws ApiException {
    return authentication.require(head);
  }

  /**
   * Returns the sender of a request without reading the store; anonymous if only the store can
   * identify it.
   *
   * @throws ApiException as {@link #caller}
   */
  public Caller knownCaller(ApiRequest head) throws ApiException {
    return authentication.knownSender(head);
  }

  /** Returns the access that a request needs. */
  public AccessRequest requested(ApiRequest request) {
    return requested.of(request);
  }

  /**
   * Decides whether a caller may send a request.
   *
   * @return the permission, with the granting role
   * @throws ApiException 403 with the missing right
   */
  public AccessDecision require(Caller caller, AccessRequest request) throws ApiException {
    if (caller.type() == Caller.Type.ANONYMOUS) {
      // Authentication defines the paths that need no credential.
      return AccessDecision.byRole("without a credential");
    }
    AccessDecision decision = access.decide(caller, request);
    if (!decision.allowed()) {
      throw ApiException.forbidden(decision.reason());
    }
    return decision;
  }

  /**
   * Records the use of a caller's token. Returns whether it is the first use from this address in 5
   * minutes.
   */
  public boolean used(Caller caller, String source) {
    return access.used(caller, source);
  }

  /** Returns whether the sender of an earlier request may still send it. */
  public boolean isStillAllowed(ApiRequest head, AccessRequest request) {
    try {
      return access.decide(authentication.require(head), request).allowed();
    } catch (ApiException e) {
      // The stream continues while the right cannot be checked.
      return e.status().code() == 503;
    }
  }
}
