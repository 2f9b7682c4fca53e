package dev.holdfast.access.clients.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** node-1 serves volumes that the kernel of node-2 uses; both use separate connections. */
@Timeout(60)
final class MemberInitiatorsTest {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");
  private static final String IQN = "iqn.1993-08.org.debian:01:abc";
  private static final String FILMS = "films";
  private static final VolumeSpec VOLUME = VolumeSpec.EMPTY.withSize(Quantity.parse("1Mi"));
  private static final List<String> SECOND = List.of("node-2");

  @TempDir Path folder;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private RpcServer server;
  private PeerChannels channels;
  private InitiatorFolder ofSecond;
  private MemberInitiators members;

  private record Peers(int port) implements PeerNodes {
    @Override
    public String self() {
      return "node-1";
    }

    @Override
    public InetSocketAddress address(String node, String name) throws StorageException {
      if (!node.equals("node-2")) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " is down");
      }
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }

  @BeforeEach
  void start() throws Exception {
    Path one = folder.resolve("1/tls");
    Path two = folder.resolve("2/tls");
    NodeTls first = TlsDirectory.prepare(one, "node-1", NAMES, Clock.systemUTC());
    NodeAuthority ca = TlsDirectory.authority(one, Clock.systemUTC());
    String request = TlsDirectory.request(two, "node-2", NAMES);
    TlsDirectory.accept(two, ca.certificate(), ca.sign(TlsDirectory.parseRequest(request)));
    server =
        RpcServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TlsDirectory.prepare(two, "node-2", NAMES, Clock.systemUTC()));
    server.add(new InitiatorService(store, folder.resolve("2")));
    channels = new PeerChannels(new Peers(server.port()), first);
    members = new MemberInitiators("node-1", folder.resolve("1"), () -> Optional.of(channels));
    ofSecond = InitiatorFolder.ofNode(folder.resolve("2")).orElseThrow();
    store.create(Volume.of(FILMS, VOLUME.withNodeID("node-1")));
    store.create(Volume.of("other", VOLUME.withNodeID("node-3")));
  }

  @AfterEach
  void stop() {
    channels.close();
    server.close();
    store.close();
  }

  private InitiatorCredential connects(String volume) throws StorageException {
    InitiatorCredential made = InitiatorCredential.create(IQN);
    ofSecond.write(volume, made);
    return made;
  }

  @Test
  void servingNodeGetsTheSecretOfEachConnection() throws Exception {
    assertThat(members.credential(IQN, FILMS, SECOND)).isEmpty();
    InitiatorCredential first = connects(FILMS);
    assertThat(members.credential(IQN, FILMS, SECOND)).contains(first);
    assertThat(members.credential("iqn.2026-01.test:other", FILMS, SECOND)).isEmpty();
    InitiatorCredential next = connects(FILMS);
    assertThat(members.credential(IQN, FILMS, SECOND)).contains(next);
    assertThat(members.nodesOf(IQN)).containsExactlyEntriesOf(Map.of(FILMS, "node-2"));
    ofSecond.delete(FILMS);
    assertThat(members.credential(IQN, FILMS, SECOND)).isEmpty();
  }

  @Test
  void nodeThatDoesNotServeAVolumeGetsNoSecretOfIt() throws Exception {
    InitiatorCredential unused = connects("other");
    assertThat(members.credential(IQN, "other", SECOND)).isEmpty();
    assertThat(members.nodesOf(IQN)).isEmpty();
  }

  @Test
  void keptSecretHoldsWhileItsNodeIsDown() throws Exception {
    InitiatorCredential made = connects(FILMS);
    assertThat(members.credential(IQN, FILMS, SECOND)).contains(made);
    server.close();
    assertThat(members.credential(IQN, FILMS, SECOND)).contains(made);
    MemberInitiators restarted =
        new MemberInitiators("node-1", folder.resolve("1"), () -> Optional.of(channels));
    assertThat(restarted.credential(IQN, FILMS, SECOND)).contains(made);
    Path kept = InitiatorFolder.ofPeer(folder.resolve("1"), "node-2").directory().resolve(FILMS);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
        .isEqualTo("rw-------");
  }

  @Test
  void kernelsThatUseNvmeAreListedBeforeTheyLogIn() throws Exception {
    try (MemberKernels kernels = new MemberKernels(members)) {
      InitiatorCredential unused = connects(FILMS);
      assertThat(kernels.of(FILMS, SECOND)).isEmpty();
      InitiatorCredential made = InitiatorCredential.create("nqn.2014-08.org.nvmexpress:uuid:1");
      ofSecond.write(FILMS, made);
      while (!kernels.of(FILMS, SECOND).equals(Map.of("node-2", made))) {
        Thread.onSpinWait();
      }
      server.close();
      assertThat(kernels.of(FILMS, SECOND)).isEqualTo(Map.of("node-2", made));
      assertThat(kernels.of(FILMS, List.of("node-3"))).isEmpty();
      assertThat(kernels.of(FILMS, List.of())).isEmpty();
    }
  }

  @Test
  void initiatorRetriesWhileTheSecretIsUnknown() {
    assertThatThrownBy(() -> members.credential(IQN, FILMS, List.of("node-3")))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }

  @Test
  void secretEndsWithTheTicket() throws Exception {
    InitiatorCredential unused = connects(FILMS);
    assertThat(members.credential(IQN, FILMS, SECOND)).isPresent();
    members.retain(Map.of("node-2", Set.of(FILMS)));
    assertThat(members.nodesOf(IQN)).isNotEmpty();
    members.retain(Map.of("node-2", Set.of("other")));
    assertThat(members.nodesOf(IQN)).isEmpty();
    assertThat(InitiatorFolder.ofPeer(folder.resolve("1"), "node-2").volumes()).isEmpty();
  }

  @Test
  void kernelOfTheServingNodeNeedsNoCall() throws Exception {
    server.close();
    InitiatorCredential made = InitiatorCredential.create(IQN);
    InitiatorFolder.ofNode(folder.resolve("1")).orElseThrow().write(FILMS, made);
    assertThat(members.credential(IQN, FILMS, List.of("node-1"))).contains(made);
    assertThat(InitiatorFolder.ofPeers(folder.resolve("1"))).doesNotExist();
  }
}
