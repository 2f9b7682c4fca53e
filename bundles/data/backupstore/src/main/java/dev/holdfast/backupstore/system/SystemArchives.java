package dev.holdfast.backupstore.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The system backups of a target. Each is an archive, whose key holds the uid of the resource that
 * it was made for, and a description, which is written last and makes it visible. They lie beside
 * the folder that Longhorn reads, because they are not resources of Longhorn.
 */
public final class SystemArchives {
  private static final String FOLDER = "holdfast/v1/system-backups/";
  private static final String DESCRIPTION = "/system-backup.json";
  private static final String ARCHIVE = ".zip";
  private static final int LARGEST_DESCRIPTION = 64 << 10;
  private static final int VERSION = 1;
  private static final JsonMapper MAPPER = new JsonMapper();

  private final ObjectStore store;

  /** Works on the objects of a target. */
  public SystemArchives(ObjectStore store) {
    this.store = store;
  }

  /**
   * Returns the names of the system backups, sorted.
   *
   * @throws StorageException what the target throws; a list that fails is never a shorter list
   */
  public List<String> names() throws StorageException {
    List<String> names = new ArrayList<>();
    store.list(
        FOLDER,
        "",
        object -> {
          String rest = object.key().substring(FOLDER.length());
          if (rest.endsWith(DESCRIPTION)) {
            String name = rest.substring(0, rest.length() - DESCRIPTION.length());
            if (BackupName.isValid(name)) {
              names.add(name);
            }
          }
        });
    return List.copyOf(names);
  }

  private static String folder(String name) throws StorageException {
    return FOLDER + BackupName.check("system backup", name);
  }

  private static String archiveKey(String name, String uid) throws StorageException {
    return folder(name) + "/" + BackupName.check("uid", uid) + ARCHIVE;
  }

  /**
   * Describes a system backup.
   *
   * @param name of the system backup, not null
   * @return empty when the target has none of that name
   * @throws StorageException INVALID for an impossible name; IO for a damaged description;
   *     UNSUPPORTED for the version of a newer program; what the target throws
   */
  public Optional<SystemBackupFile> find(String name) throws StorageException {
    Optional<StoredObject> stored = store.stat(folder(name) + DESCRIPTION);
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    if (stored.get().size() > LARGEST_DESCRIPTION) {
      throw damaged(name, "its description has " + stored.get().size() + " bytes");
    }
    byte[] text = read(stored.get().key(), (int) stored.get().size());
    SystemBackupFile found = decode(name, text);
    if (!found.name().equals(name)) {
      throw damaged(name, "its description is that of " + BackupName.printable(found.name()));
    }
    return Optional.of(found);
  }

  private byte[] read(String key, int size) throws StorageException {
    ByteBuffer content = ByteBuffer.allocate(size);
    store.get(key, 0, content);
    return content.array();
  }

  private static SystemBackupFile decode(String name, byte[] text) throws StorageException {
    try {
      JsonNode json = MAPPER.readTree(new String(text, StandardCharsets.UTF_8));
      if (json.path("version").asInt() > VERSION) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "system backup "
                + name
                + " has version "
                + json.path("version").asInt()
                + ": this program reads up to "
                + VERSION);
      }
      return new SystemBackupFile(
          json.path("name").asText(),
          json.path("uid").asText(),
          Instant.parse(json.path("createdAt").asText()),
          json.path("size").asLong(),
          json.path("sha256").asText(),
          json.path("items").asInt(),
          json.path("volumes").asInt(),
          json.path("targetAddress").asText());
    } catch (JsonProcessingException | DateTimeException e) {
      throw new StorageException(
          ErrorCode.IO, "system backup " + name + ": its description is damaged", e);
    }
  }

  private static StorageException damaged(String name, String why) {
    return new StorageException(ErrorCode.IO, "system backup " + name + ": " + why);
  }

  /**
   * Writes a system backup and reads it back. Repeated with the same uid, it replaces what a writer
   * that was killed left.
   *
   * @param described what is known of it; size and checksum are computed; not null
   * @param archive that {@link SystemArchive#pack} made, not null
   * @return the description that the target has, never null
   * @throws StorageException ALREADY_EXISTS when the target has another one of that name; IO when
   *     other bytes were read back; what the target throws
   */
  public SystemBackupFile write(SystemBackupFile described, byte[] archive)
      throws StorageException {
    Optional<SystemBackupFile> present = find(described.name());
    if (present.isPresent()) {
      if (!present.get().uid().equals(described.uid())) {
        throw taken(described.name());
      }
      return present.get();
    }
    SystemBackupFile file =
        new SystemBackupFile(
            described.name(),
            described.uid(),
            described.createdAt(),
            archive.length,
            Sha256.of(archive),
            described.items(),
            described.volumes(),
            described.targetAddress());
    store.put(
        archiveKey(file.name(), file.uid()), List.of(ByteBuffer.wrap(archive)), PutOptions.REPLACE);
    if (!Sha256.of(read(archiveKey(file.name(), file.uid()), archive.length))
        .equals(file.checksum())) {
      throw damaged(file.name(), "the target returns other bytes than were written");
    }
    store.put(
        folder(file.name()) + DESCRIPTION,
        List.of(ByteBuffer.wrap(encode(file))),
        PutOptions.REPLACE);
    return find(file.name()).filter(file::equals).orElseThrow(() -> taken(file.name()));
  }

  private static StorageException taken(String name) {
    return new StorageException(
        ErrorCode.ALREADY_EXISTS,
        "system backup " + name + ": the target has another one of this name: choose another name");
  }

  private static byte[] encode(SystemBackupFile file) {
    ObjectNode json =
        MAPPER
            .createObjectNode()
            .put("version", VERSION)
            .put("name", file.name())
            .put("uid", file.uid())
            .put("createdAt", file.createdAt().toString())
            .put("size", file.size())
            .put("sha256", file.checksum())
            .put("items", file.items())
            .put("volumes", file.volumes())
            .put("targetAddress", file.targetAddress());
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the archive of a system backup and compares its checksum.
   *
   * @param file that {@link #find} returned, not null
   * @throws StorageException IO when it is damaged, too large or missing; what the target throws
   */
  public byte[] archive(SystemBackupFile file) throws StorageException {
    if (file.size() < 0 || file.size() > SystemArchive.LARGEST) {
      throw damaged(file.name(), "an archive of " + file.size() + " bytes is not possible");
    }
    try {
      byte[] archive = read(archiveKey(file.name(), file.uid()), (int) file.size());
      if (!Sha256.of(archive).equals(file.checksum())) {
        throw damaged(file.name(), "its archive has another checksum");
      }
      return archive;
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      throw new StorageException(
          ErrorCode.IO, "system backup " + file.name() + ": its archive is missing", e);
    }
  }

  /**
   * Deletes a system backup; succeeds when it is gone. The description is deleted last, so that a
   * retry finds the remaining objects.
   *
   * @param name of the system backup, not null
   * @param uid of the one that is deleted; another one of that name stays; empty for any; not null
   * @throws StorageException what the target throws; then it may be repeated
   */
  public void delete(String name, String uid) throws StorageException {
    Optional<SystemBackupFile> present =
        find(name).filter(found -> uid.isEmpty() || found.uid().equals(uid));
    String deleted = present.map(SystemBackupFile::uid).orElse(uid);
    if (!deleted.isEmpty()) {
      store.delete(List.of(archiveKey(name, deleted)));
    }
    if (present.isPresent()) {
      store.delete(List.of(folder(name) + DESCRIPTION));
    }
  }
}
