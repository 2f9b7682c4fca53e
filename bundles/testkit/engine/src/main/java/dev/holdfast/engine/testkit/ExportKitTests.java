package dev.holdfast.engine.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Base of the topics about exports: a volume with one export and hosts. */
abstract class ExportKitTests extends EngineTests {
  static final String EXPORT = "kit";

  final EngineLab lab;
  final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<HostConnection> connections = new ArrayList<>();

  ExportKitTests(EngineLab lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void checkDeclared() {
    assumeTrue(has(EngineCapability.NATIVE_EXPORT), "the engine does not declare NATIVE_EXPORT");
  }

  @AfterEach
  final void disconnect() {
    connections.forEach(HostConnection::close);
    threads.shutdownNow();
  }

  final ExportingVolume exporting(List<ReplicaLocation> replicas) throws StorageException {
    return (ExportingVolume) open(replicas);
  }

  /** Returns a request for the volume's first protocol. */
  final ExportRequest request(ExportingVolume volume) {
    return lab.request(new TreeSet<>(volume.protocols()).first(), EXPORT);
  }

  final NativeExport export(ExportingVolume volume) throws StorageException {
    return volume.export(request(volume));
  }

  final HostConnection connect(NativeExport export) throws IOException {
    HostConnection connection = lab.connect(export.endpoints().get(0));
    connections.add(connection);
    return connection;
  }

  final boolean connects(NativeExport export) {
    try (HostConnection connection = connect(export)) {
      return connection.size() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether a write of a host takes effect. A disconnect counts as a rejection. */
  static boolean writes(HostConnection host, long offset, byte[] content) {
    try {
      host.write(offset, content);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  final OpenRequest again(List<ReplicaLocation> replicas) {
    return new OpenRequest(VOLUME, SIZE, "node-1", replicas, register, listener);
  }

  final LastingExportEngine lasting() {
    return (LastingExportEngine) engine;
  }

  final ExportingVolume resumed(
      EngineProvider by, List<ReplicaLocation> replicas, ExportingVolume former, boolean lasting)
      throws StorageException {
    return (ExportingVolume)
        ((dev.holdfast.engine.HandoverEngine) by)
            .resume(again(replicas), ((HandoverVolume) former).handOver(lasting));
  }
}
