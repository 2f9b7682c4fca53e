package dev.holdfast.backupstore;

import com.fasterxml.jackson.core.JsonParser;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The backups of a target in Longhorn's layout, as far as they can be read. Holds no state beside
 * the store; thread-safe. A listing that fails is an exception, never a shorter list.
 */
public final class LonghornBackups implements BackupCatalog {
  private static final long LARGEST_VOLUME_CONFIG = 1 << 20;

  /** Larger than any volume of Longhorn or Holdfast. */
  private static final long LARGEST_VOLUME = 1L << 50;

  private final ObjectStore store;

  /**
   * Creates a view.
   *
   * @param store the target, which the caller closes, not null
   */
  public LonghornBackups(ObjectStore store) {
    this.store = Objects.requireNonNull(store, "store");
  }

  @Override
  public List<String> volumes() throws StorageException {
    List<String> names = new ArrayList<>();
    String after = "";
    while (true) {
      Optional<StoredObject> first = first(LonghornKeys.VOLUMES, after);
      if (first.isEmpty()) {
        return names;
      }
      String[] parts = first.get().key().substring(LonghornKeys.VOLUMES.length()).split("/", -1);
      if (parts.length < 4) {
        after = first.get().key();
        continue;
      }
      String name = parts[2];
      String folder = LonghornKeys.VOLUMES + parts[0] + "/" + parts[1] + "/" + name;
      boolean inItsPlace = (folder + "/").equals(LonghornKeys.volumeFolder(name));
      if (BackupName.isValid(name) && inItsPlace && stat(name).isPresent()) {
        names.add(name);
      }
      // "0" is the character behind "/": the next key that does not lie in this folder.
      after = folder + "0";
    }
  }

  private Optional<StoredObject> stat(String volume) throws StorageException {
    return store.stat(LonghornKeys.volumeConfig(volume));
  }

  private Optional<StoredObject> first(String prefix, String after) throws StorageException {
    List<StoredObject> found = new ArrayList<>();
    try {
      store.list(
          prefix,
          after,
          object -> {
            found.add(object);
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
  public StoredVolume volume(String name) throws StorageException {
    BackupName.check("volume", name);
    StoredObject config =
        stat(name)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "volume " + name + ": has no backups here"));
    ConfigReader reader = new ConfigReader(store, "volume " + name);
    Map<String, String> texts = new HashMap<>();
    reader.read(config, LARGEST_VOLUME_CONFIG, (field, value) -> take(reader, texts, field, value));
    if (!name.equals(texts.get("Name"))) {
      throw reader.damaged("is that of the volume \"" + texts.get("Name") + "\"");
    }
    long size = Long.parseLong(texts.getOrDefault("Size", "0"));
    if (size <= 0 || size > LARGEST_VOLUME) {
      throw reader.damaged("field Size: " + size + " bytes are not a size of a volume");
    }
    return new StoredVolume(
        name,
        size,
        texts.getOrDefault("CreatedTime", ""),
        texts.getOrDefault("LastBackupName", ""),
        texts.getOrDefault("BackingImageName", ""),
        texts.getOrDefault("BackingImageChecksum", ""),
        texts.getOrDefault("DataEngine", ""));
  }

  private static boolean take(
      ConfigReader reader, Map<String, String> texts, String field, JsonParser value)
      throws IOException, StorageException {
    switch (field) {
      case "Name", "CreatedTime", "LastBackupName" -> texts.put(field, reader.text(field, value));
      case "BackingImageName", "BackingImageChecksum", "DataEngine" ->
          texts.put(field, reader.quotedText(field, value));
      case "Size" -> texts.put(field, Long.toString(reader.number(field, value)));
      default -> value.skipChildren();
    }
    return true;
  }

  @Override
  public boolean hasVolume(String volume) throws StorageException {
    return stat(BackupName.check("volume", volume)).isPresent();
  }

  @Override
  public boolean mayHaveBackup(BackupName name, Optional<Instant> createdAt)
      throws StorageException {
    BackupName.check("volume", name.volume());
    BackupName.check("backup", name.backup());
    return store.stat(LonghornKeys.backupConfig(name)).isPresent();
  }

  @Override
  public Map<BackupName, StoredObject> configs(String volume) throws StorageException {
    String folder = LonghornKeys.backupsFolder(BackupName.check("volume", volume));
    String prefix = folder + LonghornKeys.BACKUP_PREFIX;
    Map<BackupName, StoredObject> found = new LinkedHashMap<>();
    store.list(
        prefix,
        "",
        config -> {
          String rest = config.key().substring(prefix.length());
          if (rest.endsWith(LonghornKeys.CONFIG_SUFFIX)) {
            String name = rest.substring(0, rest.length() - LonghornKeys.CONFIG_SUFFIX.length());
            if (BackupName.isValid(name)) {
              found.put(new BackupName(volume, name), config);
            }
          }
        });
    return found;
  }

  @Override
  public BackupSummary summary(StoredVolume volume, BackupName name, StoredObject config)
      throws StorageException {
    return BackupConfig.summary(store, config, name, volume);
  }

  @Override
  public BackupSummary summary(StoredVolume volume, String name) throws StorageException {
    BackupName backup = new BackupName(volume.name(), name);
    return BackupConfig.summary(store, config(backup), backup, volume);
  }

  /**
   * Returns the backups of a volume, in the order of their names.
   *
   * @param volume that has backups, not null
   * @throws StorageException IO for a damaged configuration, or when they cannot be listed
   */
  public List<BackupSummary> backups(StoredVolume volume) throws StorageException {
    List<BackupSummary> found = new ArrayList<>();
    for (BackupName name : backupNames(volume.name())) {
      found.add(summary(volume, name.backup()));
    }
    return found;
  }

  @Override
  public StoredBackup backup(BackupName name) throws StorageException {
    StoredVolume volume = volume(name.volume());
    return BackupConfig.complete(store, config(name), name, volume);
  }

  private StoredObject config(BackupName name) throws StorageException {
    BackupName.check("backup", name.backup());
    return store
        .stat(LonghornKeys.backupConfig(name))
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
}
