package dev.holdfast.access.clients.internal;

import dev.holdfast.access.BlockClient;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.audit.AuditObject;
import dev.holdfast.audit.AuditSubject;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The directory of clients, from the store's resources. Thread-safe. */
@Component(service = {ClientDirectory.class, StoreClients.class})
public final class StoreClients implements ClientDirectory {
  private static final int FORBIDDEN = 403;

  private final AuditLog audit;
  private final Secrets secrets;
  private final InstantSource clock;
  private final Map<Counted, LongAdder> refusals = new ConcurrentHashMap<>();
  private volatile Optional<ClientTable> table = Optional.empty();

  /** The labels of the counter of refusals. */
  record Counted(String frontend, ClientRefusal.Reason reason) {}

  /** Knows no client until the reconciler has read them. */
  @Activate
  public StoreClients(@Reference AuditLog audit, @Reference Secrets secrets) {
    this(audit, secrets, InstantSource.system());
  }

  StoreClients(AuditLog audit, Secrets secrets, InstantSource clock) {
    this.audit = audit;
    this.secrets = secrets;
    this.clock = clock;
  }

  void replace(ClientTable present) {
    table = Optional.of(present);
  }

  /** Returns how many clients were refused since the start. */
  Map<Counted, LongAdder> refusals() {
    return refusals;
  }

  @Override
  public boolean ready() {
    return table.isPresent();
  }

  private ClientTable present() {
    return table.orElse(ClientTable.EMPTY);
  }

  @Override
  public Optional<ClientRights> rights(ClientIdentity identity) {
    return present().rights(identity, clock.instant());
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    return present().initiators(export, clock.instant());
  }

  /** Every volume needs a credential where the node's mode requires one. */
  @Override
  public boolean isOpen(String export) {
    return false;
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator)
      throws StorageException {
    Optional<BlockClient> client = present().initiator(initiator, clock.instant());
    if (client.isEmpty()) {
      return Optional.empty();
    }
    Map<String, byte[]> values = secrets.read("client-" + client.get().name()).orElse(Map.of());
    String user = client.get().name();
    return switch (kind) {
      case CHAP ->
          text(values, "CHAP_SECRET")
              .map(secret -> new ClientSecret(user, secret, text(values, "CHAP_OWN_SECRET")));
      case DHCHAP ->
          text(values, "DHCHAP_KEY")
              .map(secret -> new ClientSecret(initiator, secret, text(values, "DHCHAP_OWN_KEY")));
      case TLS ->
          text(values, "TLS_KEY")
              .map(secret -> new ClientSecret(initiator, secret, Optional.empty()));
    };
  }

  private static Optional<String> text(Map<String, byte[]> values, String key) {
    return Optional.ofNullable(values.get(key))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip());
  }

  @Override
  public void refused(ClientRefusal refusal) {
    refusals
        .computeIfAbsent(new Counted(refusal.frontend(), refusal.reason()), key -> new LongAdder())
        .increment();
    Instant now = clock.instant();
    audit.record(
        new AuditEvent(
            UUID.randomUUID().toString(),
            now,
            now,
            "connect",
            new AuditSubject(
                refusal.client().isEmpty() ? "system:anonymous" : refusal.client(),
                List.of(),
                refusal.peer(),
                ""),
            new AuditObject("volumes", refusal.frontend(), refusal.export(), ""),
            FORBIDDEN,
            refusal.message(),
            Map.of(AuditEvent.DECISION, "forbid", AuditEvent.REASON, refusal.reason().toString())));
  }
}
