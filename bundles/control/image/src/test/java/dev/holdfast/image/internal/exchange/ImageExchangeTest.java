package dev.holdfast.image.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BaseTask;
import dev.holdfast.image.internal.content.BlockIo;
import dev.holdfast.image.internal.content.ContentDigest;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.disk.MemoryBases;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.imagesource.upload.internal.UploadSource;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transfer of an image's content from node-2 to node-1, over the connections between nodes. */
class ImageExchangeTest {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");
  private static final int SIZE = 5 << 20;

  @TempDir private Path folder;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final MemoryBases near = new MemoryBases();
  private final MemoryBases far = new MemoryBases();
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final byte[] content = new byte[SIZE];
  private final ImageTransfers transfers = new ImageTransfers();
  private RpcServer server;
  private ImageSender sender;
  private PeerChannels channels;
  private BaseLocation base;

  @BeforeEach
  void start() throws Exception {
    new Random(3).nextBytes(content);
    Arrays.fill(content, 1 << 20, 3 << 20, (byte) 0);
    plugins.addEngine(far);
    NodeTls first = TlsDirectory.prepare(folder.resolve("1"), "node-1", NAMES, Clock.systemUTC());
    server = RpcServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), joined());
    channels = new PeerChannels(new Peers("node-1"), first);
    sender = new ImageSender(store, plugins, new Peers("node-2"), transfers);
    server.add(sender);
    addNode();
    addImage();
  }

  private NodeTls joined() throws StorageException {
    NodeAuthority ca = TlsDirectory.authority(folder.resolve("1"), Clock.systemUTC());
    Path directory = folder.resolve("2");
    String request = TlsDirectory.request(directory, "node-2", NAMES);
    TlsDirectory.accept(directory, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    return TlsDirectory.prepare(directory, "node-2", NAMES, Clock.systemUTC());
  }

  private void addNode() throws StorageException {
    DiskSpec disk = DiskSpec.EMPTY.withPath("/far");
    Node node = store.create(Node.of("node-2", NodeSpec.EMPTY.withDisks(Map.of("one", disk))));
    store.updateStatus(
        node.withStatus(
            NodeStatus.EMPTY.withDiskStatus(
                Map.of("one", DiskStatus.EMPTY.withDiskUUID("far-disk").withPath("/far")))));
  }

  private void addImage() throws Exception {
    ContentDigest digest = new ContentDigest(SIZE);
    digest.data(ByteBuffer.wrap(content));
    base = at("node-2", "/far", digest.finish());
    try (BaseWriter writer = far.createBase(base, SIZE)) {
      BlockIo.write(writer.device(), 0, ByteBuffer.wrap(content));
      writer.seal(base.contentChecksum());
    }
    BackingImage image =
        store.create(
            BackingImage.of(
                "debian", BackingImageSpec.EMPTY.withSourceType("upload").withDataEngine("fake")));
    store.updateStatus(image.withStatus(image.status().withUuid("u-1")));
  }

  private static BaseLocation at(String node, String disk, String checksum) {
    return new BaseLocation("debian", "u-1", DiskLocation.directory(node, Path.of(disk)), checksum);
  }

  @AfterEach
  void stop() {
    sender.stop();
    transfers.close();
    channels.close();
    server.close();
    store.close();
  }

  private BaseTask.Outcome sync(String disk, String checksum) {
    BaseLocation place = at("node-1", "/near", checksum);
    BaseTask task =
        BaseTask.sync(
            near,
            place,
            SIZE,
            new RemoteContent(channels.channel("node-2"), "node-2", disk, place, "near-disk"));
    task.run();
    return task.outcome().orElseThrow();
  }

  @Test
  void imageIsCopiedFromAnotherNode() throws Exception {
    assertThat(sync("far-disk", base.contentChecksum()).failure()).isEmpty();

    byte[] stored = new byte[SIZE];
    BlockIo.read(near.openBase(base("/near")), 0, ByteBuffer.wrap(stored));
    assertThat(stored).isEqualTo(content);
  }

  private BaseLocation base(String disk) {
    return at("node-1", disk, base.contentChecksum());
  }

  @Test
  void zeroesTravelAsTheirLength() throws Exception {
    long[] zeroes = {0};
    long[] data = {0};
    new RemoteContent(channels.channel("node-2"), "node-2", "far-disk", base, "test")
        .copyTo(
            4096,
            SIZE - 8192,
            new ContentSink() {
              @Override
              public void data(ByteBuffer bytes) {
                data[0] += bytes.remaining();
              }

              @Override
              public void zeroes(long length) {
                zeroes[0] += length;
              }
            });
    assertThat(zeroes[0]).isEqualTo(2 << 20);
    assertThat(data[0]).isEqualTo(SIZE - 8192 - (2 << 20));
  }

  @Test
  void contentWithAnotherChecksumIsNotSent() {
    BaseTask.Outcome outcome = sync("far-disk", "sha256-16m:00");

    assertThat(outcome.failure().map(StorageException::code)).contains(ErrorCode.INVALID);
    assertThat(outcome.failure().orElseThrow()).hasMessageContaining("has the checksum");
  }

  @Test
  void diskOfAnotherNodeIsNotRead() {
    BaseTask.Outcome outcome = sync("other-disk", base.contentChecksum());

    assertThat(outcome.failure().map(StorageException::code)).contains(ErrorCode.NOT_FOUND);
  }

  @Test
  void rangeBehindTheEndIsRefused() {
    RemoteContent remote =
        new RemoteContent(channels.channel("node-2"), "node-2", "far-disk", base, "test");
    assertThatThrownBy(() -> remote.copyTo(SIZE - 1, 2, new NullSink()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("has only");
    assertThatThrownBy(() -> remote.copyTo(-1, 2, new NullSink()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("offset -1");
  }

  @Test
  void mapHasABitForEachClusterWithData() throws Exception {
    RemoteContent remote =
        new RemoteContent(channels.channel("node-2"), "node-2", "far-disk", base, "test");

    // Images in memory have no holes.
    assertThat(remote.dataClusters(SIZE, 1 << 20).cardinality()).isEqualTo(SIZE >> 20);
    assertThat(remote.dataClusters(SIZE - (1 << 20), 1 << 20).length()).isEqualTo(4);
  }

  private BackingImageDataSource awaitUpload(String node) throws Exception {
    transfers.addSource(new UploadSource());
    return store.create(
        BackingImageDataSource.of(
            "debian",
            new BackingImageDataSourceSpec(
                "u-1",
                node,
                "far-disk",
                folder.resolve("disk").toString(),
                "upload",
                Map.of(),
                "",
                false)));
  }

  private Path uploaded() {
    return folder.resolve("disk/tmp/debian-u-1");
  }

  @Test
  void uploadIsPassedOnToTheNodeOfTheDisk() throws Exception {
    BackingImageDataSource source = awaitUpload("node-2");

    new RemoteUpload(channels).send(source, SIZE, new ByteArrayInputStream(content));

    assertThat(Files.readAllBytes(uploaded())).isEqualTo(content);
  }

  @Test
  void uploadThatEndsEarlyFails() throws Exception {
    BackingImageDataSource source = awaitUpload("node-2");

    assertThatThrownBy(
            () ->
                new RemoteUpload(channels)
                    .send(source, SIZE + 1, new ByteArrayInputStream(content)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("before its size");
  }

  @Test
  void uploadOfAnotherNodeIsRefused() throws Exception {
    BackingImageDataSource source = awaitUpload("node-3");
    BackingImageDataSource late = source.withSpec(source.spec().withNodeID("node-2"));

    assertThatThrownBy(
            () -> new RemoteUpload(channels).send(late, SIZE, new ByteArrayInputStream(content)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("by node node-3 now");
  }

  /** Discards all content. */
  private static final class NullSink implements ContentSink {
    @Override
    public void data(ByteBuffer bytes) {
      // Not looked at.
    }

    @Override
    public void zeroes(long length) {
      // Not looked at.
    }
  }

  private final class Peers implements PeerNodes {
    private final String self;

    Peers(String self) {
      this.self = self;
    }

    @Override
    public String self() {
      return self;
    }

    @Override
    public InetSocketAddress address(String node, String port) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }
  }
}
