package dev.holdfast.image.internal.control;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BaseTasks;
import dev.holdfast.image.internal.content.ContentDigest;
import dev.holdfast.image.internal.disk.MemoryBases;
import dev.holdfast.image.internal.exchange.NoChannels;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The delivery of one image on a node that dies, pauses and loses the store. Transfers fail, the
 * image at the source is replaced, its disk is absent, and users remove delivered files.
 */
final class DeliveryHistory {
  private static final String NODE = "node-1";
  private static final String IMAGE = "debian";
  private static final List<String> DISKS = List.of("one", "two");
  private static final int SIZE = 5 * 4096;

  private final MemoryBases engine = new MemoryBases();
  private final Random random;
  private final Simulation simulation;
  private final ResourceStore store;
  private final SimulatedDisks disks;
  private final ChangingSource source;
  private final Set<String> contents;
  private boolean busy = true;

  DeliveryHistory(long seed, Path folder, boolean restarts) throws StorageException {
    this.random = new Random(seed);
    this.disks = new SimulatedDisks(NODE, folder);
    List<byte[]> versions = new ArrayList<>();
    for (int version = 0; version < 3; version++) {
      byte[] content = new byte[SIZE];
      random.nextBytes(content);
      versions.add(content);
    }
    this.contents = versions.stream().map(DeliveryHistory::checksum).collect(Collectors.toSet());
    this.source = new ChangingSource(versions, random);
    source.restarts = restarts;
    InstalledPlugins plugins = new InstalledPlugins();
    plugins.addEngine(engine);
    simulation =
        Simulation.builder(seed)
            .reconciler(NODE, BackingImageReconciler::new)
            .reconciler(
                NODE,
                () ->
                    new ManagerReconciler(
                        plugins, new BaseTasks(new DirectExecutor()), new NoChannels()))
            .reconciler(NODE, () -> deliveries(plugins))
            .invariant("a complete copy is one version of the image", this::isOneVersion)
            .build();
    store = simulation.store();
    disks.create(store, DISKS);
    store.create(
        BackingImage.of(
            IMAGE,
            BackingImageSpec.EMPTY.withSourceType(ChangingSource.NAME).withDataEngine("fake")));
  }

  private static String checksum(byte[] content) {
    ContentDigest digest = new ContentDigest(content.length);
    digest.data(ByteBuffer.wrap(content));
    return digest.finish();
  }

  /** Returns the controller of a new process, without the transfers of an earlier one. */
  private DataSourceReconciler deliveries(InstalledPlugins plugins) {
    ImageTransfers transfers = new ImageTransfers(new DirectExecutor());
    transfers.addSource(source);
    return new DataSourceReconciler(
        transfers, plugins, new NoVolumes(), new OneNode(NODE), new NoChannels());
  }

  void play() throws StorageException {
    others();
    simulation.run(Duration.ofMinutes(15));
    busy = false;
    source.breaks = false;
    simulation.calm();
    for (String disk : DISKS) {
      disks.set(store, disk, true);
    }
    simulation.runUntilEqual(
        "the image is delivered and nothing of its transfer is left",
        Duration.ofMinutes(20),
        current -> remains());
  }

  private String remains() throws StorageException {
    BackingImage image = store.get(BackingImage.KIND, IMAGE).orElseThrow();
    boolean taken = delivery().filter(found -> found.spec().fileTransferred()).isPresent();
    List<Path> files = files();
    return image.isReady() && taken && files.isEmpty()
        ? ""
        : "ready: %s, taken: %s, files: %s".formatted(image.isReady(), taken, files);
  }

  private Optional<BackingImageDataSource> delivery() throws StorageException {
    return store.get(BackingImageDataSource.KIND, IMAGE);
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
    switch (random.nextInt(5)) {
      case 0 -> source.version = random.nextInt(3);
      case 1 -> disks.set(store, disk, false);
      case 2, 3 -> disks.set(store, disk, true);
      default -> removeFile();
    }
  }

  private void removeFile() {
    for (Path file : files()) {
      if (random.nextBoolean()) {
        try {
          Files.delete(file);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Returns the files of transfers and their marks. */
  private List<Path> files() {
    List<Path> found = new ArrayList<>();
    for (String disk : DISKS) {
      Path transfers = disks.path(disk).resolve("tmp");
      if (Files.isDirectory(transfers)) {
        try (Stream<Path> files = Files.list(transfers)) {
          files.sorted().forEach(found::add);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return found;
  }

  private void isOneVersion(ResourceStore current) {
    for (String disk : DISKS) {
      for (BaseLocation base : engine.bases(DiskLocation.directory(NODE, disks.path(disk)))) {
        String checksum = engine.inspectBase(base).map(BaseInfo::contentChecksum).orElse("");
        if (!checksum.isEmpty() && !contents.contains(checksum)) {
          throw new AssertionError("the copy on disk " + disk + " is of no version");
        }
      }
    }
  }
}
