package dev.holdfast.datapath.internal.hosts;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportKey;
import dev.holdfast.engine.export.ExportSecurity;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides which hosts may use an export of an engine over the network, by the same properties as
 * the portal:
 *
 * <pre>
 *   mode            programs of this host    clients of the volume              kernels of nodes
 *   open            without a key            with their key, if they have one   with their key
 *   open-loopback   without a key            with their key                     with their key
 *   required        none                     with their key                     with their key
 * </pre>
 *
 * <p>The kernel of a node may use the volumes of its tickets, with a separate key for each. If
 * programs of this host need no key, its own kernel needs none either. Kernels have no key for TLS.
 *
 * <p>An export cannot restrict a client to reading, so such a client is excluded. Exports by other
 * protocols than NVMe are for programs of this host. Thread-safe.
 */
public final class ExportHosts {
  static final String NVME = "nvmeof";
  static final String MODE = "holdfast.frontend.authentication";
  static final String TLS = "holdfast." + NVME + ".tls";
  static final List<String> FILES =
      List.of("holdfast." + NVME + ".dhchap", "holdfast." + NVME + ".psk");
  static final String ADDRESS = "holdfast.address";
  static final String NODE = "holdfast.node.name";
  private static final String FIRST_NODE = "node-1";

  private final Function<String, Optional<String>> properties;
  private volatile Optional<ClientDirectory> clients = Optional.empty();

  /**
   * Starts without clients.
   *
   * @param properties returns the value of a property of the node
   */
  public ExportHosts(Function<String, Optional<String>> properties) {
    this.properties = name -> properties.apply(name).map(String::strip).filter(t -> !t.isEmpty());
  }

  /** Sets the directory of clients. */
  public void use(ClientDirectory directory) {
    clients = Optional.of(directory);
  }

  /** Removes the directory of clients. */
  public void forget(ClientDirectory directory) {
    if (clients.filter(present -> present == directory).isPresent()) {
      clients = Optional.empty();
    }
  }

  /** Returns whether the hosts of exports by a protocol can change while the exports serve. */
  public static boolean change(String protocol) {
    return protocol.equals(NVME);
  }

  /**
   * Returns the hosts that may use an export at present.
   *
   * @throws StorageException UNSUPPORTED when only the portal can enforce the rules of this node;
   *     BUSY while the clients are unknown; IO when a key cannot be read
   */
  public AllowedHosts of(String protocol, String volume) throws StorageException {
    if (!change(protocol)) {
      return AllowedHosts.LOCAL;
    }
    requireNoFile(volume);
    String mode = properties.apply(MODE).orElse("open");
    boolean local = mode.equals("open") || (mode.equals("open-loopback") && isLocal(volume));
    boolean tls = properties.apply(TLS).filter("require"::equals).isPresent();
    List<ExportHost> hosts = new ArrayList<>();
    if (local && !tls) {
      hosts.add(ExportHost.LOCAL);
    }
    for (Map.Entry<String, ClientRights> client : initiators(volume).entrySet()) {
      if (client.getKey().startsWith("nqn.") && !client.getValue().readOnly()) {
        ExportHost host = host(client.getKey(), tls);
        boolean known = host.hostKey().isPresent() || mode.equals("open");
        if (known && (!tls || host.tlsKey().isPresent())) {
          hosts.add(host);
        }
      }
    }
    if (!tls) {
      addKernels(volume, local, hosts);
    }
    return new AllowedHosts(hosts, new ExportSecurity(tls, mode.equals("required")));
  }

  private void addKernels(String volume, boolean local, List<ExportHost> hosts) {
    String self = properties.apply(NODE).orElse(FIRST_NODE);
    Map<String, ClientSecret> kernels =
        clients.map(known -> known.kernels(volume)).orElse(Map.of());
    for (Map.Entry<String, ClientSecret> kernel : kernels.entrySet()) {
      String name = kernel.getValue().user();
      boolean own = local && kernel.getKey().equals(self);
      if (!own && hosts.stream().noneMatch(host -> host.identity().equals(name))) {
        hosts.add(
            new ExportHost(
                name,
                key(Optional.of(kernel.getValue().secret())),
                key(kernel.getValue().own()),
                Optional.empty()));
      }
    }
  }

  /**
   * Fail without a directory, as while its bundle is replaced, and before it has read its clients:
   * connected hosts would lose their rights otherwise.
   */
  private Map<String, ClientRights> initiators(String volume) throws StorageException {
    return clients
        .filter(ClientDirectory::ready)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.BUSY,
                    "volume " + volume + ": its clients are not known yet: try again"))
        .initiators(volume);
  }

  private ExportHost host(String name, boolean tls) throws StorageException {
    Optional<ClientSecret> key = secret(ClientSecret.Kind.DHCHAP, name);
    return new ExportHost(
        name,
        key(key.map(ClientSecret::secret)),
        key(key.flatMap(ClientSecret::own)),
        tls
            ? key(secret(ClientSecret.Kind.TLS, name).map(ClientSecret::secret))
            : Optional.empty());
  }

  private static Optional<ExportKey> key(Optional<String> secret) {
    return secret.filter(text -> !text.isEmpty()).map(ExportKey::new);
  }

  private Optional<ClientSecret> secret(ClientSecret.Kind kind, String name)
      throws StorageException {
    Optional<ClientDirectory> known = clients;
    return known.isEmpty() ? Optional.empty() : known.get().secret(kind, name);
  }

  private void requireNoFile(String volume) throws StorageException {
    for (String property : FILES) {
      if (properties.apply(property).isPresent()) {
        throw unsupported(
            volume,
            property + " names a file of keys, which only the frontend reads: use holdfast client");
      }
    }
  }

  /** An export identifies hosts by the names that they claim, not by their addresses. */
  private boolean isLocal(String volume) throws StorageException {
    String address = properties.apply(ADDRESS).orElse("127.0.0.1");
    try {
      if (InetAddress.getByName(address).isLoopbackAddress()) {
        return true;
      }
    } catch (UnknownHostException e) {
      throw new StorageException(ErrorCode.INVALID, ADDRESS + ": unknown host " + address, e);
    }
    throw unsupported(
        volume,
        MODE
            + " is open-loopback, and an export at "
            + address
            + " cannot tell hosts of this machine from others: use required");
  }

  private static StorageException unsupported(String volume, String why) {
    return new StorageException(ErrorCode.UNSUPPORTED, "export " + volume + ": " + why);
  }
}
