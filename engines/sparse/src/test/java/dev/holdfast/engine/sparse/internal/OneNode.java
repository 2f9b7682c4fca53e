package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/** A volume with all replicas on the engine's node, on disks that can break or fill up. */
public final class OneNode implements AutoCloseable {
  public static final String BOOT = "boot";
  public static final long SIZE = 64L << 20;

  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final FragileDirectories directories = new FragileDirectories(broken);
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private final SparseEngine engine;

  /** Makes a volume with so many empty replicas. */
  public OneNode(Path disks, int count) throws Exception {
    this(disks, count, (path, directory) -> directory);
  }

  /**
   * Makes a volume with so many empty replicas.
   *
   * @param around wraps the directory of each replica
   */
  public OneNode(Path disks, int count, BiFunction<Path, ReplicaDirectory, ReplicaDirectory> around)
      throws Exception {
    this.engine =
        new SparseEngine(
            path -> around.apply(path, directories.open(path)),
            BOOT,
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            SparseEngine::noWay);
    for (int i = 1; i <= count; i++) {
      ReplicaLocation location =
          new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol");
      engine.provisionReplica(location, SIZE);
      replicas.add(location);
    }
  }

  public SparseEngine engine() {
    return engine;
  }

  public InMemoryRegister register() {
    return register;
  }

  /** Returns the replicas that were created first. */
  public List<ReplicaLocation> replicas() {
    return replicas;
  }

  /** Returns one of these replicas, counted from 1. */
  public ReplicaLocation replica(int number) {
    return replicas.get(number - 1);
  }

  public void breakDisk(int number) {
    broken.add(replica(number).directory());
  }

  public void mend(int number) {
    broken.remove(replica(number).directory());
  }

  public void fill(int number, boolean filled) {
    directories.fill(replica(number).directory(), filled);
  }

  /** Lets all accesses to a replica's disk hang until {@link #wake}. */
  public void hang(int number) {
    directories.hang(replica(number).directory());
  }

  /** Waits until an access hangs. */
  public void awaitHanging(int number) throws InterruptedException {
    directories.awaitHanging(replica(number).directory());
  }

  /** Returns the number of writes of a length to a replica's files. */
  public int writes(int number, int length) {
    return directories.writes(replica(number).directory(), length);
  }

  public void wake(int number) {
    directories.wake(replica(number).directory());
  }

  /** Opens the volume with all its replicas. */
  public OpenVolume open() throws Exception {
    return open(replicas);
  }

  public OpenVolume open(List<ReplicaLocation> of) throws Exception {
    return engine.open(new OpenRequest("vol", SIZE, "node", of, register, new RecordingListener()));
  }

  /** Opens the volume by a salvage. */
  public OpenVolume salvage(String replica, List<ReplicaLocation> of) throws Exception {
    return engine.open(
        new OpenRequest(
            "vol",
            SIZE,
            "node",
            of,
            register,
            new RecordingListener(),
            new OpenOptions(Set.of(replica), false, Duration.ofSeconds(30))));
  }

  /** Rebuilds a replica, and returns when it is a member. */
  public void rebuild(OpenVolume volume, ReplicaLocation replica) throws Exception {
    ((RebuildableVolume) volume)
        .rebuild(replica, RebuildOptions.UNLIMITED)
        .done()
        .toCompletableFuture()
        .get();
  }

  /** Returns so many bytes of one value. */
  public static byte[] filled(int length, int value) {
    byte[] content = new byte[length];
    Arrays.fill(content, (byte) value);
    return content;
  }

  /** Ends the engine; its volumes need not be closed. */
  @Override
  public void close() {
    broken.clear();
    engine.stop();
  }
}
