package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.store.ResourceStore;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The last reported addresses of the other nodes. Addresses are kept, because connections between
 * nodes are re-established while the node with the store is unreachable. The service exists also
 * without a store, because its users lose their connections when the service is unregistered, and
 * the store's bundle may be replaced at any time.
 */
@Component(service = {PeerNodes.class, Reconciler.class})
public final class PeerAddresses implements PeerNodes, Reconciler<Node> {
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");

  private final String self;
  private final AtomicReference<ResourceStore> store = new AtomicReference<>();
  private final Map<String, NodeStatus> known = new ConcurrentHashMap<>();

  /** Starts without addresses, which arrive with the reconciled nodes. */
  @Activate
  public PeerAddresses(BundleContext bundle) {
    this(NodeSettings.from(bundle::getProperty, "").name());
  }

  PeerAddresses(String self) {
    this.self = self;
  }

  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void addStore(ResourceStore present) {
    store.set(present);
  }

  void removeStore(ResourceStore gone) {
    store.compareAndSet(gone, null);
  }

  @Override
  public String name() {
    return "peer-addresses";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    context
        .get(Node.KIND, name)
        .ifPresentOrElse(node -> known.put(name, node.status()), () -> known.remove(name));
    return Result.DONE;
  }

  @Override
  public String self() {
    return self;
  }

  @Override
  public InetSocketAddress address(String nodeId, String port) throws StorageException {
    NodeStatus status = status(nodeId);
    if (status.address().isEmpty() || WILDCARDS.contains(status.address())) {
      throw unreachable(
          nodeId,
          "has not reported an address that other nodes can use: start it with --address or"
              + " --advertised-address");
    }
    Integer number = status.ports().get(port);
    if (number == null) {
      throw unreachable(nodeId, "has no port " + port + "; it has " + status.ports().keySet());
    }
    InetSocketAddress address = new InetSocketAddress(status.address(), number);
    if (address.isUnresolved()) {
      throw unreachable(
          nodeId, "reports the address " + status.address() + ", which cannot be resolved");
    }
    return address;
  }

  private NodeStatus status(String nodeId) throws StorageException {
    NodeStatus seen = known.get(nodeId);
    if (seen != null) {
      return seen;
    }
    ResourceStore present = store.get();
    if (present == null) {
      throw unreachable(nodeId, "is not known yet, and the store is away");
    }
    Optional<Node> node = present.get(Node.KIND, nodeId);
    return node.map(Node::status).orElseThrow(() -> unreachable(nodeId, "does not exist"));
  }

  private static StorageException unreachable(String node, String why) {
    return new StorageException(ErrorCode.UNREACHABLE, "node " + node + " " + why);
  }
}
