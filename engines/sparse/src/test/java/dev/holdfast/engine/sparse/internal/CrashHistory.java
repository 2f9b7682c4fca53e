package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.link.MemoryNetwork;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHistory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * One random history: a volume is opened and used, its engine is killed or its disks lose power at
 * a random access, and it is opened again, several times. Every block contains a number; the model
 * has the permitted numbers of each block. The engine runs on the caller's thread, so a seed
 * repeats the history.
 */
final class CrashHistory {
  private static final long SIZE = 40L << 20;
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 12;

  private final Random random;
  private final Mutant mutant;
  private final CrashPoint crash = new CrashPoint();
  private final InMemoryRegister register = new InMemoryRegister();
  private final Map<String, SimulatedDisk> disks = new TreeMap<>();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  // For each block: its content while the engine runs; the content that an opening may find; the
  // content after a loss of power; the content of requests without a reply.
  private final long[] current = new long[BLOCKS];
  private final List<Set<Long>> readable = new ArrayList<>();
  private final List<Set<Long>> possible = new ArrayList<>();
  private final List<Set<Long>> inFlight = new ArrayList<>();
  private MemoryNetwork network;
  private int boot;
  private long next = 1;
  private int faults;

  CrashHistory(long seed, Mutant mutant) throws Exception {
    this.random = new Random(seed);
    this.mutant = mutant;
    int count = 1 + random.nextInt(3);
    for (int i = 1; i <= count; i++) {
      ReplicaLocation location =
          new ReplicaLocation(
              "v",
              "v-r-" + i,
              random.nextBoolean() ? "n" : "n" + i,
              Path.of("/disk-" + i),
              "v-" + i);
      replicas.add(location);
      disks.put(location.replica(), provision(location));
    }
    for (int i = 0; i < BLOCKS; i++) {
      readable.add(new HashSet<>(Set.of(0L)));
      possible.add(new HashSet<>(Set.of(0L)));
      inFlight.add(new HashSet<>());
    }
  }

  private SimulatedDisk provision(ReplicaLocation location) throws Exception {
    SimulatedDisk disk = new SimulatedDisk(crash, mutant);
    disk.putSparse(LonghornLayout.FIRST_HEAD, SIZE);
    disk.put(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
        LonghornLayout.newHeadMeta("2026-11-21T00:00:00Z"));
    disk.put(LonghornLayout.VOLUME_META, LonghornLayout.newVolumeMeta(SIZE));
    disk.put(StateFiles.IDENTITY, StateFiles.encode(ReplicaHistory.newIdentity(location)));
    disk.put(StateFiles.EPOCH, StateFiles.encode(Epoch.NONE));
    return disk;
  }

  /** Runs the history. Returns the number of its faults; fails if a guarantee was broken. */
  int run() throws Exception {
    int lives = 2 + random.nextInt(4);
    for (int life = 0; life < lives; life++) {
      if (life > 0 && random.nextInt(4) == 0) {
        crash.after(1 + random.nextInt(80));
        openAndDie();
      }
      live();
    }
    return faults;
  }

  private SparseEngine engine() {
    ReplicaHost host = new ReplicaHost(this::directory, "boot-" + boot);
    DirectExecutor executor = new DirectExecutor();
    network = new MemoryNetwork(node -> host, executor, crash::happened);
    return new SparseEngine(this::directory, "boot-" + boot, executor, Duration.ZERO, network);
  }

  private ReplicaDirectory directory(Path path) {
    return disks.get("v-r-" + path.getFileName().toString().substring(2)).directory();
  }

  private OpenVolume open(SparseEngine engine) throws StorageException {
    return engine.open(new OpenRequest("v", SIZE, "n", replicas, shown(), new RecordingListener()));
  }

  private MembershipRegister shown() {
    return mutant == Mutant.DROP_NOT_DECIDED ? new ForgetfulRegister(register) : register;
  }

  private void openAndDie() {
    SparseEngine engine = engine();
    try {
      open(engine).close();
    } catch (StorageException e) {
      check(crash.happened(), "opening was refused: " + e.getMessage());
    }
    engine.stop();
    endLife(false);
  }

  private void live() throws StorageException {
    crash.never();
    SparseEngine engine = engine();
    OpenVolume volume = openForLife(engine);
    DeviceIo io = new DeviceIo(volume.device());
    checkIdentical(volume);
    for (int block = 0; block < BLOCKS; block++) {
      checkRead(io, block);
    }
    crash.after(random.nextInt(4) == 0 ? 1_000_000 : 1 + random.nextInt(400));
    for (int step = 0; step < 60 && !crash.happened(); step++) {
      step(engine, volume, io);
    }
    if (!crash.happened() && random.nextBoolean()) {
      close(volume);
    } else {
      crash.after(0);
      engine.stop();
    }
    endLife(true);
  }

  private OpenVolume openForLife(SparseEngine engine) {
    try {
      return open(engine);
    } catch (StorageException e) {
      throw new BrokenPromise("opening was refused: " + e.getMessage());
    }
  }

  private void close(OpenVolume volume) {
    try {
      volume.close();
      flushed();
    } catch (StorageException e) {
      check(crash.happened(), "closing failed: " + e.getMessage());
    }
  }

  private void endLife(boolean lived) {
    faults++;
    disks.values().forEach(disk -> disk.setBroken(false));
    register.become(InMemoryRegister.Mode.REACHABLE);
    boolean power = random.nextBoolean();
    for (int block = 0; block < BLOCKS; block++) {
      if (lived) {
        readable.get(block).clear();
        readable.get(block).add(current[block]);
      }
      readable.get(block).addAll(inFlight.get(block));
      possible.get(block).addAll(readable.get(block));
      if (power) {
        readable.get(block).addAll(possible.get(block));
      }
      inFlight.get(block).clear();
    }
    if (power) {
      boot++;
      disks.values().forEach(disk -> disk.losePower(random));
    } else {
      disks.values().forEach(SimulatedDisk::engineDied);
    }
  }

  private void step(SparseEngine engine, OpenVolume volume, DeviceIo io) throws StorageException {
    int block = random.nextInt(BLOCKS);
    switch (random.nextInt(17)) {
      case 0, 1, 2, 3, 4, 5 -> write(io, block, IoFlags.NONE);
      case 6 -> write(io, block, IoFlags.FUA);
      case 7 -> zero(volume, block);
      case 8, 9 -> flush(io);
      case 10, 11, 12 -> read(io, block);
      case 13 -> engine.sweep();
      case 14 -> loseConnection();
      case 15 -> breakOne(volume);
      default -> removeOne(volume);
    }
  }

  private void loseConnection() {
    String node = replicas.get(random.nextInt(replicas.size())).nodeId();
    if (random.nextBoolean()) {
      network.hangUp(node);
    } else {
      network.loseAnswer(node);
    }
  }

  // Breaks disks rarely, because a history that soon has one replica left tests little.
  private void breakOne(OpenVolume volume) {
    if (random.nextInt(10) > 0) {
      return;
    }
    List<String> current =
        volume.replicas().entrySet().stream()
            .filter(entry -> entry.getValue() == MemberMode.RW)
            .map(Map.Entry::getKey)
            .filter(name -> !disks.get(name).broken())
            .sorted()
            .toList();
    if (current.size() > 1) {
      faults++;
      disks.get(current.get(random.nextInt(current.size()))).setBroken(true);
    }
  }

  private void removeOne(OpenVolume volume) {
    if (random.nextInt(10) > 0) {
      return;
    }
    String replica = replicas.get(random.nextInt(replicas.size())).replica();
    try {
      ((ReducibleVolume) volume).removeReplica(replica);
      check(volume.replicas().get(replica) == MemberMode.ERR, replica + " is still current");
    } catch (StorageException e) {
      check(
          crash.happened() || e.code() == ErrorCode.CONFLICT,
          "a replica could not be removed: " + e.getMessage());
    }
  }

  private long position(int block) {
    return (long) block * (SIZE / BLOCKS) / BLOCK * BLOCK + (block % 3) * (long) BLOCK;
  }

  private void write(DeviceIo io, int block, int flags) {
    long value = next++;
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    while (content.hasRemaining()) {
      content.putLong(value);
    }
    attempt(
        block,
        value,
        (flags & IoFlags.FUA) != 0,
        () -> io.write(position(block), content.array(), flags));
  }

  private void zero(OpenVolume volume, int block) {
    Outcome outcome = new Outcome();
    attempt(
        block,
        0,
        false,
        () -> {
          volume.device().trim(position(block), BLOCK, IoFlags.NONE, outcome);
          outcome.get();
        });
  }

  private interface Request {
    void run() throws StorageException;
  }

  private void attempt(int block, long value, boolean durable, Request request) {
    inFlight.get(block).add(value);
    try {
      request.run();
    } catch (StorageException e) {
      check(crash.happened(), "a request failed: " + e.getMessage());
      return;
    }
    inFlight.get(block).clear();
    current[block] = value;
    if (durable) {
      possible.get(block).clear();
    }
    possible.get(block).add(value);
  }

  private void flush(DeviceIo io) {
    try {
      io.flush();
    } catch (StorageException e) {
      check(crash.happened(), "a flush failed: " + e.getMessage());
      return;
    }
    flushed();
  }

  private void flushed() {
    for (int block = 0; block < BLOCKS; block++) {
      possible.get(block).clear();
      possible.get(block).add(current[block]);
    }
  }

  private void read(DeviceIo io, int block) {
    try {
      long value = value(io.read(position(block), BLOCK));
      check(value == current[block], "block " + block + " reads " + value + " in its life");
    } catch (StorageException e) {
      check(crash.happened(), "a read failed: " + e.getMessage());
    }
  }

  private void checkRead(DeviceIo io, int block) throws StorageException {
    long value = value(io.read(position(block), BLOCK));
    check(
        readable.get(block).contains(value) || (value < 0 && readable.get(block).size() > 1),
        "block " + block + " holds " + value + ", not one of " + readable.get(block));
    current[block] = value;
    possible.get(block).clear();
    possible.get(block).add(value);
  }

  // A torn block has a negative value, which is permitted only if several values were possible.
  private static long value(byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    long value = bytes.getLong();
    while (bytes.hasRemaining()) {
      if (bytes.getLong() != value) {
        return -1L - (Arrays.hashCode(content) & 0xffff_ffffL);
      }
    }
    return value;
  }

  private void checkIdentical(OpenVolume volume) {
    byte[][] first = new byte[BLOCKS][];
    volume
        .replicas()
        .forEach(
            (name, mode) -> {
              for (int block = 0; mode == MemberMode.RW && block < BLOCKS; block++) {
                byte[] content =
                    disks.get(name).content(LonghornLayout.FIRST_HEAD, position(block), BLOCK);
                first[block] = first[block] == null ? content : first[block];
                check(
                    Arrays.equals(first[block], content), "block " + block + " differs in " + name);
              }
            });
  }

  private void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new BrokenPromise(otherwise);
    }
  }

  /** Violation of a guarantee of the engine. */
  static final class BrokenPromise extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String message) {
      super(message);
    }
  }

  /** Reports a change of members within a generation as recorded without recording it. */
  private record ForgetfulRegister(InMemoryRegister below) implements MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return below.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      boolean drop = expected.epochGeneration() == next.generation();
      return drop || below.compareAndSet(expected, next);
    }
  }
}
