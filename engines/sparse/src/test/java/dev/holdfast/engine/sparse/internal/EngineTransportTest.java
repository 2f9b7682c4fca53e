package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.link.TwoNodes;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The transport to other nodes appears and disappears while the engine runs. */
@Timeout(60)
class EngineTransportTest {
  private static final long SIZE = 1 << 20;

  @TempDir private Path folder;
  private TwoNodes nodes;
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes(folder, true, new ReplicaHost(LocalReplicaDirectory::new, "boot"));
    engine =
        new SparseEngine(
            LocalReplicaDirectory::new,
            "boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            SparseEngine::noWay);
  }

  @AfterEach
  void stop() {
    engine.stop();
    nodes.close();
  }

  @Test
  void laterTransportReplacesTheEarlierOne() throws Exception {
    NodeChannels next = new Again(nodes.channels);
    engine.bindChannels(nodes.channels);
    engine.bindChannels(next);
    engine.unbindChannels(nodes.channels);
    OpenVolume volume = open();
    assertThat(write(volume)).isNull();
    assertThat(volume.replicas())
        .containsOnly(Map.entry("r-1", MemberMode.RW), Map.entry("r-2", MemberMode.RW));
    engine.unbindChannels(next);
    // The links end on other threads, so the first writes may still use the earlier link.
    while (volume.replicas().get("r-2") == MemberMode.RW) {
      assertThat(write(volume)).isNull();
    }
    assertThat(volume.replicas())
        .containsOnly(Map.entry("r-1", MemberMode.RW), Map.entry("r-2", MemberMode.ERR));
  }

  private OpenVolume open() throws Exception {
    return engine.open(
        new OpenRequest(
            "v",
            SIZE,
            "node-1",
            List.of(replica("r-1", "node-1"), replica("r-2", TwoNodes.FAR)),
            new InMemoryRegister(),
            new RecordingListener()));
  }

  private ReplicaLocation replica(String name, String node) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk-" + name));
    TwoNodes.mark(disk);
    ReplicaLocation location = new ReplicaLocation("v", name, node, disk, "v-" + name);
    new ReplicaStorage().provision(location, SIZE);
    return location;
  }

  private static StorageException write(OpenVolume volume) throws Exception {
    CompletableFuture<StorageException> ended = new CompletableFuture<>();
    volume.device().write(0, ByteBuffer.allocateDirect(4096), IoFlags.NONE, ended::complete);
    return ended.get(20, TimeUnit.SECONDS);
  }

  /** The same channels as another service. */
  private record Again(NodeChannels channels) implements NodeChannels {
    @Override
    public Channel channel(String node) {
      return channels.channel(node);
    }

    @Override
    public InetSocketAddress address(String node) throws StorageException {
      return channels.address(node);
    }

    @Override
    public SSLContext sslContext(String node) throws StorageException {
      return channels.sslContext(node);
    }
  }
}
