package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupCatalog;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The backups of a target in the packed layout. Holds no state beside the store; thread-safe. */
public final class PackedBackups implements BackupCatalog {
  private final ObjectStore store;

  /** A backup as it was read. */
  record Read(Manifest manifest, PackedFormat format, ChunkList chunks) {
    StoredBackup stored() throws StorageException {
      long[] offsets = new long[chunks.size()];
      for (int i = 0; i < offsets.length; i++) {
        offsets[i] = (long) chunks.number(i) * format.chunkSize();
      }
      return StoredBackup.of(
          manifest.summary(),
          manifest.image(),
          offsets,
          chunks.hashes(),
          new PackedPlaces(format, chunks));
    }
  }

  /** Creates a view of a target, which the caller closes. */
  public PackedBackups(ObjectStore store) {
    this.store = store;
  }

  @Override
  public List<String> volumes() throws StorageException {
    List<String> names = new ArrayList<>();
    String after = "";
    while (true) {
      Optional<String> key = first(after);
      if (key.isEmpty()) {
        return names;
      }
      String rest = key.get().substring(PackedKeys.VOLUMES.length());
      int slash = rest.indexOf('/');
      if (slash < 0) {
        after = key.get();
        continue;
      }
      String name = rest.substring(0, slash);
      if (BackupName.isValid(name) && hasVolume(name)) {
        names.add(name);
      }
      // "0" is the character behind "/": the next key that does not lie in this folder.
      after = PackedKeys.VOLUMES + name + "0";
    }
  }

  private Optional<String> first(String after) throws StorageException {
    List<String> found = new ArrayList<>();
    try {
      store.list(
          PackedKeys.VOLUMES,
          after,
          object -> {
            found.add(object.key());
            throw new FirstFound();
          });
    } catch (FirstFound e) {
      return Optional.of(found.get(0));
    }
    return Optional.empty();
  }

  /** Ends a listing after its first object. */
  private static final class FirstFound extends StorageException {
    private static final long serialVersionUID = 1L;

    FirstFound() {
      super(ErrorCode.INTERNAL, "the listing was ended after its first object");
    }
  }

  @Override
  public boolean hasVolume(String volume) throws StorageException {
    return store.stat(PackedKeys.format(volume)).isPresent();
  }

  @Override
  public boolean mayHaveBackup(BackupName name, Optional<Instant> createdAt)
      throws StorageException {
    return createdAt.isEmpty()
        ? hasVolume(name.volume())
        : store.stat(PackedKeys.manifest(name, createdAt.get())).isPresent();
  }

  @Override
  public Map<BackupName, StoredObject> configs(String volume) throws StorageException {
    Map<BackupName, StoredObject> found = new LinkedHashMap<>();
    List<StoredObject> objects = new ArrayList<>();
    store.list(PackedKeys.backups(volume), "", objects::add);
    for (StoredObject object : objects) {
      Optional<String> name = PackedKeys.backup(volume, object.key());
      if (name.isPresent()) {
        BackupName backup = new BackupName(volume, name.get());
        // The later one of a name counts, in its place.
        found.remove(backup);
        found.put(backup, object);
      }
    }
    return found;
  }

  PackedFormat format(String volume) throws StorageException {
    return PackedFormat.read(store, volume)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND, "volume " + volume + ": has no backups here"));
  }

  @Override
  public StoredVolume volume(String name) throws StorageException {
    PackedFormat format = format(name);
    List<Map.Entry<BackupName, StoredObject>> backups = new ArrayList<>(configs(name).entrySet());
    String last = backups.isEmpty() ? "" : backups.get(backups.size() - 1).getKey().backup();
    long size = format.firstSize();
    String image = "";
    String imageChecksum = "";
    for (int i = backups.size() - 1; i >= 0; i--) {
      try {
        Manifest manifest =
            Manifest.read(store, backups.get(i).getValue(), backups.get(i).getKey(), format);
        size = manifest.summary().volumeSizeBytes();
        image = manifest.image().name();
        imageChecksum = manifest.image().checksum();
        break;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.IO) {
          throw e;
        }
        // The scan of the backups names the damaged one.
      }
    }
    return new StoredVolume(name, size, format.created(), last, image, imageChecksum, "");
  }

  @Override
  public BackupSummary summary(StoredVolume volume, BackupName name, StoredObject config)
      throws StorageException {
    return Manifest.read(store, config, name, format(name.volume())).summary();
  }

  @Override
  public BackupSummary summary(StoredVolume volume, String name) throws StorageException {
    BackupName backup = new BackupName(volume.name(), name);
    return summary(volume, backup, config(backup));
  }

  private StoredObject config(BackupName name) throws StorageException {
    BackupName.check("backup", name.backup());
    return Optional.ofNullable(configs(name.volume()).get(name))
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "backup "
                        + name.backup()
                        + ": volume "
                        + name.volume()
                        + " has none of that name"));
  }

  @Override
  public StoredBackup backup(BackupName name) throws StorageException {
    PackedFormat format = format(name.volume());
    return read(name, config(name), format).stored();
  }

  /** Reads a backup whose manifest was listed. */
  Read read(BackupName name, StoredObject config, PackedFormat format) throws StorageException {
    String subject = "backup " + name;
    Manifest manifest = Manifest.read(store, config, name, format);
    int limit = Manifest.chunksOf(manifest.summary().volumeSizeBytes(), format.chunkSize());
    ChunkMap form = new ChunkMap(subject, format.chunkSize(), ChunkMap.MOST_CHUNKS);
    ChunkList chunks = ChunkList.EMPTY;
    for (int i = 0; i < manifest.maps().size(); i++) {
      Manifest.MapName map = manifest.maps().get(i);
      ChunkMap.Expected expected = new ChunkMap.Expected(i == 0, map.sha256());
      ChunkList next = form.read(store, PackedKeys.map(name.volume(), map.id()), expected);
      chunks = i == 0 ? next : chunks.with(next, ChunkMap.MOST_CHUNKS);
    }
    chunks = chunks.with(ChunkList.EMPTY, limit);
    Set<String> packs = new TreeSet<>(chunks.packs());
    boolean right =
        chunks.size() == manifest.chunks()
            && chunks.root().equals(manifest.root())
            && packs.equals(new TreeSet<>(manifest.packs()));
    if (!right) {
      throw new StorageException(
          ErrorCode.IO, subject + ": its maps do not have the chunks that its manifest announces");
    }
    return new Read(manifest, format, chunks);
  }
}
