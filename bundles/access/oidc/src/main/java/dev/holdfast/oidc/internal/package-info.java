/** Users of an OpenID Connect provider: discovery, sign-in by code with PKCE, and tokens. */
package dev.holdfast.oidc.internal;
