package dev.holdfast.oidc.internal;

/**
 * The settings of the identity provider.
 *
 * @param issuer address of the provider, empty for none
 * @param clientId name of the cluster at the provider, empty for none
 * @param nameClaim claim with the name of the user
 * @param groupsClaim claim with the groups of the user
 */
record OidcSettings(String issuer, String clientId, String nameClaim, String groupsClaim) {
  static final OidcSettings NONE = new OidcSettings("", "", "sub", "groups");

  boolean isComplete() {
    return !issuer.isEmpty() && !clientId.isEmpty();
  }
}
