package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.SharedAccess;
import dev.holdfast.engine.lvm.blobs.links.NbdLinks;
import dev.holdfast.engine.lvm.blobs.links.PoolTransport;
import dev.holdfast.engine.lvm.blobs.locks.SanlockLocks;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeLinks;
import dev.holdfast.engine.lvm.internal.forward.RpcVolumeLinks;
import dev.holdfast.engine.lvm.internal.links.PortalExports;
import dev.holdfast.engine.lvm.internal.links.TlsTunnels;
import dev.holdfast.engine.lvm.internal.peers.RpcPeers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.host.Host;
import dev.holdfast.rpc.NodeChannels;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Joins the engine with the other nodes of shared groups. The portal serves exports to them, and
 * the channels reach them; both belong to other bundles and may come and go. Groups of one node
 * need neither. Thread-safe.
 */
@Component(service = SharedServices.class)
public final class SharedServices implements GroupSharing {
  private static final Duration PING = Duration.ofSeconds(5);
  private static final Duration CALL = Duration.ofMinutes(3);

  private final String node;
  private final AtomicReference<NodeChannels> channels = new AtomicReference<>();
  private final PortalExports exports;
  private final TlsTunnels tunnels;
  private final SharedAccess access;
  private final RemoteVolumeLinks volumes = new RpcVolumeLinks(peer -> channels().channel(peer));

  /** Begins without the services of other bundles. */
  @Activate
  public SharedServices(BundleContext bundle, @Reference Host host) {
    this(host, LvmSettings.of(bundle));
  }

  SharedServices(Host host, LvmSettings settings) {
    this.node = settings.node();
    this.exports =
        new PortalExports(
            "replica", node, host, DirectFile::open, settings.state().resolve("exports"));
    this.tunnels = new TlsTunnels(peer -> channels().sslContext(peer), settings.sockets());
    PoolTransport transport = settings.tls() ? tunnels : PoolTransport.DIRECT;
    this.access =
        new SharedAccess(
            new SanlockLocks(host, Clock.systemUTC()),
            new NbdLinks(host, exports, transport),
            new RpcPeers(peer -> channels().channel(peer), PING, CALL));
  }

  private NodeChannels channels() throws StorageException {
    NodeChannels present = channels.get();
    if (present == null) {
      throw new StorageException(ErrorCode.UNREACHABLE, "calls to other nodes are not available");
    }
    return present;
  }

  /** Returns the name of this node. */
  String node() {
    return node;
  }

  @Override
  public SharedAccess access() {
    return access;
  }

  @Override
  public RemoteVolumeLinks volumes() {
    return volumes;
  }

  @Override
  public void require(String group) throws StorageException {
    if (channels.get() == null) {
      throw missing(group, "calls to other nodes, which the bundle dev.holdfast.rpc.runtime makes");
    }
    if (!exports.hasPortal()) {
      throw missing(group, "the portal, which the bundle dev.holdfast.portal offers");
    }
  }

  private static StorageException missing(String group, String what) {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "volume group "
            + group
            + " is shared, and this node lacks "
            + what
            + ": check that this bundle runs");
  }

  /**
   * Publishes exports that lost the portal and that a later portal did not take over.
   *
   * @throws StorageException of the first export that cannot be published
   */
  void restoreExports() throws StorageException {
    exports.restore();
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindPortal(Portal portal) {
    exports.arrived(portal);
  }

  /** Exports wait for the next portal: users' requests wait too. */
  void unbindPortal(Portal portal) {
    exports.left(portal);
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindChannels(NodeChannels present) {
    channels.set(present);
  }

  void unbindChannels(NodeChannels gone) {
    boolean unused = channels.compareAndSet(gone, null);
  }

  /**
   * Ends exports and tunnels. Pools stay active and devices stay connected; their requests wait for
   * the next start.
   */
  @Deactivate
  void stop() {
    exports.close();
    tunnels.close();
  }
}
