package dev.holdfast.engine.lvm.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nbd.internal.ReplicaFrontend;
import dev.holdfast.host.Host;
import dev.holdfast.host.LocalHost;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import dev.holdfast.rpc.runtime.RpcServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs inside a virtual machine: the engine as a node has it, with portal, calls over mutual TLS,
 * exports and tunnels. Arguments: the node's name and address, folder of its certificate, port of
 * the records on the machine of the test; then names and addresses of all nodes.
 *
 * <p>A line of the input is a call about a volume; the answer is {@code ok} with a result, or the
 * error. The process ends with its input.
 */
final class NodeInGuest {
  private static final String GATEWAY = "10.0.2.2";
  private static final String RPC_PORT = "7444";
  private static final String REPLICA_PORT = "10810";
  private static final long MIB = 1L << 20;

  private final String node;
  private final RecordsClient records;
  private final LvmEngine engine;
  private final Map<String, LvmVolume> open = new HashMap<>();
  private final Map<String, RecordingListener> listeners = new HashMap<>();

  private NodeInGuest(String node, RecordsClient records, LvmEngine engine) {
    this.node = node;
    this.records = records;
    this.engine = engine;
  }

  /** Nodes with fixed addresses. */
  private record FixedNodes(String self, Map<String, String> addresses) implements PeerNodes {
    @Override
    public InetSocketAddress address(String name, String port) {
      return new InetSocketAddress(addresses.get(name), Integer.parseInt(RPC_PORT));
    }
  }

  public static void main(String[] arguments) throws Exception {
    String node = arguments[0];
    String address = arguments[1];
    Map<String, String> addresses = new HashMap<>();
    for (int n = 4; n < arguments.length; n += 2) {
      addresses.put(arguments[n], arguments[n + 1]);
    }
    NodeTls tls =
        TlsDirectory.prepare(Path.of(arguments[2]), node, List.of(address), Clock.systemUTC());
    RecordsClient records =
        new RecordsClient(new InetSocketAddress(GATEWAY, Integer.parseInt(arguments[3])));
    Host host = new LocalHost();
    Path state = Path.of("/run/holdfast");
    SharedServices services =
        new SharedServices(host, new LvmSettings(node, state, Path.of("/run/links"), true));
    LvmEngine engine =
        new LvmEngine(
            new LvmContext(
                new GroupReports(host, System::nanoTime, Duration.ofSeconds(4)),
                records,
                state,
                DirectFile::open,
                services),
            Duration.ofSeconds(2));
    Map<String, String> settings =
        Map.of("holdfast.address", address, "holdfast.replica.port", REPLICA_PORT);
    PortalSettings options = new PortalSettings(name -> Optional.ofNullable(settings.get(name)));
    try (SocketPortal portal = new SocketPortal(options);
        PeerChannels channels = new PeerChannels(new FixedNodes(node, addresses), tls);
        RpcServer server =
            RpcServer.start(new InetSocketAddress(address, Integer.parseInt(RPC_PORT)), tls)) {
      portal.arrived(tls);
      portal.arrived(new ReplicaFrontend());
      services.bindPortal(portal);
      services.bindChannels(channels);
      server.add(new PoolService(engine, services));
      new NodeInGuest(node, records, engine).serve();
      engine.deactivate();
      services.stop();
    }
    System.exit(0);
  }

  private void serve() throws Exception {
    System.out.println("ready");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(answer(line.split(" ", -1)));
    }
  }

  private String answer(String[] words) {
    try {
      return ("ok " + call(words)).strip();
    } catch (StorageException | InterruptedException | RuntimeException e) {
      return (e + "").replace('\n', ' ');
    }
  }

  private DiskLocation disk() {
    return new DiskLocation(node, "", DiskKind.VOLUME_GROUP, Path.of("/dev/vg0"));
  }

  private ReplicaLocation replica(String volume) {
    return new ReplicaLocation(volume, volume + "-r", disk(), volume + "-1", false);
  }

  private String call(String[] words) throws StorageException, InterruptedException {
    return switch (words[0]) {
      case "prepare" -> engine.prepareDisk(disk()).shared() ? "shared" : "local";
      case "provision" -> {
        engine.provisionReplica(replica(words[1]), mib(words[2]));
        yield "";
      }
      case "open" -> open(words[1], mib(words[2]));
      case "snapshot" -> {
        var unused =
            open.get(words[1])
                .createSnapshot(new SnapshotRequest(words[2], true, Instant.EPOCH, Map.of()));
        yield "";
      }
      case "clone" -> {
        engine.cloneReplica(
            replica(words[1]),
            mib(words[4]),
            new SnapshotContent(replica(words[2]), words[3], words[3]));
        yield "";
      }
      case "grow" -> {
        open.get(words[1]).expand(mib(words[2]));
        yield "";
      }
      case "move" -> {
        engine.shared(node, "vg0").optimize(open.get(words[1]).replica().place().head(), words[2]);
        yield "";
      }
      case "wait" -> told(listeners.get(words[1]).awaitRequests(true));
      case "pass" -> told(listeners.get(words[1]).awaitRequests(false));
      case "close" -> {
        open.remove(words[1]).close();
        yield "";
      }
      case "delete" -> {
        engine.deleteReplica(replica(words[1]));
        yield "";
      }
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private static String told(Optional<RequestWait> wait) {
    return wait.map(one -> one.reason() + " " + one.message()).orElse("");
  }

  private static long mib(String text) {
    return Long.parseLong(text) * MIB;
  }

  /** Returns the device through which programs of the machine use the volume. */
  private String open(String volume, long sizeBytes) throws StorageException {
    RecordingListener listener = new RecordingListener();
    listeners.put(volume, listener);
    LvmVolume opened =
        (LvmVolume)
            engine.open(
                new OpenRequest(
                    volume,
                    sizeBytes,
                    node,
                    List.of(replica(volume)),
                    new RecordedRegister(records, volume),
                    listener));
    open.put(volume, opened);
    return opened
        .export(ExportRequest.of("device", volume, List.of(ExportHost.LOCAL)))
        .endpoints()
        .get(0)
        .getSchemeSpecificPart();
  }
}
