package dev.holdfast.volume.internal;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Users who change their requests for volumes, nodes and disks, and disks that fail. */
final class Operators {
  private static final int MOST_REPLICAS = 4;

  private final Simulation simulation;
  private final List<String> nodes;
  private final List<String> volumes;
  private final DataPathWorld world;

  Operators(Simulation simulation, List<String> nodes, List<String> volumes, DataPathWorld world) {
    this.simulation = simulation;
    this.nodes = nodes;
    this.volumes = volumes;
    this.world = world;
  }

  private Random random() {
    return simulation.random();
  }

  void planFor(Duration time, int actions) {
    for (String volume : volumes) {
      simulation.after(Duration.ofSeconds(1), store -> create(store, volume));
      simulation.after(Duration.ofSeconds(10), store -> attach(store, volume, anyNode()));
    }
    for (int i = 0; i < actions; i++) {
      long millis = 15_000 + (long) (random().nextDouble() * (time.toMillis() - 16_000));
      simulation.after(Duration.ofMillis(millis), this::act);
    }
  }

  private void create(ResourceStore store, String volume) throws StorageException {
    Volume made = Cluster.volume(volume);
    List<AutoBalance> balances = List.of(AutoBalance.values());
    AutoBalance balance = balances.get(random().nextInt(balances.size()));
    store.create(
        made.withSpec(
            made.spec()
                .withStaleReplicaTimeout(1 + random().nextInt(3))
                .withReplicaAutoBalance(balance)
                .withDataLocality(
                    random().nextBoolean() ? DataLocality.DISABLED : DataLocality.BEST_EFFORT)));
  }

  private String anyNode() {
    return nodes.get(random().nextInt(nodes.size()));
  }

  private String anyVolume() {
    return volumes.get(random().nextInt(volumes.size()));
  }

  private void act(ResourceStore store) throws StorageException {
    switch (random().nextInt(11)) {
      case 0, 1, 2 -> world.dropAny(random());
      case 3, 4 -> {
        int count = 1 + random().nextInt(MOST_REPLICAS);
        change(store, anyVolume(), spec -> spec.withNumberOfReplicas(count));
      }
      case 5 -> attach(store, anyVolume(), random().nextBoolean() ? anyNode() : "");
      case 6, 7 -> evict(store, anyNode(), random().nextInt(3), random().nextBoolean());
      case 8 -> hear(store, anyNode(), random().nextBoolean());
      case 9 -> deleteReplicas(store, anyVolume(), random().nextInt(3));
      default -> resize(store, anyVolume());
    }
  }

  /** Deletes one, two or all replicas of a volume, as kubectl does. */
  private void deleteReplicas(ResourceStore store, String volume, int how) throws StorageException {
    List<Replica> replicas =
        new ArrayList<>(
            store.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume)).items());
    Collections.shuffle(replicas, random());
    int count = how == 2 ? replicas.size() : Math.min(how + 1, replicas.size());
    for (Replica replica : replicas.subList(0, count)) {
      world.deletedByUser(replica);
      store.delete(Replica.KIND, replica.name(), replica.metadata().uid());
    }
  }

  private static void change(ResourceStore store, String volume, UnaryOperator<VolumeSpec> change)
      throws StorageException {
    edit(store, Volume.KIND, volume, v -> v.withSpec(change.apply(v.spec())));
  }

  /** Grows a volume, or withdraws an incomplete growth. */
  private void resize(ResourceStore store, String volume) throws StorageException {
    Quantity achieved =
        store.get(Volume.KIND, volume).map(v -> v.status().currentSize()).orElse(Quantity.ZERO);
    boolean back = random().nextBoolean() && achieved.bytes() > 0;
    change(
        store,
        volume,
        spec -> spec.withSize(back ? achieved : new Quantity(spec.size().bytes() + (1L << 30))));
  }

  /**
   * Requests or withdraws an eviction. At most one node is evicted completely, so that space
   * remains.
   */
  private void evict(ResourceStore store, String node, int disk, boolean wanted)
      throws StorageException {
    for (String name : nodes) {
      edit(
          store,
          Node.KIND,
          name,
          n -> {
            boolean leaves = wanted && name.equals(node);
            Map<String, DiskSpec> disks = new LinkedHashMap<>();
            n.spec()
                .disks()
                .forEach(
                    (id, spec) ->
                        disks.put(
                            id, spec.withEvictionRequested(leaves && id.equals("disk-" + disk))));
            return n.withSpec(n.spec().withDisks(disks).withEvictionRequested(leaves && disk == 0));
          });
    }
  }

  /** Sets whether a node reports. */
  private void hear(ResourceStore store, String node, boolean ready) throws StorageException {
    Optional<Node> found = store.get(Node.KIND, node);
    if (found.isPresent()) {
      store.updateStatus(
          found
              .get()
              .withStatus(
                  found
                      .get()
                      .status()
                      .withConditions(
                          Condition.with(
                              found.get().status().conditions(),
                              "Ready",
                              ready ? Condition.Status.TRUE : Condition.Status.UNKNOWN,
                              "",
                              "",
                              simulation.clock().instant()))));
    }
  }

  private static void attach(ResourceStore store, String volume, String node)
      throws StorageException {
    Map<String, AttachmentTicket> tickets =
        node.isEmpty() ? Map.of() : Map.of("t", AttachmentTicket.of("t", "api", node, Map.of(), 0));
    edit(
        store,
        VolumeAttachment.KIND,
        volume,
        a -> a.withSpec(a.spec().withAttachmentTickets(tickets)));
  }

  private static <R extends Resource<R>> void edit(
      ResourceStore store, ResourceKind<R> kind, String name, UnaryOperator<R> change)
      throws StorageException {
    Optional<R> found = store.get(kind, name);
    if (found.isPresent()) {
      try {
        store.update(change.apply(found.get()));
      } catch (StorageException e) {
        if (e.code() != ErrorCode.INVALID) {
          throw e;
        }
      }
    }
  }

  /** Makes every node report, and requests every volume on a node. */
  void attachAll() throws StorageException {
    for (String node : nodes) {
      hear(simulation.store(), node, true);
    }
    for (String volume : volumes) {
      attach(simulation.store(), volume, anyNode());
    }
  }
}
