package dev.holdfast.node.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers this node at its first start, and renews the lease that shows other nodes that it is
 * alive. The components that act for the node are enabled when this machine holds the lease, not
 * while another live machine has its name.
 */
@Component(service = NodeHeartbeat.class, immediate = true)
public final class NodeHeartbeat {
  /**
   * Annotation of the lease: the key by which other nodes admit the machine that holds the lease.
   */
  static final String KEY = Lease.CERTIFICATE_KEY_ANNOTATION;

  private static final String LEASE_PREFIX = "node-";
  private static final int BEATS_PER_LEASE = 4;
  private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

  private final NodeSettings settings;
  private final ResourceStore store;
  private final Clock clock;
  private final NodeClaim claim;
  private final Runnable whenClaimed;
  private final AtomicReference<NodeTls> tls = new AtomicReference<>();
  private final AtomicBoolean claimed = new AtomicBoolean();
  private final AtomicBoolean refused = new AtomicBoolean();
  private final AtomicBoolean reachable = new AtomicBoolean(true);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "holdfast-heartbeat");
            thread.setDaemon(true);
            return thread;
          });

  /** Starts the heartbeat of a running bundle. */
  @Activate
  public NodeHeartbeat(
      BundleContext bundle, ComponentContext components, @Reference ResourceStore store)
      throws IOException {
    this(
        NodeSettings.from(bundle::getProperty, bundle.getBundle().getVersion().toString()),
        store,
        Clock.systemUTC(),
        () -> components.enableComponent(null));
    timer.execute(this::run);
  }

  NodeHeartbeat(NodeSettings settings, ResourceStore store, Clock clock, Runnable whenClaimed)
      throws IOException {
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.claim = NodeClaim.of(settings);
    this.whenClaimed = whenClaimed;
  }

  /** Makes other nodes admit this node by its key from the next beat on. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void addTls(NodeTls present) {
    tls.set(present);
  }

  void removeTls(NodeTls gone) {
    tls.compareAndSet(gone, null);
  }

  /** Returns the name of a node's lease. */
  static String leaseName(String node) {
    return LEASE_PREFIX + node;
  }

  /** Returns the node of a lease name; empty for the name of another lease. */
  static Optional<String> nodeOfLease(String name) {
    return Optional.of(name)
        .filter(lease -> lease.startsWith(LEASE_PREFIX))
        .map(lease -> lease.substring(LEASE_PREFIX.length()));
  }

  /** Returns the period in which a lease is renewed and should be checked. */
  static Duration period(Duration lease) {
    return lease.dividedBy(BEATS_PER_LEASE);
  }

  @Deactivate
  void stop() {
    timer.shutdownNow();
  }

  private void run() {
    Duration next = period(settings.lease());
    try {
      beat();
      heard();
    } catch (StorageException e) {
      silent(e);
      next = FIRST_RETRY;
    } finally {
      if (!timer.isShutdown()) {
        var unused = timer.schedule(this::run, next.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  private void silent(StorageException cause) {
    LOG.debug("node {}: heartbeat: {}", settings.name(), cause.getMessage());
    if (reachable.compareAndSet(true, false)) {
      LOG.warn(
          "node {}: could not use the store, postponing decisions: {}",
          settings.name(),
          cause.getMessage());
    }
  }

  private void heard() {
    if (reachable.compareAndSet(false, true)) {
      LOG.info("node {}: the store answers again", settings.name());
    }
  }

  /** Executes one beat; writes nothing while another live machine has the node's name. */
  void beat() throws StorageException {
    Instant now = clock.instant();
    Optional<Lease> lease = store.get(Lease.KIND, leaseName(settings.name()));
    Optional<String> another = claim.another(lease, now);
    if (another.isPresent()) {
      refuse(another.get());
      return;
    }
    if (store.get(Node.KIND, settings.name()).isEmpty()) {
      register();
    }
    renew(lease, now);
    refused.set(false);
    if (claimed.compareAndSet(false, true)) {
      whenClaimed.run();
    }
  }

  private void refuse(String another) {
    if (refused.compareAndSet(false, true)) {
      LOG.error(
          "node {}: another machine has this name and is alive (its lease is held by {}, not by"
              + " {}); this node does nothing until the other one is silent. Start it with "
              + "another name:"
              + " holdfast down, then holdfast up --name NAME",
          settings.name(),
          another,
          claim.identity());
    }
  }

  private void register() throws StorageException {
    Map<String, DiskSpec> disks = new TreeMap<>();
    for (int i = 1; i <= settings.defaultDisks(); i++) {
      String id = "disk-" + i;
      Path path = settings.data().resolve("disks").resolve(id);
      makeDirectory(path);
      disks.put(id, DiskSpec.EMPTY.withPath(path.toString()).withCreate(true));
    }
    try {
      store.create(Node.of(settings.name(), NodeSpec.EMPTY.withDisks(disks)));
      LOG.info("node {}: registered with {} disks", settings.name(), disks.size());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /**
   * Creates the directory here, because a store of an earlier release drops the field that requests
   * it.
   */
  private void makeDirectory(Path disk) {
    try {
      Files.createDirectories(disk);
    } catch (IOException e) {
      LOG.warn("node {}: could not make the disk directory {}: {}", settings.name(), disk, e);
    }
  }

  private void renew(Optional<Lease> found, Instant now) throws StorageException {
    LeaseSpec spec = found.map(Lease::spec).orElse(LeaseSpec.EMPTY);
    boolean taken =
        !spec.holderIdentity().isEmpty() && !spec.holderIdentity().equals(claim.identity());
    LeaseSpec renewed =
        new LeaseSpec(
            claim.identity(),
            (int) settings.lease().toSeconds(),
            taken ? Optional.of(now) : spec.acquireTime().or(() -> Optional.of(now)),
            Optional.of(now),
            spec.leaseTransitions() + (taken ? 1 : 0));
    Lease lease = found.orElse(Lease.of(leaseName(settings.name()), renewed)).withSpec(renewed);
    lease = lease.withMetadata(withKey(lease.metadata(), taken));
    if (found.isPresent()) {
      store.update(lease);
    } else {
      store.create(lease);
    }
  }

  /**
   * Returns metadata with the key. Keeps the present key while this node's certificate is
   * unreadable.
   */
  private ObjectMeta withKey(ObjectMeta metadata, boolean taken) {
    Map<String, String> annotations = new TreeMap<>(metadata.annotations());
    if (taken) {
      annotations.remove(KEY);
    }
    NodeTls present = tls.get();
    if (present != null) {
      try {
        annotations.put(KEY, present.keyFingerprint());
      } catch (StorageException e) {
        LOG.warn("node {}: could not publish its key: {}", settings.name(), e.getMessage());
      }
    }
    return metadata.withAnnotations(annotations);
  }
}
