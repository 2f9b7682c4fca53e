package dev.holdfast.frontend.testkit;

import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An in-memory directory of clients. Thread-safe. */
public final class KnownClients implements ClientDirectory {
  private final Map<String, ClientRights> rights = new ConcurrentHashMap<>();
  private final Map<String, ClientSecret> secrets = new ConcurrentHashMap<>();
  private final List<ClientRefusal> refusals = new CopyOnWriteArrayList<>();

  /** Creates a directory without clients. */
  public KnownClients() {}

  /**
   * Adds an initiator.
   *
   * @param initiator IQN or NQN of the initiator, not null
   * @param secret secret of the initiator, not null
   * @param readOnly whether it may only read
   * @param exports permitted exports
   */
  public void add(String initiator, ClientSecret secret, boolean readOnly, String... exports) {
    secrets.put(initiator, secret);
    rights.put(initiator, new ClientRights(secret.user(), Set.of(exports)::contains, readOnly));
  }

  /** Returns the rejected clients in order. */
  public List<ClientRefusal> refusals() {
    return List.copyOf(refusals);
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public Optional<ClientRights> rights(ClientIdentity identity) {
    return identity.type() == ClientIdentity.Type.INITIATOR
        ? Optional.ofNullable(rights.get(identity.name()))
        : Optional.empty();
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    Map<String, ClientRights> found = new TreeMap<>(rights);
    found.values().removeIf(one -> !one.shows(export));
    return found;
  }

  @Override
  public boolean isOpen(String export) {
    return false;
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) {
    return Optional.ofNullable(secrets.get(initiator));
  }

  @Override
  public void refused(ClientRefusal refusal) {
    refusals.add(refusal);
  }
}
