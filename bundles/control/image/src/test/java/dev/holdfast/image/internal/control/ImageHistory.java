package dev.holdfast.image.internal.control;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BaseTasks;
import dev.holdfast.image.internal.disk.MemoryBases;
import dev.holdfast.image.internal.exchange.NoChannels;
import dev.holdfast.image.internal.plan.CopyPlan;
import dev.holdfast.image.internal.plan.ImageWorld;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.DiskFileSpec;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A node with four disks that dies, pauses and loses the store, while users evict and clean up
 * copies, and disks disappear and return. Replicas use copies that the store does not list.
 */
final class ImageHistory {
  private static final String NODE = "node-1";
  private static final String IMAGE = "debian";
  private static final List<String> DISKS = List.of("one", "two", "three", "four");

  final MemoryBases engine = new MemoryBases();
  private final SimulatedDisks disks;
  private final Random random;
  private final Simulation simulation;
  private final ResourceStore store;
  private final Map<ReplicaLocation, BaseLocation> replicas =
      new TreeMap<>(Comparator.comparing(ReplicaLocation::replica));
  private String content = "";
  private int replicaNumber;
  private boolean busy = true;

  ImageHistory(long seed, Path folder, Function<ImageWorld, CopyPlan> planner)
      throws StorageException {
    this.random = new Random(seed);
    this.disks = new SimulatedDisks(NODE, folder);
    byte[] delivered = new byte[8192];
    random.nextBytes(delivered);
    InstalledPlugins plugins = new InstalledPlugins();
    plugins.addEngine(engine);
    simulation =
        Simulation.builder(seed)
            .reconciler(
                NODE, () -> new BackingImageReconciler(() -> "uuid-" + random.nextInt(), planner))
            .reconciler(
                NODE,
                () ->
                    new ManagerReconciler(
                        plugins, new BaseTasks(new DirectExecutor()), new NoChannels()))
            .reconciler(NODE, () -> new InstantDelivery(delivered))
            .invariant("a ready image keeps a copy", this::keepsACopy)
            .invariant("a replica keeps its base", this::keepsBases)
            .build();
    store = simulation.store();
    store.create(Setting.of("backing-image-cleanup-wait-interval", new SettingSpec("1")));
    disks.create(store, DISKS);
    store.create(
        BackingImage.of(
            IMAGE, BackingImageSpec.EMPTY.withSourceType("upload").withDataEngine("fake")));
  }

  void play() throws StorageException {
    others();
    simulation.run(Duration.ofMinutes(15));
    busy = false;
    simulation.calm();
    for (String disk : DISKS) {
      disks.set(store, disk, true);
    }
    for (ReplicaLocation replica : List.copyOf(replicas.keySet())) {
      replicas.remove(replica);
      engine.deleteReplica(replica);
    }
    edit(
        spec -> {
          Map<String, DiskFileSpec> entries = new TreeMap<>(spec.diskFileSpecMap());
          entries.replaceAll((disk, entry) -> new DiskFileSpec(false));
          return spec.withDiskFileSpecMap(entries).withMinNumberOfCopies(2);
        });
    simulation.runUntilEqual(
        "two copies are kept",
        Duration.ofMinutes(20),
        current -> copies() == 2 ? "" : "copies: " + copies());
  }

  private void others() {
    simulation.after(
        Duration.ofMillis(500 + random.nextInt(12_000)),
        current -> {
          if (busy) {
            others();
            act();
          }
        });
  }

  private void act() throws StorageException {
    String disk = DISKS.get(random.nextInt(DISKS.size()));
    switch (random.nextInt(8)) {
      case 0 -> edit(spec -> spec.withMinNumberOfCopies(1 + random.nextInt(3)));
      case 1, 2 ->
          edit(
              spec -> {
                Map<String, DiskFileSpec> entries = new TreeMap<>(spec.diskFileSpecMap());
                entries.replaceAll((uuid, entry) -> new DiskFileSpec(random.nextInt(3) > 0));
                return spec.withDiskFileSpecMap(entries);
              });
      case 3 -> edit(spec -> spec.withCleanupDisks(List.of("uuid-" + disk)));
      case 4 -> disks.set(store, disk, false);
      case 5 -> disks.set(store, disk, true);
      case 6 -> addReplica();
      default -> removeReplica();
    }
  }

  private void edit(UnaryOperator<BackingImageSpec> change) throws StorageException {
    BackingImage image = store.get(BackingImage.KIND, IMAGE).orElseThrow();
    store.update(image.withSpec(change.apply(image.spec())));
  }

  private void addReplica() throws StorageException {
    List<BaseLocation> sealed = sealed();
    if (!sealed.isEmpty()) {
      BaseLocation base = sealed.get(random.nextInt(sealed.size()));
      String name = "vol-r-" + ++replicaNumber;
      ReplicaLocation replica = new ReplicaLocation("vol", name, base.disk(), name, false);
      engine.provisionReplica(
          new ReplicaRequest(replica, 1 << 20, new BaseContent(base), Map.of()));
      replicas.put(replica, base);
    }
  }

  private void removeReplica() {
    replicas.keySet().stream()
        .skip(replicas.isEmpty() ? 0 : random.nextInt(replicas.size()))
        .findFirst()
        .ifPresent(
            replica -> {
              replicas.remove(replica);
              engine.deleteReplica(replica);
            });
  }

  /** Returns the complete copies of the image's content, on any disk. */
  private List<BaseLocation> sealed() {
    List<BaseLocation> found = new ArrayList<>();
    for (String disk : DISKS) {
      for (BaseLocation base : engine.bases(DiskLocation.directory(NODE, disks.path(disk)))) {
        String checksum = engine.inspectBase(base).map(BaseInfo::contentChecksum).orElse("");
        if (!checksum.isEmpty() && (content.isEmpty() || content.equals(checksum))) {
          found.add(base.withContentChecksum(checksum));
        }
      }
    }
    return found;
  }

  private int copies() {
    return sealed().size();
  }

  private void keepsACopy(ResourceStore current) throws StorageException {
    if (content.isEmpty()) {
      content =
          current
              .get(BackingImage.KIND, IMAGE)
              .filter(BackingImage::isReady)
              .map(image -> image.status().contentChecksum())
              .orElse("");
    }
    if (!content.isEmpty() && copies() == 0) {
      throw new AssertionError("the last copy of the image is lost");
    }
  }

  private void keepsBases(ResourceStore current) {
    replicas.forEach(
        (replica, base) -> {
          if (engine.inspectBase(base).isEmpty()) {
            throw new AssertionError("the base below " + replica.replica() + " is lost");
          }
        });
  }
}
