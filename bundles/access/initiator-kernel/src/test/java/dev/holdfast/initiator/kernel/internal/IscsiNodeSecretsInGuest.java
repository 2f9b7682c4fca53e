package dev.holdfast.initiator.kernel.internal;

final class IscsiNodeSecretsInGuest extends NodeSecretsInGuest {
  @Override
  Sessions sessions() {
    return new IscsiSessions();
  }
}
