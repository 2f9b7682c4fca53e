package dev.holdfast.portal;

import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ClientSession;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/** A directory of clients in memory, which keeps the refusals. */
final class ListedClients implements ClientDirectory {
  final Map<String, ClientRights> clients = new ConcurrentHashMap<>();
  final Set<String> open = ConcurrentHashMap.newKeySet();
  final BlockingQueue<ClientRefusal> refusals = new LinkedBlockingQueue<>();
  final BlockingQueue<ClientSession> began = new LinkedBlockingQueue<>();
  final BlockingQueue<ClientSession> ended = new LinkedBlockingQueue<>();
  private final Semaphore checks = new Semaphore(0);
  volatile boolean ready = true;

  void add(String name, boolean readOnly, String... exports) {
    clients.put(name, new ClientRights(name, Set.of(exports)::contains, readOnly));
  }

  /** Waits until the portal has asked twice more, so that one complete check lies in between. */
  void awaitCheck() throws InterruptedException {
    checks.drainPermits();
    checks.acquire(2);
  }

  @Override
  public boolean ready() {
    checks.release();
    return ready;
  }

  @Override
  public Optional<ClientRights> rights(ClientIdentity identity) {
    return Optional.ofNullable(clients.get(identity.name()));
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    return Map.of();
  }

  @Override
  public boolean isOpen(String export) {
    return open.contains(export);
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) {
    return Optional.empty();
  }

  @Override
  public void refused(ClientRefusal refusal) {
    refusals.add(refusal);
  }

  @Override
  public void began(ClientSession session) {
    began.add(session);
  }

  @Override
  public void ended(ClientSession session) {
    ended.add(session);
  }
}
