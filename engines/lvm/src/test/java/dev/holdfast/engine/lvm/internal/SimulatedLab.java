package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.RecordingHost;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One node with a simulated volume group. Extents are small, because the kit has odd sizes. */
final class SimulatedLab implements CrashLab {
  private final SimulatedLvm lvm = new SimulatedLvm(4096);
  private final RecordingHost host = new RecordingHost(lvm);
  private final MemoryRecords records = new MemoryRecords();
  private final Path folder;

  SimulatedLab() {
    try {
      folder = Files.createTempDirectory("lvm");
      folder.toFile().deleteOnExit();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public LvmEngine start() {
    return new LvmEngine(
        new LvmContext(
            new GroupReports(host, System::nanoTime, Duration.ZERO),
            records,
            folder,
            (path, access) -> new SimulatedRaw(lvm.open(path), access),
            NoSharing.of(host, folder)),
        Duration.ofHours(1));
  }

  SimulatedLvm simulation() {
    return lvm;
  }

  @Override
  public RecordingHost host() {
    return host;
  }

  @Override
  public MemoryRecords records() {
    return records;
  }

  @Override
  public List<String> leftovers() {
    List<String> all = new ArrayList<>(lvm.volumeNames());
    all.addAll(lvm.mapper.names());
    return all;
  }

  @Override
  public void stop(EngineProvider engine) {
    ((LvmEngine) engine).deactivate();
  }

  @Override
  public void kill(EngineProvider engine) {
    ((LvmEngine) engine).abandon();
  }

  @Override
  public DiskLocation disk(Path tests, int number) {
    return new DiskLocation(
        "node-1", "", DiskKind.VOLUME_GROUP, Path.of("/dev", SimulatedLvm.GROUP));
  }

  @Override
  public HostConnection connect(URI endpoint) throws IOException {
    return new SimulatedUser(lvm.open(Path.of(endpoint.getSchemeSpecificPart())));
  }
}
