package dev.holdfast.engine.spdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.engine.spdk.internal.nodes.ClusterNodes;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.simulator.SimulatedTarget;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** One node with a simulated target. The target outlives the engine, like a separate process. */
class SpdkLab implements EngineLab {
  private static final String HOST =
      "nqn.2014-08.org.nvmexpress:uuid:4d3e1d0c-0c1f-4b4e-9d0a-7f2f6a1d9c11";
  private static final long DISK = 512L << 20;

  private final Fabric fabric;
  private final int port;
  private final int ownPort;
  private final String node;
  private final LegNodes nodes;
  private final Path folder;
  private final LongAdder read = new LongAdder();
  private TestTarget target;
  private volatile boolean outdated;
  private volatile boolean refusing;
  private volatile String failing = "";
  private int engines;

  SpdkLab() {
    this(new Fabric(), "node-1", new ClusterNodes());
  }

  /** Creates one of several nodes, whose targets the fabric connects. */
  SpdkLab(Fabric fabric, String node, LegNodes nodes) {
    this.fabric = fabric;
    this.node = node;
    this.nodes = nodes;
    port = Integer.parseInt(fabric.freePort());
    ownPort = Integer.parseInt(fabric.freePort());
    try {
      folder = Files.createTempDirectory("spdk");
      folder.toFile().deleteOnExit();
      startTarget();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  final void startTarget() throws IOException {
    target = started(socket());
  }

  /** Starts a target that listens for calls at a socket. */
  TestTarget started(Path at) throws IOException {
    return TestTarget.of(SimulatedTarget.start(at, fabric, Path::of));
  }

  /** Returns the folder in which engines keep keys. */
  final Path keys() {
    return folder.resolve("keys");
  }

  /** Returns the folder in which engines keep the files that belong to the target's process. */
  final Path processes() {
    return folder.resolve("processes");
  }

  final void killTarget() throws IOException {
    target.kill();
  }

  final Path socket() {
    return folder.resolve("s");
  }

  /** Returns the connection of a new engine to the target. */
  SpdkTarget target() {
    return new ReplaceableTarget();
  }

  /** Permits the engine to replace the process of the target once. */
  final void outdate() {
    outdated = true;
  }

  /** Makes the target refuse its replacement. */
  final void refuseReplacement() {
    refusing = true;
  }

  /** Makes the next call of a method fail. */
  final void failNext(String method) {
    failing = method;
  }

  final boolean isOutdated() {
    return outdated;
  }

  /** A target whose process the lab replaces. */
  private final class ReplaceableTarget extends SpdkTarget {
    ReplaceableTarget() {
      super(SpdkLab.this.socket());
    }

    @Override
    public JsonNode call(String method, ObjectNode params, Duration patience)
        throws StorageException {
      if (method.equals(failing)) {
        failing = "";
        throw new StorageException(ErrorCode.TIMEOUT, method + ": no answer");
      }
      return super.call(method, params, patience);
    }

    @Override
    public boolean isOutdated() {
      return outdated;
    }

    @Override
    public void replace() throws StorageException {
      outdated = false;
      if (refusing) {
        throw new StorageException(ErrorCode.UNSUPPORTED, "no newer program is there");
      }
      try {
        killTarget();
        startTarget();
      } catch (IOException e) {
        throw StorageException.io("target", e);
      }
    }
  }

  /** Returns the connector of engines to namespaces. It counts the bytes that are read. */
  Connector connector() {
    return (address, nqn, host) ->
        new ForwardingBlockDevice(Connector.tcp().connect(address, nqn, host)) {
          @Override
          public void read(long offset, ByteBuffer target, Completion completion) {
            read.add(target.remaining());
            super.read(offset, target, completion);
          }
        };
  }

  /** Returns the number of bytes that engines have read from namespaces. */
  final long bytesRead() {
    return read.sum();
  }

  @Override
  public SpdkEngine start() throws Exception {
    engines++;
    return new SpdkEngine(
        new SpdkSettings(
            socket(),
            "127.0.0.1",
            port,
            ownPort,
            folder.resolve("hostnqn"),
            folder.resolve("classes"),
            processes(),
            keys()),
        target(),
        connector(),
        nodes,
        Duration.ZERO);
  }

  @Override
  public void stop(EngineProvider engine) throws Exception {
    ((SpdkEngine) engine).deactivate();
    engines--;
    if (engines == 0) {
      target.close();
      fabric.close();
    }
  }

  @Override
  public void kill(EngineProvider engine) throws Exception {
    ((SpdkEngine) engine).abandon();
    engines--;
  }

  @Override
  public DiskLocation disk(Path tests, int number) throws Exception {
    Path file = tests.resolve(node + "-disk-" + number);
    if (!Files.exists(file)) {
      try (RandomAccessFile device = new RandomAccessFile(file.toFile(), "rw")) {
        device.setLength(DISK);
      }
    }
    return new DiskLocation(node, "", DiskKind.DEVICE, file);
  }

  @Override
  public ExportRequest request(String protocol, String export) {
    return ExportRequest.of(
        protocol,
        export,
        List.of(new ExportHost(HOST, Optional.empty(), Optional.empty(), Optional.empty())));
  }

  @Override
  public HostConnection connect(URI endpoint) throws IOException {
    try {
      return new RetryingHost(
          Connector.tcp()
              .connect(
                  new InetSocketAddress(endpoint.getHost(), endpoint.getPort()),
                  endpoint.getPath().substring(1),
                  HOST));
    } catch (StorageException e) {
      throw new IOException(e);
    }
  }
}
