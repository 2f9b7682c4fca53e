package dev.holdfast.image.internal.control;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.host.LocalHost;
import dev.holdfast.image.internal.content.BaseTasks;
import dev.holdfast.image.internal.disk.MemoryBases;
import dev.holdfast.image.internal.exchange.NoChannels;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.imagesource.clone.internal.ImageCloneSource;
import dev.holdfast.imagesource.download.internal.DownloadSource;
import dev.holdfast.imagesource.upload.internal.UploadSource;
import dev.holdfast.imagesource.volume.internal.VolumeSource;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The real controllers and sources of images, on one node with two disks. */
abstract class ImageFixture {
  static final String IMAGE = "debian";

  @TempDir Path directory;
  final MemoryResourceStore store = new MemoryResourceStore();
  final MemoryBases engine = new MemoryBases();
  final InstalledPlugins plugins = new InstalledPlugins();
  final ImageTransfers transfers = new ImageTransfers();
  final BaseTasks tasks = new BaseTasks();
  final byte[] content = new byte[3 << 20];
  private RunningControllers controllers;
  HttpServer server;

  @BeforeEach
  void start() throws Exception {
    new Random(5).nextBytes(content);
    Arrays.fill(content, 1 << 20, 2 << 20, (byte) 0);
    plugins.addEngine(engine);
    transfers.addSource(new DownloadSource());
    transfers.addSource(new UploadSource());
    transfers.addSource(new ImageCloneSource(new LocalHost(), directory.resolve("headers")));
    transfers.addSource(new VolumeSource());
    if (!allowedNetworks().isEmpty()) {
      store.create(
          Setting.of("image-download-allowed-networks", new SettingSpec(allowedNetworks())));
    }
    addNode();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/disk.raw",
        exchange -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    server.start();
    controllers = new RunningControllers(store, Clock.systemUTC());
    controllers.add(new BackingImageReconciler());
    controllers.add(
        new DataSourceReconciler(
            transfers,
            plugins,
            new NoVolumes(),
            new OneNode(VolumeResources.NODE),
            new NoChannels()));
    controllers.add(new ManagerReconciler(plugins, tasks, new NoChannels()));
    controllers.add(new ImageVolumeReconciler());
  }

  /** Returns the networks that are not public and from which images may be downloaded. */
  String allowedNetworks() {
    return "127.0.0.0/8";
  }

  private void addNode() throws Exception {
    List<Condition> ready =
        Condition.with(
            List.of(), Condition.READY, Condition.Status.TRUE, "Ready", "", Instant.EPOCH);
    Map<String, DiskSpec> disks = new TreeMap<>();
    Map<String, DiskStatus> statuses = new TreeMap<>();
    for (String disk : List.of("one", "two")) {
      Path path = Files.createDirectories(directory.resolve(disk));
      disks.put(disk, DiskSpec.EMPTY.withPath(path.toString()));
      statuses.put(
          disk,
          DiskStatus.EMPTY
              .withDiskUUID("uuid-" + disk)
              .withPath(path.toString())
              .withConditions(ready));
    }
    Node node = store.create(Node.of(VolumeResources.NODE, NodeSpec.EMPTY.withDisks(disks)));
    store.updateStatus(
        node.withStatus(
            NodeStatus.EMPTY
                .withConditions(ready)
                .withEngines(List.of("fake"))
                .withDiskStatus(statuses)));
  }

  /** Ends the controllers, so that a test makes single steps. */
  final void stopControllers() {
    controllers.close();
  }

  @AfterEach
  void stop() {
    controllers.close();
    transfers.close();
    tasks.close();
    server.stop(0);
    store.close();
  }

  final BackingImageSpec download() {
    return BackingImageSpec.EMPTY
        .withSourceType("download")
        .withDataEngine("fake")
        .withSourceParameters(Map.of("url", url("/disk.raw")));
  }

  final String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  final BackingImage create(BackingImageSpec spec) throws Exception {
    return store.create(BackingImage.of(IMAGE, spec));
  }

  final String untilFailed() throws Exception {
    BackingImage failed = Awaiting.until(store, BackingImage.KIND, IMAGE, BackingImage::hasFailed);
    return Condition.find(failed.status().conditions(), Condition.READY).orElseThrow().message();
  }

  final BackingImage untilReady() throws Exception {
    return Awaiting.until(store, BackingImage.KIND, IMAGE, BackingImage::isReady);
  }

  final List<Path> transferFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
