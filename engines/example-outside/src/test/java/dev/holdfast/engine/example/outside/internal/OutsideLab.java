package dev.holdfast.engine.example.outside.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.example.outside.internal.daemon.NodeFolder;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.processes.RestartPolicy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Stream;

/** Two nodes on this machine over directories that both see, each with a state directory. */
final class OutsideLab implements EngineLab.SharedDisk {
  /** Longer than a test that takes a lock away: the former holder does not come back before. */
  private static final RestartPolicy LATE =
      new RestartPolicy(
          Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofMinutes(1), Integer.MAX_VALUE);

  private final ScheduledExecutorService executor =
      new ScheduledThreadPoolExecutor(1, OutsideLab::thread);
  private final Path state;
  private final Map<EngineProvider, Path> folders = new ConcurrentHashMap<>();

  OutsideLab() {
    try {
      state = Files.createTempDirectory("outside");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "lab");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public EngineProvider start() {
    return startOn("node-1");
  }

  @Override
  public EngineProvider startOn(String node) {
    Path folder = state.resolve(node);
    EngineProvider engine =
        new OutsideEngine(
            new DaemonSettings(folder, "qemu-storage-daemon", LATE, Duration.ofSeconds(2)));
    folders.put(engine, folder);
    return engine;
  }

  /** Exports outlive the engine; nothing outlives the test. */
  @Override
  public void stop(EngineProvider engine) throws Exception {
    ((OutsideEngine) engine).deactivate();
    Path volumes = folders.get(engine);
    if (Files.exists(volumes)) {
      try (DirectoryStream<Path> places = Files.newDirectoryStream(volumes)) {
        for (Path place : places) {
          withdraw(new NodeFolder(place, "kit"));
        }
      }
    }
  }

  /** Leaves what another engine of the node has open. */
  private void withdraw(NodeFolder place) throws StorageException {
    try (ProcessSupervisor supervisor =
        ProcessSupervisor.open(place.path(), Clock.systemUTC(), executor)) {
      VolumeDaemons.withdraw(place, supervisor);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.BUSY) {
        throw e;
      }
    }
  }

  @Override
  public void kill(EngineProvider engine) throws Exception {
    ((OutsideEngine) engine).abandon();
  }

  @Override
  public DiskLocation seenFrom(DiskLocation disk, String node) {
    return DiskLocation.directory(node, disk.path());
  }

  /** The lock is that of the process, so a lock that ends without notice is a process that does. */
  @Override
  public void expireLocks(EngineProvider engine) throws Exception {
    for (ProcessIdentity process : ((OutsideEngine) engine).imageProcesses()) {
      ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
      assertThat(handle.destroyForcibly()).isTrue();
      handle.onExit().get();
    }
  }

  @Override
  public String putForeignContent(DiskLocation disk) throws Exception {
    Files.writeString(disk.path().resolve("precious.txt"), "not yours");
    return "precious.txt";
  }

  @Override
  public byte[] content(DiskLocation disk) throws Exception {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    List<Path> files;
    try (Stream<Path> paths = Files.walk(disk.path())) {
      files = paths.sorted().toList();
    }
    for (Path file : files) {
      content.write(file.toString().getBytes(StandardCharsets.UTF_8));
      if (Files.isRegularFile(file)) {
        content.write(Files.readAllBytes(file));
      }
    }
    return content.toByteArray();
  }

  @Override
  public DiskLocation absent(DiskLocation disk) {
    return DiskLocation.directory(disk.nodeId(), disk.path().resolveSibling("absent"));
  }
}
