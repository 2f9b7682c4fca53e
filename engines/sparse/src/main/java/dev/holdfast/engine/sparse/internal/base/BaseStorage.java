package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.sparse.internal.disk.FileTree;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bases on the disks of this node; see {@link SealedBase} for their folders. Thread-safe. */
public final class BaseStorage {
  private static final Logger LOG = LoggerFactory.getLogger(BaseStorage.class);
  private static final String STARTED = StateFiles.FOLDER + "/started";
  private static final String LOCK = StateFiles.FOLDER + "/lock";
  private static final long BLOCK = 4096;

  private final Function<Path, ReplicaDirectory> directories;
  // Open devices by folder; guarded by itself.
  private final Map<Path, Integer> readers = new HashMap<>();
  // Read lock: a replica is being put on a base. Write lock: a base is being deleted. The folder's
  // lock excludes other processes; threads of this process take it one after the other.
  private final ReadWriteLock deleting = new ReentrantReadWriteLock();
  private final Object provisioning = new Object();

  /** Uses the given function to open folders. */
  public BaseStorage(Function<Path, ReplicaDirectory> directories) {
    this.directories = directories;
  }

  /** Action that puts a replica on a base. */
  public interface Provisioning {
    void run(BaseIdentity identity) throws StorageException;
  }

  private static Path folder(BaseLocation base) throws StorageException {
    if (base.disk().kind() != DiskKind.DIRECTORY) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backing image "
              + base.image()
              + ": disk "
              + base.disk().path()
              + " is not a directory: "
              + base.disk().kind());
    }
    return BaseIdentity.folder(base);
  }

  private static String name(BaseLocation base) {
    return "backing image " + base.image() + " at " + BaseIdentity.folder(base);
  }

  /** Action that puts a replica on the base of another replica. */
  public interface Linking {
    void run() throws StorageException;
  }

  /** As {@link dev.holdfast.engine.BaseEngine#bases}. */
  public List<BaseLocation> list(DiskLocation disk) throws StorageException {
    List<BaseLocation> found = new ArrayList<>();
    Path root = disk.path().resolve(BaseIdentity.FOLDER);
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path path : folders) {
        ReplicaDirectory folder = directories.apply(path);
        Optional<BaseIdentity> started = StateFiles.load(folder, STARTED, BaseIdentity.class);
        if (started.isPresent() && started.get().folder(disk.path()).equals(path)) {
          found.add(new BaseLocation(started.get().image(), started.get().uuid(), disk, ""));
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw StorageException.io("the backing images at " + root + " cannot be listed", e);
    }
    return List.copyOf(found);
  }

  /** As {@link dev.holdfast.engine.BaseEngine#inspectBase}. */
  public Optional<BaseInfo> inspect(BaseLocation base) throws StorageException {
    Path path = folder(base);
    try {
      if (!present(path)) {
        return Optional.empty();
      }
      ReplicaDirectory folder = directories.apply(path);
      Optional<SealedBase> sealed = SealedBase.load(folder);
      long stored = stored(path);
      if (sealed.isPresent()) {
        BaseIdentity identity = sealed.get().identity();
        return Optional.of(
            new BaseInfo(
                true,
                sealed.get().altered(folder),
                identity.sizeBytes(),
                stored,
                identity.contentChecksum()));
      }
      return Optional.of(new BaseInfo(false, false, started(base, folder).sizeBytes(), stored, ""));
    } catch (IOException e) {
      throw StorageException.io(name(base) + " cannot be read", e);
    }
  }

  // A folder with only a lock file is left by a call that found no base.
  private static boolean present(Path path) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        if (!entry.getFileName().toString().equals(StateFiles.FOLDER) || !onlyLock(entry)) {
          return true;
        }
      }
      return false;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static boolean onlyLock(Path folder) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (!LOCK.endsWith("/" + entry.getFileName())) {
          return false;
        }
      }
      return true;
    }
  }

  private static BaseIdentity started(BaseLocation base, ReplicaDirectory folder)
      throws IOException, StorageException {
    return StateFiles.load(folder, STARTED, BaseIdentity.class)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    name(base) + ": the directory has other files, which were not changed"));
  }

  private static long stored(Path path) throws IOException {
    long stored = 0;
    try (SparseFile sparse = SparseFile.openReadOnly(path.resolve(BaseIdentity.FILE))) {
      for (long data = sparse.nextData(0); data >= 0; ) {
        long hole = sparse.nextHole(data);
        stored += hole - data;
        data = sparse.nextData(hole);
      }
    } catch (NoSuchFileException e) {
      return 0;
    }
    return stored;
  }

  /** As {@link dev.holdfast.engine.BaseEngine#createBase}. */
  public BaseWriter create(BaseLocation base, long sizeBytes) throws StorageException {
    Path path = folder(base);
    if (sizeBytes <= 0 || sizeBytes % BLOCK != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          name(base) + ": sizeBytes: must be a positive multiple of " + BLOCK + ": " + sizeBytes);
    }
    try {
      ReplicaDirectory folder = directories.apply(path);
      if (present(path) && SealedBase.load(folder).isEmpty()) {
        // Check before locking, so that a foreign folder does not even receive a lock file.
        var unused = started(base, folder);
      }
      Files.createDirectories(path);
      lock(base, folder);
      boolean done = false;
      try {
        BaseWriter writer = start(base, path, folder, sizeBytes);
        done = true;
        return writer;
      } finally {
        if (!done) {
          folder.unlock();
        }
      }
    } catch (IOException e) {
      throw StorageException.io(name(base) + " cannot be made", e);
    }
  }

  private static void lock(BaseLocation base, ReplicaDirectory folder)
      throws IOException, StorageException {
    if (!folder.lock()) {
      throw new StorageException(
          ErrorCode.BUSY, name(base) + " is being written, deleted or used for a new replica");
    }
  }

  private BaseWriter start(BaseLocation base, Path path, ReplicaDirectory folder, long sizeBytes)
      throws IOException, StorageException {
    if (SealedBase.load(folder).isPresent()) {
      throw new StorageException(ErrorCode.CONFLICT, name(base) + " is sealed already");
    }
    BitSet written = new BitSet();
    BaseIdentity wanted = new BaseIdentity(base.image(), base.uuid(), sizeBytes, "");
    if (present(path) && started(base, folder).equals(wanted)) {
      written = written(folder);
    } else {
      folder.remove(BaseFileWriter.WRITTEN);
      folder.remove(BaseIdentity.FILE);
      StateFiles.store(folder, STARTED, wanted);
      SparseFile.syncDirectory(path.getParent());
      SparseFile.syncDirectory(base.disk().path());
    }
    if (!folder.files().contains(BaseIdentity.FILE)) {
      // A crash happened before the file's name was durable, so no data is written yet.
      folder.remove(BaseFileWriter.WRITTEN);
      written = new BitSet();
      folder.create(BaseIdentity.FILE, sizeBytes).close();
      folder.sync("");
    }
    ReplicaFile file = folder.open(BaseIdentity.FILE);
    return new BaseFileWriter(
        name(base), folder, file, wanted, written, () -> unlock(base, folder));
  }

  private static BitSet written(ReplicaDirectory folder) throws IOException {
    return StateFiles.load(folder, BaseFileWriter.WRITTEN, long[].class)
        .map(BitSet::valueOf)
        .orElseGet(BitSet::new);
  }

  private static void unlock(BaseLocation base, ReplicaDirectory folder) {
    try {
      folder.unlock();
    } catch (IOException e) {
      LOG.warn("{}: could not be unlocked: {}", name(base), e.getMessage());
    }
  }

  private SealedBase sealed(BaseLocation base, ReplicaDirectory folder)
      throws IOException, StorageException {
    SealedBase sealed =
        SealedBase.load(folder)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, name(base) + " is absent or not complete"));
    String wanted = base.contentChecksum();
    if (!wanted.isEmpty() && !wanted.equals(sealed.identity().contentChecksum())) {
      throw new StorageException(
          ErrorCode.INVALID,
          name(base)
              + " has the content "
              + sealed.identity().contentChecksum()
              + ", required is "
              + wanted);
    }
    return sealed;
  }

  /** As {@link dev.holdfast.engine.BaseEngine#openBase}. */
  public BlockDevice open(BaseLocation base) throws StorageException {
    Path path = folder(base);
    ReplicaDirectory folder = directories.apply(path);
    try {
      synchronized (readers) {
        SealedBase sealed = sealed(base, folder);
        ReplicaFile file = SealedBase.open(folder);
        readers.merge(path, 1, Integer::sum);
        return new BaseDevice(
            name(base),
            file,
            sealed.identity().sizeBytes(),
            new ReadOnly(name(base)),
            () -> closed(path));
      }
    } catch (IOException e) {
      throw StorageException.io(name(base) + " cannot be opened", e);
    }
  }

  private void closed(Path path) {
    synchronized (readers) {
      readers.computeIfPresent(path, (key, count) -> count == 1 ? null : count - 1);
    }
  }

  private record ReadOnly(String name) implements BaseDevice.Changes {
    @Override
    public void check() throws StorageException {
      throw new StorageException(ErrorCode.UNSUPPORTED, name + " is sealed and can only be read");
    }

    @Override
    public void written(long offset, long length) {
      throw new IllegalStateException(name + " was written");
    }

    @Override
    public void flush() {
      // A sealed base has no changes to flush.
    }
  }

  /** As {@link dev.holdfast.engine.BaseEngine#confirmBase}. */
  public void confirm(BaseLocation base) throws StorageException {
    ReplicaDirectory folder = directories.apply(folder(base));
    if (base.contentChecksum().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, name(base) + ": contentChecksum: required to confirm the content");
    }
    try {
      SealedBase sealed = sealed(base, folder);
      if (sealed.altered(folder)) {
        folder.protect(BaseIdentity.FILE);
        new SealedBase(sealed.identity(), folder.stamp(BaseIdentity.FILE)).store(folder);
      }
    } catch (IOException e) {
      throw StorageException.io(name(base) + " cannot be confirmed", e);
    }
  }

  /**
   * Runs an action that puts a replica on a base. The base cannot be deleted until the action ends.
   *
   * @throws StorageException see {@link dev.holdfast.engine.BaseContent}; BUSY
   */
  public void provision(BaseLocation base, long sizeBytes, Provisioning action)
      throws StorageException {
    keepingAll(() -> provisionAlone(base, sizeBytes, action));
  }

  /**
   * Runs an action that puts a replica on the base of another replica. No base can be deleted until
   * the action ends.
   */
  public void keepingAll(Linking action) throws StorageException {
    deleting.readLock().lock();
    try {
      action.run();
    } finally {
      deleting.readLock().unlock();
    }
  }

  private void provisionAlone(BaseLocation base, long sizeBytes, Provisioning action)
      throws StorageException {
    synchronized (provisioning) {
      try {
        ReplicaDirectory folder = directories.apply(folder(base));
        BaseIdentity identity = sealed(base, folder).identity();
        if (sizeBytes < identity.sizeBytes()) {
          throw new StorageException(
              ErrorCode.INVALID,
              name(base)
                  + " has "
                  + identity.sizeBytes()
                  + " bytes, more than a volume of "
                  + sizeBytes);
        }
        lock(base, folder);
        try {
          SealedBase.require("a new replica", folder, identity);
          action.run(identity);
        } finally {
          unlock(base, folder);
        }
      } catch (IOException e) {
        throw StorageException.io(name(base) + " cannot be used", e);
      }
    }
  }

  /** As {@link dev.holdfast.engine.BaseEngine#deleteBase}. */
  public void delete(BaseLocation base) throws StorageException {
    Path path = folder(base);
    deleting.writeLock().lock();
    try {
      if (present(path)) {
        remove(base, path);
      } else {
        FileTree.delete(path);
      }
      FileTree.delete(away(path));
    } catch (IOException e) {
      throw StorageException.io(name(base) + " cannot be deleted", e);
    } finally {
      deleting.writeLock().unlock();
    }
  }

  private void remove(BaseLocation base, Path path) throws IOException, StorageException {
    ReplicaDirectory folder = directories.apply(path);
    if (SealedBase.load(folder).isEmpty()) {
      var unused = started(base, folder);
    }
    lock(base, folder);
    try {
      synchronized (readers) {
        if (readers.containsKey(path)) {
          throw new StorageException(ErrorCode.BUSY, name(base) + " is being read");
        }
      }
      Optional<String> user = BaseUse.find(base.disk().path(), path);
      if (user.isPresent()) {
        throw new StorageException(
            ErrorCode.BUSY, name(base) + ": replica " + user.get() + " is based on it");
      }
      FileTree.delete(away(path));
      Files.move(path, away(path), StandardCopyOption.ATOMIC_MOVE);
      SparseFile.syncDirectory(path.getParent());
    } finally {
      unlock(base, folder);
    }
  }

  private static Path away(Path path) {
    return path.resolveSibling("." + path.getFileName() + ".deleting");
  }
}
