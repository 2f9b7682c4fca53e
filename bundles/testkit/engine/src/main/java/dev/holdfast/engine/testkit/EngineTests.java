package dev.holdfast.engine.testkit;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rule.testkit.NamedRules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Base of the topics: an engine, some disks, one volume's register and listener. */
@ExtendWith(NamedRules.class)
abstract class EngineTests {
  static final String VOLUME = "vol";
  static final long SIZE = 64L << 20;

  private final EngineLab lab;
  final InMemoryRegister register = new InMemoryRegister();
  final RecordingListener listener = new RecordingListener();
  final Random random = new Random(5);
  EngineProvider engine;

  @TempDir private Path disks;

  EngineTests(EngineLab lab) {
    this.lab = lab;
  }

  @BeforeEach
  final void startEngine() throws Exception {
    engine = lab.start();
  }

  @AfterEach
  final void stopEngine() throws Exception {
    register.become(InMemoryRegister.Mode.REACHABLE);
    lab.stop(engine);
  }

  /** Kills the engine and starts the next one. */
  final void restartUncleanly() throws Exception {
    lab.kill(engine);
    engine = lab.start();
  }

  final boolean has(EngineCapability capability) {
    return engine.capabilities().contains(capability);
  }

  final ReplicaLocation location(int number) throws Exception {
    return new ReplicaLocation(
        VOLUME, VOLUME + "-r-" + number, disk(number), "vol-" + number, false);
  }

  /** Returns a disk that the engine uses. */
  final DiskLocation disk(int number) throws Exception {
    return prepared(engine, lab.disk(disks, number));
  }

  /** Returns a blank disk of the lab. */
  final DiskLocation blankDisk(int number) throws Exception {
    return lab.disk(disks, number);
  }

  static DiskLocation prepared(EngineProvider engine, DiskLocation disk) throws StorageException {
    if (disk.kind() != DiskKind.DIRECTORY && engine instanceof DiskEngine user) {
      user.prepareDisk(disk);
    }
    return disk;
  }

  final List<ReplicaLocation> provisioned(int count) throws Exception {
    List<ReplicaLocation> locations = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      locations.add(location(i));
      engine.provisionReplica(location(i), SIZE);
    }
    return locations;
  }

  final OpenVolume open(List<ReplicaLocation> replicas) throws StorageException {
    return open(replicas, listener);
  }

  final OpenVolume open(List<ReplicaLocation> replicas, RecordingListener told)
      throws StorageException {
    return engine.open(new OpenRequest(VOLUME, SIZE, "node-1", replicas, register, told));
  }

  static DeviceIo io(OpenVolume volume) {
    return new DeviceIo(volume.device());
  }

  final byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  /** Runs a call that must fail and returns its code. */
  static ErrorCode failureOf(StorageCall call) throws Exception {
    try {
      call.run();
    } catch (StorageException e) {
      return e.code();
    }
    throw new AssertionError("expected a StorageException, found success");
  }

  /** A call that may fail. */
  @FunctionalInterface
  interface StorageCall {
    void run() throws Exception;
  }
}
