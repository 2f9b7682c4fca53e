package dev.holdfast.access.clients.internal;

import static dev.holdfast.frontend.ClientIdentity.Type.INITIATOR;

import dev.holdfast.access.BlockClient;
import dev.holdfast.access.clients.internal.member.MemberInitiators;
import dev.holdfast.access.clients.internal.member.MemberKernels;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.audit.AuditObject;
import dev.holdfast.audit.AuditSubject;
import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ClientSession;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** The directory of clients, built from the store's resources. Thread-safe. */
@Component(service = {ClientDirectory.class, StoreClients.class})
public final class StoreClients implements ClientDirectory {
  private static final String CONNECT = "connect";
  private static final int DONE = 200;
  private static final int FORBIDDEN = 403;

  private final AuditLog audit;
  private final Secrets secrets;
  private final InstantSource clock;
  private final Map<Counted, LongAdder> refusals = new ConcurrentHashMap<>();
  private volatile Optional<ClientTable> table = Optional.empty();
  private final MemberInitiators members;
  private final MemberKernels kernels;
  private volatile Optional<NodeChannels> channels = Optional.empty();

  /** The labels of the counter of refusals. */
  record Counted(String frontend, ClientRefusal.Reason reason) {}

  /** Creates a directory without clients, until the reconciler has read them. */
  @Activate
  public StoreClients(@Reference AuditLog audit, @Reference Secrets secrets, BundleContext bundle) {
    this(
        audit,
        secrets,
        property(bundle, "holdfast.node.name", "node-1"),
        Path.of(property(bundle, "holdfast.data", ".")),
        InstantSource.system());
  }

  StoreClients(AuditLog audit, Secrets secrets, String node, Path data, InstantSource clock) {
    this.audit = audit;
    this.secrets = secrets;
    this.clock = clock;
    this.members = new MemberInitiators(node, data, () -> channels);
    this.kernels = new MemberKernels(members);
  }

  /** Stops calls to other nodes. */
  @Deactivate
  void close() {
    kernels.close();
  }

  private static String property(BundleContext bundle, String name, String standard) {
    return Optional.ofNullable(bundle.getProperty(name)).orElse(standard);
  }

  /** Without channels, the kernels of other nodes connect with the secrets in kept files. */
  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindChannels(NodeChannels service) {
    channels = Optional.of(service);
  }

  void unbindChannels(NodeChannels service) {
    channels = channels.filter(present -> present != service);
  }

  void replace(ClientTable present) throws StorageException {
    table = Optional.of(present);
    members.retain(present.byMember());
  }

  /** Returns the number of refused clients since the start. */
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
    return present()
        .rights(identity, clock.instant())
        .or(() -> identity.type() == INITIATOR ? ofMember(identity.name()) : Optional.empty());
  }

  /**
   * Returns the rights of a node's initiator: the volumes in the node's tickets, with the node's
   * own secret.
   */
  private Optional<ClientRights> ofMember(String initiator) {
    Map<String, String> nodes = members.nodesOf(initiator);
    return nodes.values().stream()
        .findFirst()
        .map(
            node ->
                new ClientRights(
                    "node " + node, export -> isHeld(nodes, ClientTable.volumeOf(export)), false));
  }

  private boolean isHeld(Map<String, String> nodes, String volume) {
    return Optional.ofNullable(nodes.get(volume))
        .filter(node -> present().holders(volume).contains(node))
        .isPresent();
  }

  @Override
  public Map<String, ClientRights> initiators(String export) {
    return present().initiators(export, clock.instant());
  }

  /**
   * Returns whether an export needs no credential. All exports need one if the node's mode requires
   * it.
   */
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

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    String volume = ClientTable.volumeOf(export);
    List<String> holders = present().holders(volume);
    if (holders.isEmpty() || present().initiator(initiator, clock.instant()).isPresent()) {
      return secret(kind, initiator);
    }
    return members.credential(initiator, volume, holders).flatMap(found -> secret(kind, found));
  }

  @Override
  public Map<String, ClientSecret> kernels(String export) {
    String volume = ClientTable.volumeOf(export);
    Map<String, ClientSecret> keys = new TreeMap<>();
    kernels
        .of(volume, present().holders(volume))
        .forEach(
            (node, found) ->
                secret(ClientSecret.Kind.DHCHAP, found).ifPresent(key -> keys.put(node, key)));
    return keys;
  }

  /** Returns the secret of a kind. The kernel of a node has no key for TLS. */
  private static Optional<ClientSecret> secret(ClientSecret.Kind kind, InitiatorCredential found) {
    return switch (kind) {
      case CHAP ->
          Optional.of(
              new ClientSecret(found.initiator(), found.chap(), Optional.of(found.chapOfTarget())));
      case DHCHAP ->
          Optional.of(
              new ClientSecret(
                  found.initiator(), found.dhchap(), Optional.of(found.dhchapOfController())));
      case TLS -> Optional.empty();
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
    String reason = refusal.reason().toString();
    record(
        new ClientSession(
            UUID.randomUUID().toString(),
            refusal.frontend(),
            refusal.peer(),
            refusal.client(),
            refusal.export(),
            clock.instant()),
        CONNECT,
        FORBIDDEN,
        refusal.message(),
        Map.of(AuditEvent.DECISION, "forbid", AuditEvent.REASON, reason));
  }

  @Override
  public void began(ClientSession session) {
    record(session, CONNECT, DONE, "", Map.of(AuditEvent.DECISION, "allow"));
  }

  @Override
  public void ended(ClientSession session) {
    record(session, "disconnect", DONE, "", Map.of());
  }

  private void record(
      ClientSession session,
      String verb,
      int code,
      String message,
      Map<String, String> annotations) {
    String user = session.client().isEmpty() ? "system:anonymous" : session.client();
    audit.record(
        new AuditEvent(
            UUID.randomUUID().toString(),
            session.begin(),
            clock.instant(),
            verb,
            new AuditSubject(user, List.of(), session.peer(), ""),
            new AuditObject("volumes", session.frontend(), session.export(), ""),
            code,
            message,
            annotations));
  }
}
