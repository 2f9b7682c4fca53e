package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.share.manager.internal.ShareManagerAttacher;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Shares while nodes die and are partitioned, processes end and hang, disks fail, administrators
 * cordon nodes, and answers get lost. An endpoint is never published before its export, two nodes
 * never serve one epoch, and at the end each required share runs on one node without remains on
 * other nodes.
 */
class ShareSimulationTest {
  private static final Mutant.Defect NONE = (name, context) -> true;
  private static final String PLACEMENT = "share-placement";
  private static final String SERVER = "share-server";
  private static final String NODE = "share-node";

  private DoubleSupplier chance = () -> 1;
  private ShareHosts hosts = new ShareHosts(() -> 1);
  private final Map<String, ShareManagerStatus> before = new HashMap<>();

  /** Plants one defect into the reconciler of a name. */
  private record Plant(String reconciler, Mutant.Defect defect) {
    <R extends Resource<R>> Reconciler<R> into(Reconciler<R> sound) {
      return sound.name().equals(reconciler) ? new Mutant<>(sound, defect) : sound;
    }
  }

  private Simulation build(long seed, Plant plant) {
    hosts = new ShareHosts(() -> chance.getAsDouble());
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : ShareClients.NODES) {
      FakeShareServer server = hosts.server(node);
      builder
          .reconciler(node, () -> plant.into(new ShareLifecycleReconciler()))
          .reconciler(node, () -> plant.into(new SharePlacementReconciler(Optional.empty())))
          .reconciler(
              node, () -> plant.into(new ShareServerReconciler(List.of(server), Runnable::run)))
          .reconciler(
              node, () -> plant.into(new NodeShareReconciler(List.of(server), guard(server))))
          .reconciler(node, () -> plant.into(new ShareManagerAttacher()));
    }
    builder.invariant("endpoint after export", this::endpointAfterExport);
    builder.invariant("epochs rise", this::epochsRise);
    builder.invariant(
        "one node serves an epoch", store -> assertThat(hosts.violations()).isEmpty());
    builder.invariant("remount after serving", this::remountAfterServing);
    return builder.build();
  }

  /** Returns a guard that no timer calls, because {@link CutOffServerTest} tests it. */
  private static ServerGuard guard(FakeShareServer server) {
    return new ServerGuard(new ShareServers(List.of(server)), Set::of, Runnable::run, () -> 0);
  }

  private void endpointAfterExport(ResourceStore store) throws StorageException {
    for (ShareManager share : store.list(ShareManager.KIND, LabelSelector.ALL).items()) {
      ShareManagerStatus status = share.status();
      if (!status.endpoint().isEmpty() || status.state() == InstanceState.RUNNING) {
        assertThat(wasExported(share)).as("%s", status).isTrue();
      }
    }
  }

  private boolean wasExported(ShareManager share) {
    ShareManagerStatus status = share.status();
    return hosts.wasExported(share.name(), status.epoch().number(), status.nodeID());
  }

  private void epochsRise(ResourceStore store) throws StorageException {
    for (ShareManager share : store.list(ShareManager.KIND, LabelSelector.ALL).items()) {
      ShareManagerStatus now = share.status();
      ShareManagerStatus earlier = before.put(share.metadata().uid(), now);
      if (earlier != null) {
        assertThat(now.epoch().number()).isGreaterThanOrEqualTo(earlier.epoch().number());
      }
      assertThat(now.nodeID().isEmpty() || now.nodeID().equals(now.epoch().holder()))
          .as("the node is the epoch's holder: %s", now)
          .isTrue();
    }
  }

  private final Map<String, Instant> requests = new HashMap<>();

  private void remountAfterServing(ResourceStore store) throws StorageException {
    for (ShareManager share : store.list(ShareManager.KIND, LabelSelector.ALL).items()) {
      Optional<Instant> request = share.status().remountRequestedAt();
      if (request.isPresent()
          && !request.get().equals(requests.put(share.metadata().uid(), request.get()))) {
        assertThat(wasExported(share)).as("%s", share.status()).isTrue();
      }
    }
  }

  private void play(long seed, Plant plant) throws StorageException {
    before.clear();
    requests.clear();
    Simulation running = build(seed, plant);
    chance = () -> running.random().nextDouble();
    ShareClients clients = new ShareClients(running, hosts);
    clients.begin();
    for (String volume : ShareClients.VOLUMES) {
      clients.create(volume, running.store());
    }
    for (int i = 0; i < 25; i++) {
      running.after(Duration.ofMillis(running.random().nextInt(180_000)), clients::disturb);
    }
    running.run(Duration.ofMinutes(3));
    running.calm();
    hosts.calm();
    clients.calm();
    running.runUntilEqual("shares as wanted", Duration.ofMinutes(30), this::difference);
  }

  /** Compares the state with the requests of the workloads. */
  private String difference(ResourceStore store) throws StorageException {
    List<String> wrong = new ArrayList<>();
    for (String volume : ShareClients.VOLUMES) {
      boolean wanted =
          store.get(Volume.KIND, volume).isPresent()
              && store
                  .get(VolumeAttachment.KIND, volume)
                  .filter(found -> found.spec().attachmentTickets().containsKey("pod"))
                  .isPresent();
      Optional<ShareManager> share = store.get(ShareManager.KIND, volume);
      String expected = wanted ? "running" : "stopped";
      String node = wanted ? share.map(found -> found.status().nodeID()).orElse("?") : "";
      check(wrong, volume + " state", expected, share.map(ShareSimulationTest::state), wanted);
      check(wrong, volume + " hosts", node, Optional.of(hostsWith(volume, wanted)), true);
      String ticket = ShareClients.ticket(volume, store).map(AttachmentTicket::nodeID).orElse("");
      check(wrong, volume + " ticket", node, Optional.of(ticket), true);
      Optional<Volume> found = store.get(Volume.KIND, volume);
      String endpoint = share.map(s -> s.status().endpoint()).orElse("");
      check(
          wrong,
          volume + " endpoint of the volume",
          endpoint,
          found.map(v -> v.status().shareEndpoint()),
          false);
      if (found.isEmpty() && share.isPresent()) {
        wrong.add(volume + ": the share is left");
      }
    }
    return String.join("; ", wrong);
  }

  private static String state(ShareManager share) {
    return share.status().state().toString();
  }

  private static void check(
      List<String> wrong, String what, String expected, Optional<String> found, boolean needed) {
    if (found.isEmpty() ? needed : !found.get().equals(expected)) {
      wrong.add(what + ": expected " + expected + ", found " + found.orElse("nothing"));
    }
  }

  /** Returns the hosts that have a part of a share, each with a question mark if it is idle. */
  private String hostsWith(String volume, boolean wanted) {
    List<String> found = new ArrayList<>();
    hosts
        .servers()
        .forEach(
            (node, server) -> {
              FakeShareServer.Made made = server.made().get(volume);
              if (made != null) {
                found.add(node + (!wanted || hosts.serves(node, volume, made) ? "" : "?"));
              }
            });
    return String.join(",", found);
  }

  @Test
  void sharesRunWhereTheyAreWantedAndLeaveNothing() throws Exception {
    Histories.play(60, seed -> play(seed, new Plant("", NONE)));

    assertThat(hosts.served()).isPositive();
  }

  @Test
  @Tag("soak")
  void sharesRunWhereTheyAreWantedInManyHistories() throws Exception {
    Histories.play(10_000, seed -> play(seed, new Plant("", NONE)));
  }

  private void assertFound(String message, String reconciler, Mutant.Defect defect)
      throws Exception {
    assertThat(Histories.firstFailure(60, seed -> play(seed, new Plant(reconciler, defect))))
        .hasMessageContaining(message);
  }

  private static Optional<ShareManager> in(
      InstanceState state, String name, ReconcileContext context) throws StorageException {
    return context
        .store()
        .get(ShareManager.KIND, name)
        .filter(share -> share.status().state() == state);
  }

  private static void write(ShareManager share, ShareManagerStatus status, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(share.withStatus(status));
  }

  @Test
  void endpointBeforeTheExportIsFound() throws Exception {
    assertFound(
        "endpoint after export",
        SERVER,
        (name, context) -> {
          Optional<ShareManager> share = in(InstanceState.STARTING, name, context);
          if (share.filter(s -> s.status().nodeID().equals(context.nodeName())).isPresent()) {
            ShareManagerStatus status = share.get().status();
            write(share.get(), status.withEndpoint("nfs://early/" + name), context);
          }
          return true;
        });
  }

  @Test
  void ticketThatIsKeptAfterStoppingIsFound() throws Exception {
    assertFound(
        "ticket: expected",
        ShareManager.ATTACHER,
        (name, context) -> in(InstanceState.STOPPED, name, context).isEmpty());
  }

  @Test
  void twoNodesOfOneEpochAreFound() throws Exception {
    assertFound(
        "one node serves an epoch",
        PLACEMENT,
        (name, context) -> {
          Optional<ShareManager> share = in(InstanceState.ERROR, name, context);
          if (share.isPresent()) {
            ShareManagerStatus status = share.get().status();
            String other = status.epoch().holder().equals("n1") ? "n2" : "n1";
            write(
                share.get(),
                status
                    .withState(InstanceState.STARTING)
                    .withNodeID(other)
                    .withEpoch(status.epoch().withHolder(other)),
                context);
          }
          return true;
        });
  }

  @Test
  void supersededServerThatStaysIsFound() throws Exception {
    assertFound(
        "hosts: expected",
        NODE,
        (name, context) -> {
          ShareLeases.renew(context);
          return context
              .get(Node.KIND, context.nodeName())
              .filter(
                  node -> Condition.isTrue(node.status().conditions(), ShareManager.NODE_CONDITION))
              .isEmpty();
        });
  }

  @Test
  void remountBeforeServingIsFound() throws Exception {
    assertFound(
        "remount after serving",
        PLACEMENT,
        (name, context) -> {
          Optional<ShareManager> share = in(InstanceState.STARTING, name, context);
          if (share.filter(s -> !s.status().lastEndpoint().isEmpty()).isPresent()) {
            ShareManagerStatus status = share.get().status();
            write(
                share.get(),
                status.withRemountRequestedAt(Optional.of(context.clock().instant())),
                context);
          }
          return true;
        });
  }
}
