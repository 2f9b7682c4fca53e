package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A replica's directory in memory, on a disk that loses unsynced data. After a power cut each
 * written and unsynced sector survives at random. Of the changes of a folder's names since its last
 * sync, only the first ones survive. Small files are replaced atomically, as the real directory
 * does with rename.
 */
public final class SimulatedDisk {
  /** Content of a buffer that now belongs to another client. */
  public static final long OTHERS_BYTES = 0x07E5_B17E_07E5_B17EL;

  /** Stamp of each file that no other program changed. */
  public static final String STAMP = "stamp";

  private static final int INTENT_HEADER = 64;

  private final CrashPoint crash;
  private final Mutant mutant;
  private final SimulatedMutants mutants;
  private final Map<String, SimulatedFile> files = new TreeMap<>();
  private final Map<String, SimulatedFile> durable = new TreeMap<>();
  private final Map<String, List<Consumer<Map<String, SimulatedFile>>>> unsynced = new TreeMap<>();
  private boolean broken;
  private final ForbiddenChanges forbidden = new ForbiddenChanges();
  private final SimulatedSpace space = new SimulatedSpace();
  private Runnable writeHangs = () -> {};
  private Runnable throwsNext = () -> {};
  private BooleanSupplier syncFails = () -> false;
  private final CommitFault commitFault = new CommitFault();
  private Optional<SimulatedDisk> base = Optional.empty();
  // The directory that an engine opened and locked; null for none.
  private Directory lockedBy;
  private boolean unnoted;
  private long changes;

  public SimulatedDisk(CrashPoint crash, Mutant mutant) {
    this.crash = crash;
    this.mutant = mutant;
    this.mutants = new SimulatedMutants(mutant);
  }

  /** Returns the folder of the base, empty for a replica without one. */
  public Optional<SimulatedDisk> base() {
    return base;
  }

  /** Sets the base of the replica, in another folder of the same disk. */
  public void setBase(SimulatedDisk folder) {
    base = Optional.of(folder);
  }

  /** Sets whether the following calls are part of a trim. */
  public void trimming(boolean value) {
    mutants.trimming(value);
  }

  SimulatedMutants mutants() {
    return mutants;
  }

  public void put(String name, byte[] content) {
    put(name, new SimulatedFile(content));
  }

  /** Creates a file with holes between its pieces. */
  public void putPieces(String name, long length, Map<Long, byte[]> pieces) {
    put(name, SimulatedFile.of(length, pieces));
  }

  public void putSparse(String name, long length) {
    put(name, new SimulatedFile(length));
  }

  private void put(String name, SimulatedFile file) {
    files.put(name, file);
    durable.put(name, file);
  }

  private static String folder(String name) {
    return name.substring(0, name.indexOf('/') + 1);
  }

  private void changeNames(String folder, Consumer<Map<String, SimulatedFile>> change) {
    change.accept(files);
    unsynced.computeIfAbsent(folder, key -> new ArrayList<>()).add(change);
    changes += folder.isEmpty() ? 1 : 0;
  }

  private void syncNames(String folder) {
    if (mutant != Mutant.NAMES_NOT_SYNCED || !folder.isEmpty()) {
      unsynced.getOrDefault(folder, List.of()).forEach(change -> change.accept(durable));
      unsynced.remove(folder);
    }
  }

  public void setBroken(boolean value) {
    broken = value;
  }

  public boolean broken() {
    return broken;
  }

  public boolean full() {
    return space.full();
  }

  public void setFull(boolean value) {
    space.setFull(value);
  }

  ForbiddenChanges forbidden() {
    return forbidden;
  }

  public Optional<String> forbiddenChange() {
    return forbidden.first();
  }

  /** Limits the blocks of 4 KiB that writes can allocate. */
  public void setRoom(int blocks) {
    space.setRoom(blocks);
  }

  public boolean holds(String name) {
    return files.containsKey(name);
  }

  /**
   * Flips a bit of a file on the disk.
   *
   * @return false if the disk has no data at this position, or data that will be overwritten
   */
  public boolean rot(String name, long position, int bit) {
    return files.containsKey(name) && files.get(name).rot(position, bit);
  }

  /** Simulates the deletion of all other replicas that share layers with this one. */
  public void unshare() {
    all(file -> file.setShared(false));
  }

  /** Runs an action, which may throw, at the next access to a layer's bytes. */
  public void setThrowsNext(Runnable throwing) {
    throwsNext = throwing;
  }

  /**
   * Lets the disk fail to read a sector of the head, until it is written or {@link #mendSectors}.
   *
   * @return false if the host does not read the sector from the disk
   */
  public boolean spoilHead(long position) {
    return files.entrySet().stream()
        .filter(file -> file.getKey().matches("volume-head-.*img"))
        .anyMatch(file -> file.getValue().spoil(position));
  }

  /** Lets the disk read all sectors again. */
  public void mendSectors() {
    all(SimulatedFile::mend);
  }

  private void all(Consumer<SimulatedFile> action) {
    files.values().forEach(action);
    durable.values().forEach(action);
  }

  public void setWriteHangs(Runnable hangs) {
    writeHangs = hangs;
  }

  /** Lets the first sync of a layer fail for which the supplier returns true. */
  public void setSyncFails(BooleanSupplier may) {
    syncFails = may;
  }

  /**
   * Breaks the disk as soon as the next change of the head is durable: the replica has completed a
   * structural operation, and its engine receives a failure.
   *
   * @param whenBroken called when it breaks
   */
  public void setBreaksAfterCommit(Runnable whenBroken) {
    commitFault.set(
        () -> {
          broken = true;
          whenBroken.run();
        });
  }

  /** Reverts {@link #setBreaksAfterCommit}. */
  public void setLastsAfterCommit() {
    commitFault.clear();
  }

  /** Waits until so many accesses in total were refused because the disk was full. */
  public void awaitRefusals(int count) throws InterruptedException {
    space.awaitRefusals(count);
  }

  SimulatedSpace space() {
    return space;
  }

  /** Runs what {@link #setThrowsNext} set, once. */
  void throwIfTold() {
    Runnable throwing = throwsNext;
    throwsNext = () -> {};
    throwing.run();
  }

  /** Runs what {@link #setWriteHangs} set, once. */
  void hangIfTold() {
    Runnable hangs = writeHangs;
    writeHangs = () -> {};
    hangs.run();
  }

  /** Returns whether the sync of a layer fails now. The failure is not recorded yet. */
  boolean syncFails() {
    boolean fails = syncFails.getAsBoolean();
    if (fails) {
      syncFails = () -> false;
      unnoted = true;
    }
    return fails;
  }

  /** Returns the content of a file, read without the engine. */
  public byte[] content(String name, long position, int length) {
    return files.get(name).read(position, length);
  }

  /** Empties the disk, as if another disk had replaced it. */
  public void clear() {
    files.clear();
    durable.clear();
    unsynced.clear();
    unshare();
    lockedBy = null;
    mutants.forget();
  }

  /**
   * Simulates the death of the engine. Its writes stay in the page cache. An engine that dies
   * before it recorded a failed sync is the documented gap; here the next engine gets the failure.
   */
  public void engineDied() {
    lockedBy = null;
    if (unnoted) {
      files.values().forEach(SimulatedFile::remember);
      unnoted = false;
    }
  }

  /** Simulates a power loss of the host. */
  public void losePower(Random random) {
    lockedBy = null;
    for (List<Consumer<Map<String, SimulatedFile>>> changed : unsynced.values()) {
      int kept = random.nextInt(changed.size() + 1);
      changed.subList(0, kept).forEach(change -> change.accept(durable));
    }
    unsynced.clear();
    files.clear();
    files.putAll(durable);
    Set<SimulatedFile> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    distinct.addAll(files.values());
    // In the order of names, so that a seed repeats a history.
    files.values().stream().filter(distinct::remove).forEach(file -> file.losePower(random));
  }

  public ReplicaDirectory directory() {
    return new Directory();
  }

  void changed(String name) {
    changes += name.indexOf('/') < 0 ? 1 : 0;
  }

  void access() throws IOException {
    crash.access();
    if (broken) {
      throw new IOException("Input/output error");
    }
  }

  private final class Directory implements ReplicaDirectory {
    @Override
    public String path() {
      return "/simulated";
    }

    @Override
    public boolean lock() throws IOException {
      access();
      if (lockedBy == null) {
        lockedBy = this;
      }
      return lockedBy == this;
    }

    @Override
    public void unlock() {
      if (!crash.happened() && lockedBy == this) {
        lockedBy = null;
      }
    }

    @Override
    public SortedSet<String> files() throws IOException {
      access();
      SortedSet<String> names = new TreeSet<>(files.keySet());
      names.removeIf(name -> name.indexOf('/') >= 0);
      return names;
    }

    @Override
    public SortedSet<String> files(String folder) throws IOException {
      access();
      SortedSet<String> names = new TreeSet<>(files.keySet());
      names.removeIf(name -> !name.startsWith(folder + "/"));
      return names;
    }

    @Override
    public Optional<byte[]> load(String name) throws IOException {
      access();
      if (mutant == Mutant.NO_RESYNC && name.equals(StateFiles.INTENT)) {
        return Optional.empty();
      }
      if (mutants.marksCleared() && name.equals(StateFiles.INTENT)) {
        return Optional.of(files.get(name).read(0, INTENT_HEADER));
      }
      Optional<byte[]> content = Optional.ofNullable(files.get(name)).map(SimulatedFile::all);
      return mutant == Mutant.KEPT_TAKEN_FOR_REMOVED && name.endsWith(".img.meta")
          ? content.map(SimulatedMutants::removed)
          : content;
    }

    @Override
    public void store(String name, byte[] content) throws IOException {
      access();
      forbidden.stored(lockedBy != null && lockedBy != this);
      space.require();
      if (mutant == Mutant.DROP_NOT_DECIDED && name.equals(StateFiles.EPOCH)) {
        return;
      }
      if ((mutant == Mutant.OPERATION_NOT_RECORDED && name.equals(StateFiles.OPERATION))
          || (mutant == Mutant.FOLD_NOT_RECORDED && name.equals(StateFiles.FOLD))) {
        return;
      }
      unnoted &= !name.equals(StateFiles.UNSYNCED);
      Optional<Runnable> fault = commitFault.of(name, files.get(name), content);
      SimulatedFile file = new SimulatedFile(content);
      changeNames(folder(name), names -> names.put(name, file));
      access();
      syncNames(folder(name));
      fault.ifPresent(Runnable::run);
      access();
    }

    @Override
    public void remove(String name) throws IOException {
      access();
      if (mutant != Mutant.CLEAN_NOT_REMOVED || !name.equals(StateFiles.CLEAN)) {
        changeNames(folder(name), names -> names.remove(name));
      }
      access();
      syncNames(folder(name));
      access();
    }

    @Override
    public ReplicaFile open(String name) throws IOException {
      access();
      SimulatedFile file = files.get(name);
      if (file == null) {
        throw new NoSuchFileException(name);
      }
      return new SimulatedOpenFile(SimulatedDisk.this, name, file);
    }

    @Override
    public ReplicaFile openSealed(String name) throws IOException {
      access();
      return new SimulatedSealedFile(
          new SimulatedOpenFile(SimulatedDisk.this, name, files.get(name)), mutant);
    }

    @Override
    public void protect(String name) throws IOException {
      access();
    }

    @Override
    public String stamp(String name) throws IOException {
      access();
      return STAMP;
    }

    @Override
    public ReplicaFile create(String name, long size) throws IOException {
      access();
      space.require();
      if (files.containsKey(name)) {
        throw new FileAlreadyExistsException(name);
      }
      SimulatedFile file = new SimulatedFile(mutant == Mutant.SHORT_HEAD ? size / 2 : size);
      changeNames("", names -> names.put(name, file));
      access();
      return new SimulatedOpenFile(SimulatedDisk.this, name, file);
    }

    @Override
    public void link(String existing, String name) throws IOException {
      access();
      if (files.containsKey(name)) {
        throw new FileAlreadyExistsException(name);
      }
      SimulatedFile file = files.get(existing);
      changeNames("", names -> names.put(name, file));
      access();
    }

    @Override
    public void linkInto(String existing, Path folder, String name) throws IOException {
      access();
      files.get(existing).setShared(true);
    }

    // A replica of another volume, of which this replica only needs the linked files.
    @Override
    public ReplicaDirectory elsewhere(Path folder) {
      if (base.isPresent() && folder.toString().contains("/backing-images/")) {
        return base.get().directory();
      }
      return new SimulatedDisk(crash, Mutant.NONE).directory();
    }

    @Override
    public boolean shared(String name) {
      return files.containsKey(name) && files.get(name).shared();
    }

    @Override
    public void rename(String from, String to) throws IOException {
      access();
      SimulatedFile file = files.get(from);
      if (mutant == Mutant.LAYER_REPLACED_TOO_EARLY) {
        durable.remove(to);
      }
      changeNames(
          "",
          names -> {
            names.remove(from);
            names.put(to, file);
          });
      access();
    }

    @Override
    public boolean sameFile(String one, String other) throws IOException {
      access();
      return files.containsKey(one) && files.get(one) == files.get(other);
    }

    @Override
    public void sync(String folder) throws IOException {
      access();
      syncNames(folder.isEmpty() ? "" : folder + "/");
      access();
    }

    @Override
    public String fingerprint() throws IOException {
      access();
      return String.join("|", files()) + changes;
    }
  }
}
