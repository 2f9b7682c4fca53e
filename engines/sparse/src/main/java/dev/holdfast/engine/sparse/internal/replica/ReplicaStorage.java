package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.base.BaseIdentity;
import dev.holdfast.engine.sparse.internal.base.SealedBase;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.disk.FileTree;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Creates, inspects and removes replica directories, each atomically. */
public final class ReplicaStorage {
  private static final long SECTOR = 512;

  /** Creates an empty replica. */
  public void provision(ReplicaLocation location, long sizeBytes) throws StorageException {
    provision(location, sizeBytes, Optional.empty());
  }

  /** Creates a replica on a base, which must be complete on its disk, or on none. */
  public void provision(ReplicaLocation location, long sizeBytes, Optional<BaseIdentity> base)
      throws StorageException {
    if (location.witness()) {
      provisionWitness(location);
      return;
    }
    checkSize(location, sizeBytes);
    try {
      if (present(location.directory())) {
        checkSame(location, sizeBytes);
        checkBase(location, base);
      } else {
        build(location, sizeBytes, base);
      }
    } catch (IOException e) {
      throw StorageException.io("replica " + location.replica() + " cannot be made", e);
    }
  }

  static void checkSize(ReplicaLocation location, long sizeBytes) throws StorageException {
    if (sizeBytes <= 0 || sizeBytes % BlockIndex.BLOCK_SIZE != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + location.replica()
              + ": a size of "
              + sizeBytes
              + " bytes is not a multiple of "
              + BlockIndex.BLOCK_SIZE);
    }
  }

  // A witness stores only its identity and the epochs that it received.
  private static void provisionWitness(ReplicaLocation location) throws StorageException {
    try {
      ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
      if (present(location.directory())) {
        checkIdentity(location, directory);
        return;
      }
      Path building = empty(location);
      identify(location, new LocalReplicaDirectory(building));
      publish(building, location);
    } catch (IOException e) {
      throw StorageException.io("witness " + location.replica() + " cannot be made", e);
    }
  }

  static boolean present(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      return entries.iterator().hasNext();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  static void checkSame(ReplicaLocation location, long sizeBytes)
      throws IOException, StorageException {
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    VolumeMeta meta = knownMeta(location, directory);
    if (meta.size() != sizeBytes) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory() + " holds a replica of " + meta.size() + " bytes, not " + sizeBytes);
    }
    checkIdentity(location, directory);
  }

  private static void checkBase(ReplicaLocation location, Optional<BaseIdentity> wanted)
      throws IOException, StorageException {
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    Optional<BaseIdentity> found = StateFiles.load(directory, StateFiles.BASE, BaseIdentity.class);
    if (found.isEmpty() && wanted.isPresent() && names(location, directory, wanted.get())) {
      StateFiles.store(directory, StateFiles.BASE, wanted.get());
      return;
    }
    if (!found.equals(wanted)) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory()
              + " holds a replica on "
              + found.map(BaseIdentity::text).orElse("no backing image")
              + ", not on "
              + wanted.map(BaseIdentity::text).orElse("none"));
    }
  }

  // A replica that Longhorn wrote records only the path of its base until its first opening here.
  private static boolean names(
      ReplicaLocation location, ReplicaDirectory directory, BaseIdentity base)
      throws IOException, StorageException {
    Path disk = location.diskPath();
    return BaseIdentity.folderNamedBy(disk, knownMeta(location, directory).base())
        .filter(base.folder(disk)::equals)
        .isPresent();
  }

  private static void checkIdentity(ReplicaLocation location, ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<ReplicaIdentity> identity =
        StateFiles.load(directory, StateFiles.IDENTITY, ReplicaIdentity.class);
    if (location.witness() && (identity.isEmpty() || !directory.files().isEmpty())) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory() + " holds files that are not a witness; they were not changed");
    }
    if (identity.isPresent() && !identity.get().volume().equals(location.volume())) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory() + " holds a replica of volume " + identity.get().volume());
    }
  }

  private static VolumeMeta knownMeta(ReplicaLocation location, ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<VolumeMeta> meta = LonghornLayout.volumeMeta(directory);
    if (meta.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory() + " holds files that are not a replica; they were not changed");
    }
    return meta.get();
  }

  private static void build(ReplicaLocation location, long sizeBytes, Optional<BaseIdentity> base)
      throws IOException {
    Path building = empty(location);
    ReplicaDirectory directory = new LocalReplicaDirectory(building);
    directory.create(LonghornLayout.FIRST_HEAD, sizeBytes).close();
    String created = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    directory.store(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD), LonghornLayout.newHeadMeta(created));
    String file = basePath(location, base);
    directory.store(LonghornLayout.VOLUME_META, LonghornLayout.newVolumeMeta(sizeBytes, file));
    if (base.isPresent()) {
      StateFiles.store(directory, StateFiles.BASE, base.get());
    }
    identify(location, directory);
    publish(building, location);
  }

  static String basePath(ReplicaLocation location, Optional<BaseIdentity> base) {
    return base.map(found -> found.folder(location.diskPath()))
        .map(folder -> SealedBase.path(new LocalReplicaDirectory(folder)))
        .orElse("");
  }

  static Path empty(ReplicaLocation location) throws IOException {
    Path building = hidden(location, "provisioning");
    Files.createDirectories(location.directory().getParent());
    FileTree.delete(building);
    return Files.createDirectory(building);
  }

  private static void identify(ReplicaLocation location, ReplicaDirectory directory)
      throws IOException {
    StateFiles.store(directory, StateFiles.IDENTITY, ReplicaHistory.newIdentity(location));
    StateFiles.store(directory, StateFiles.EPOCH, Epoch.NONE);
  }

  static void publish(Path building, ReplicaLocation location) throws IOException {
    SparseFile.syncDirectory(building);
    Files.move(building, location.directory(), StandardCopyOption.ATOMIC_MOVE);
    SparseFile.syncDirectory(location.directory().getParent());
    SparseFile.syncDirectory(location.diskPath());
  }

  public Optional<ReplicaInfo> inspect(ReplicaLocation location) throws StorageException {
    try {
      if (!present(location.directory())) {
        return Optional.empty();
      }
      ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
      if (location.witness()) {
        checkIdentity(location, directory);
        return Optional.of(new ReplicaInfo(0, 0, true));
      }
      VolumeMeta meta = knownMeta(location, directory);
      return Optional.of(new ReplicaInfo(meta.size(), used(location.directory()), !meta.dirty()));
    } catch (IOException e) {
      throw StorageException.io("replica " + location.replica() + " cannot be read", e);
    }
  }

  // Java returns only the length of a sparse file, not its allocated bytes. A file shared by
  // several replicas counts for each in equal parts, so that the sum equals the used space of the
  // disk.
  private static long used(Path directory) throws IOException {
    long used = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "volume-*.img")) {
      for (Path file : files) {
        int names = LocalReplicaDirectory.names(file);
        try (SparseFile sparse = SparseFile.openReadOnly(file)) {
          for (long data = sparse.nextData(0); data >= 0; ) {
            long hole = sparse.nextHole(data);
            used += (hole - data) / names;
            data = sparse.nextData(hole);
          }
        }
      }
    }
    return (used + SECTOR - 1) / SECTOR * SECTOR;
  }

  public void delete(ReplicaLocation location) throws StorageException {
    try {
      if (present(location.directory())) {
        remove(location);
      }
      FileTree.delete(hidden(location, "provisioning"));
      FileTree.delete(hidden(location, "deleting"));
    } catch (IOException e) {
      throw StorageException.io("replica " + location.replica() + " cannot be removed", e);
    }
  }

  private static void remove(ReplicaLocation location) throws IOException, StorageException {
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    if (location.witness()) {
      checkIdentity(location, directory);
    } else {
      knownMeta(location, directory);
    }
    if (!directory.lock()) {
      throw new StorageException(
          ErrorCode.BUSY, "replica " + location.replica() + " is open; detach its volume first");
    }
    try {
      Path away = hidden(location, "deleting");
      FileTree.delete(away);
      Files.move(location.directory(), away, StandardCopyOption.ATOMIC_MOVE);
      SparseFile.syncDirectory(away.getParent());
    } finally {
      directory.unlock();
    }
  }

  private static Path hidden(ReplicaLocation location, String purpose) {
    return location.directory().resolveSibling("." + location.directoryName() + "." + purpose);
  }
}
