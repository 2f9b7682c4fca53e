package dev.holdfast.datapath.internal.hosts;

import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A directory of initiators and their keys, in memory of one thread. */
public final class ListedInitiators implements ClientDirectory {
  public boolean ready = true;
  private final Map<String, ClientRights> rights = new HashMap<>();
  private final Map<String, ClientSecret> dhchap = new HashMap<>();
  private final Map<String, ClientSecret> kernels = new HashMap<>();
  private final Map<String, ClientSecret> tls = new HashMap<>();

  public ListedInitiators add(String name, boolean readOnly, String... volumes) {
    rights.put(name, new ClientRights(name, Set.of(volumes)::contains, readOnly));
    return this;
  }

  /** Sets the key of an initiator, and that of the targets unless it is empty. */
  public ListedInitiators dhchap(String name, String key, String own) {
    Optional<String> other = Optional.of(own).filter(text -> !text.isEmpty());
    dhchap.put(name, new ClientSecret(name, key, other));
    return this;
  }

  public void tls(String name, String key) {
    tls.put(name, new ClientSecret(name, key, Optional.empty()));
  }

  @Override
  public boolean ready() {
    return ready;
  }

  @Override
  public Optional<ClientRights> rights(ClientIdentity identity) {
    return Optional.ofNullable(rights.get(identity.name()));
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    Map<String, ClientRights> found = new HashMap<>(rights);
    found.values().removeIf(one -> !one.shows(export));
    return found;
  }

  @Override
  public boolean isOpen(String export) {
    return false;
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) {
    return Optional.ofNullable(
        switch (kind) {
          case CHAP -> null;
          case DHCHAP -> dhchap.get(initiator);
          case TLS -> tls.get(initiator);
        });
  }

  /** Adds the kernel of a node, which connects to all exports. */
  public void kernel(String node, String nqn, String key) {
    kernels.put(node, new ClientSecret(nqn, key, Optional.of("own-" + key)));
  }

  @Override
  public Map<String, ClientSecret> kernels(String export) {
    return Map.copyOf(kernels);
  }

  @Override
  public void refused(ClientRefusal refusal) {}
}
