package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.disk.SimulatedFile;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.OperationRecord;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * One random history of the layers of a replica: written, trimmed, snapshotted, reverted, expanded
 * and coalesced on a disk that loses unsynced data, with crashes at any access. Every sector
 * contains a number; the model has the permitted numbers of each sector. Requests also arrive
 * between the pieces of a coalescing. A seed repeats the history.
 */
final class ChainHistory {
  private static final int SECTOR = SimulatedFile.SECTOR;
  private static final int IN_BLOCK = BlockIndex.BLOCK_SIZE / SECTOR;
  private static final int FIRST_SECTORS = 12 * IN_BLOCK;
  private static final int MOST_SECTORS = 24 * IN_BLOCK;

  private final Random random;
  private final Optional<HistoryBase> base;
  private final CrashPoint crash = new CrashPoint();
  private final SimulatedDisk disk;
  private final KeptSnapshots snapshots = new KeptSnapshots();
  // For each sector: content that an opening may find, that after a loss of power, and that of
  // requests without a reply.
  private final Map<Integer, Set<Long>> readable = new TreeMap<>();
  private final List<Set<Long>> possible = new ArrayList<>();
  private final Map<Integer, Set<Long>> inFlight = new TreeMap<>();
  private long[] current = new long[FIRST_SECTORS];
  private LocalChain chain;
  private long next = 1;
  private boolean forgotten;
  private boolean reopened;
  private int operations;
  private int done;

  ChainHistory(long seed, Mutant mutant) throws Exception {
    this.random = new Random(seed);
    this.base = HistoryBase.of(seed, mutant, crash);
    this.disk = new SimulatedDisk(crash, mutant);
    long size = (long) FIRST_SECTORS * SECTOR;
    disk.putSparse(LonghornLayout.FIRST_HEAD, size);
    disk.put(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
        LonghornLayout.newHeadMeta("2026-11-21T00:00:00Z"));
    disk.put(LonghornLayout.VOLUME_META, LonghornLayout.newVolumeMeta(size));
    if (base.isPresent()) {
      base.get().below(disk);
      System.arraycopy(base.get().content(), 0, current, 0, base.get().content().length);
    }
    durable();
  }

  /** Runs the history. Returns the number of successful operations; fails on a broken guarantee. */
  int run() throws Exception {
    for (int life = 0; life < 4; life++) {
      crash.never();
      open();
      check();
      crash.after(random.nextInt(5) == 0 ? 1_000_000 : 1 + random.nextInt(250));
      for (int step = 0; step < 40 && !crash.happened(); step++) {
        step();
      }
      if (crash.happened() || random.nextBoolean()) {
        crash.after(0);
        die(true);
      } else {
        chain.close();
        die(true);
      }
      while (random.nextInt(3) == 0) {
        crash.after(1 + random.nextInt(30));
        openAndDie();
      }
    }
    crash.never();
    open();
    check();
    return done;
  }

  private void open() throws IOException {
    try {
      ReplicaDirectory directory = disk.directory();
      VolumeMeta meta =
          LonghornLayout.volumeMeta(directory)
              .orElseThrow(() -> new BrokenPromise("the replica is gone"));
      ChainLimits limits = new ChainLimits(8, 64, BlockIndex.BLOCK_SIZE, this::between);
      chain =
          LocalChain.open(
              directory, meta, false, base.flatMap(HistoryBase::layer), limits, Optional.empty());
    } catch (StorageException e) {
      throw new BrokenPromise("opening was refused: " + e.getMessage());
    }
  }

  private void openAndDie() {
    try {
      open();
    } catch (IOException | BrokenPromise e) {
      expect(crash.happened(), "opening failed: " + e.getMessage());
    }
    die(false);
  }

  private void die(boolean lived) {
    boolean power = random.nextBoolean();
    for (int sector = 0; sector < current.length; sector++) {
      Set<Long> found = readable.computeIfAbsent(sector, key -> new HashSet<>());
      if (lived) {
        found.clear();
        found.add(current[sector]);
        found.addAll(inFlight.getOrDefault(sector, Set.of()));
      }
      if (power) {
        found.addAll(possible.get(sector));
      }
    }
    inFlight.clear();
    if (power) {
      disk.losePower(random);
    } else {
      disk.engineDied();
    }
    forgotten |= power;
  }

  private void between(long bytes) {
    if (random.nextInt(2) == 0) {
      change();
    }
  }

  private void step() throws IOException {
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4 -> change();
      case 5 -> sync();
      case 6 -> compare();
      case 7 -> changes();
      case 8, 9 -> snapshot("s" + next++);
      case 10 -> revert();
      case 11 -> expand();
      case 12, 13 -> remove();
      default -> coalesce();
    }
  }

  private void change() {
    int first = random.nextInt(current.length);
    int count = 1 + random.nextInt(Math.min(3 * IN_BLOCK, current.length - first));
    boolean blocks = random.nextInt(3) == 0;
    if (blocks) {
      first -= first % IN_BLOCK;
      count = Math.min(current.length - first, (count + IN_BLOCK - 1) / IN_BLOCK * IN_BLOCK);
    }
    if (random.nextInt(3) == 0) {
      zero(first, count, random.nextInt(4) == 0);
    } else {
      write(first, count);
    }
  }

  private void write(int first, int count) {
    ByteBuffer content = ByteBuffer.allocate(count * SECTOR);
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = next++;
      for (int word = 0; word < SECTOR / Long.BYTES; word++) {
        content.putLong(values[i]);
      }
    }
    attempt(first, values, () -> chain.layers().write((long) first * SECTOR, content.flip()));
  }

  private void zero(int first, int count, boolean allocated) {
    disk.trimming(true);
    attempt(
        first,
        new long[count],
        () -> chain.layers().zero((long) first * SECTOR, (long) count * SECTOR, allocated));
    disk.trimming(false);
  }

  private interface Request {
    void run() throws IOException, StorageException;
  }

  private void attempt(int first, long[] values, Request request) {
    for (int i = 0; i < values.length; i++) {
      inFlight.computeIfAbsent(first + i, key -> new HashSet<>()).add(values[i]);
      possible.get(first + i).add(values[i]);
    }
    if (!succeeds(request)) {
      return;
    }
    inFlight.clear();
    System.arraycopy(values, 0, current, first, values.length);
  }

  /**
   * Returns whether a request succeeded without the crash. Any other failure breaks a guarantee.
   */
  private boolean succeeds(Request request) {
    try {
      request.run();
      return true;
    } catch (IOException | StorageException e) {
      expect(crash.happened(), "a request failed: " + e);
      return false;
    }
  }

  private void sync() {
    if (succeeds(() -> chain.layers().sync())) {
      durable();
    }
  }

  private void durable() {
    readable.clear();
    possible.clear();
    for (long value : current) {
      possible.add(new HashSet<>(Set.of(value)));
    }
  }

  private ChainOperation operation(ChainOperation.Kind kind, String snapshot, long size) {
    return new ChainOperation(
        "op-" + operations++, kind, snapshot, false, "2026-11-21T00:00:00Z", Map.of(), size);
  }

  /** Performs an operation; after a crash the directory shows whether it happened. */
  private boolean perform(ChainOperation operation) throws IOException {
    if (succeeds(() -> chain.perform(operation))) {
      done++;
      return true;
    }
    die(true);
    crash.never();
    open();
    reopened = true;
    return OperationRecord.load(disk.directory())
        .filter(record -> record.id().equals(operation.id()))
        .isPresent();
  }

  private void snapshot(String name) throws IOException {
    if (snapshots.count() >= 6) {
      return;
    }
    if (perform(operation(ChainOperation.Kind.SNAPSHOT, name, 0))) {
      snapshots.taken(name, current);
      durable();
    }
    afterOperation();
  }

  private void revert() throws IOException {
    if (snapshots.all().isEmpty()) {
      return;
    }
    String target = any(snapshots.all().keySet());
    if (perform(operation(ChainOperation.Kind.REVERT, target, 0))) {
      current = Arrays.copyOf(snapshots.get(target).content(), current.length);
      snapshots.revertedTo(target);
      durable();
    }
    afterOperation();
  }

  private void expand() throws IOException {
    int more = current.length + (1 + random.nextInt(3)) * IN_BLOCK;
    if (more > MOST_SECTORS || snapshots.count() >= 6) {
      return;
    }
    String name = "expand-" + (long) more * SECTOR;
    if (perform(operation(ChainOperation.Kind.EXPAND, "", (long) more * SECTOR))) {
      snapshots.taken(name, current);
      int before = current.length;
      current = Arrays.copyOf(current, more);
      durable();
      if (!reopened && random.nextInt(3) == 0) {
        withdraw(name, before);
      }
    }
    afterOperation();
  }

  // Withdraws the snapshot of an expansion, after which no data was written.
  private void withdraw(String name, int before) throws IOException {
    if (perform(operation(ChainOperation.Kind.SHRINK, "", (long) before * SECTOR))) {
      snapshots.withdrawn(name);
      current = Arrays.copyOf(current, before);
      durable();
    }
  }

  private void remove() throws IOException {
    if (snapshots.all().isEmpty()) {
      return;
    }
    String name = any(snapshots.all().keySet());
    if (perform(operation(ChainOperation.Kind.REMOVE, name, 0))) {
      snapshots.removed(name);
    } else if (meta(name).removed()) {
      // The snapshot is marked as removed, but the operation's record was lost: it is repeated.
      snapshots.removed(name);
    }
    afterOperation();
  }

  private LayerMeta meta(String snapshot) {
    String image = LonghornLayout.imageOf(snapshot);
    expect(chain.tree().has(image), "snapshot " + snapshot + " is gone");
    return chain.tree().meta(image);
  }

  private void coalesce() throws IOException {
    boolean[] more = {false};
    if (succeeds(() -> more[0] = chain.coalesce(Set.of()))) {
      done += more[0] ? 1 : 0;
      snapshots.forget(name -> !chain.tree().has(LonghornLayout.imageOf(name)));
    }
  }

  // A new opening has recovered the interrupted operation, and continues.
  private void afterOperation() throws IOException {
    if (reopened) {
      reopened = false;
      check();
      crash.after(1 + random.nextInt(250));
    }
  }

  private String any(Set<String> names) {
    return new ArrayList<>(names).get(random.nextInt(names.size()));
  }

  /**
   * Checks that head and kept snapshots have permitted content, and then fixes that of the head.
   */
  private void check() throws IOException {
    expect(
        chain.layers().size() == (long) current.length * SECTOR,
        "the size is " + chain.layers().size());
    expect(
        chain.layers().view().head().size() == chain.layers().size(),
        "the head is not as long as the volume");
    long[] found = read(null, current.length);
    for (int sector = 0; sector < current.length; sector++) {
      Set<Long> may = readable.getOrDefault(sector, possible.get(sector));
      expect(
          may.contains(found[sector]),
          "sector " + sector + " holds " + found[sector] + " of " + may);
    }
    compareSnapshots();
    current = found;
    for (int sector = 0; sector < current.length; sector++) {
      if (forgotten) {
        possible.get(sector).clear();
      }
      possible.get(sector).add(current[sector]);
    }
    forgotten = false;
    readable.clear();
    snapshots.forget(name -> !chain.tree().has(LonghornLayout.imageOf(name)));
  }

  private void compare() throws IOException {
    long[] found = read(null, current.length);
    if (crash.happened()) {
      return;
    }
    for (int sector = 0; sector < current.length; sector++) {
      expect(
          found[sector] == current[sector],
          "sector " + sector + " reads " + found[sector] + ", not " + current[sector]);
    }
    compareSnapshots();
  }

  private void compareSnapshots() throws IOException {
    Set<String> listed = new HashSet<>();
    succeeds(
        () ->
            chain.snapshots().stream()
                .filter(info -> !info.removed())
                .map(SnapshotInfo::name)
                .forEach(listed::add));
    if (crash.happened()) {
      return;
    }
    Set<String> kept = snapshots.all().keySet();
    expect(listed.equals(kept), "snapshots are " + listed + ", not " + kept);
    for (Map.Entry<String, KeptSnapshots.Kept> snapshot : snapshots.all().entrySet()) {
      long[] content = snapshot.getValue().content();
      long[] found = read(snapshot.getKey(), content.length);
      expect(
          crash.happened() || Arrays.equals(found, content),
          "snapshot " + snapshot.getKey() + " sector " + Arrays.mismatch(found, content));
    }
  }

  private long[] read(String snapshot, int sectors) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(sectors * SECTOR);
    succeeds(
        () -> {
          if (snapshot == null) {
            chain.layers().read(0, content);
          } else {
            chain.read(snapshot, 0, content);
          }
        });
    long[] values = new long[sectors];
    for (int sector = 0; sector < sectors; sector++) {
      values[sector] = content.clear().getLong(sector * SECTOR);
    }
    return values;
  }

  /** Checks that the changes contain all differences between a snapshot and an ancestor. */
  private void changes() {
    if (snapshots.all().isEmpty()) {
      return;
    }
    String newer = any(snapshots.all().keySet());
    KeptSnapshots.Kept top = snapshots.get(newer);
    String older = older(top);
    long[] before = before(older);
    BitSet changed = new BitSet();
    boolean told =
        succeeds(
            () ->
                chain.changes(
                    older,
                    newer,
                    (offset, length, kind) -> {
                      int first = (int) (offset / SECTOR);
                      changed.set(first, first + (int) (length / SECTOR), kind == ExtentKind.DATA);
                      return true;
                    }));
    long[] was = Arrays.copyOf(before, top.content().length);
    for (int sector = 0; told && sector < was.length; sector++) {
      expect(
          changed.get(sector) || was[sector] == top.content()[sector],
          "sector " + sector + " changed from " + older + " to " + newer + " unnoticed");
    }
  }

  private String older(KeptSnapshots.Kept top) {
    if (!top.ancestors().isEmpty()) {
      return any(new HashSet<>(top.ancestors()));
    }
    return base.isPresent() && random.nextBoolean() ? SnapshotInfo.BASE : "";
  }

  private long[] before(String older) {
    if (older.equals(SnapshotInfo.BASE)) {
      return base.orElseThrow().content();
    }
    return older.isEmpty() ? new long[0] : snapshots.get(older).content();
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) {
      throw new BrokenPromise(otherwise);
    }
  }

  /** Violation of a guarantee of the layers. */
  static final class BrokenPromise extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String message) {
      super(message);
    }
  }
}
