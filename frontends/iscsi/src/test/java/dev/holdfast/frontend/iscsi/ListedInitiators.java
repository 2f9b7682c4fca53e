package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.iscsi.internal.login.Credentials;
import dev.holdfast.frontend.iscsi.internal.login.Initiators;
import java.util.ArrayList;
import java.util.List;

/** Requires the same credentials of each initiator, and records the result of its login. */
final class ListedInitiators implements Initiators {
  final List<String> authenticated = new ArrayList<>();
  final List<String> refused = new ArrayList<>();
  private final Credentials credentials;

  ListedInitiators(Credentials credentials) {
    this.credentials = credentials;
  }

  @Override
  public boolean required(String target) {
    return true;
  }

  @Override
  public Credentials of(String initiator, String target) {
    return credentials;
  }

  @Override
  public void authenticated(String initiator) {
    authenticated.add(initiator);
  }

  @Override
  public void refused(String initiator, String message) {
    refused.add(initiator);
  }
}
