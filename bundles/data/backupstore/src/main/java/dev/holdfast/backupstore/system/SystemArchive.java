package dev.holdfast.backupstore.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The archive of a system backup: a zip of one JSON file for each resource, and a manifest of their
 * checksums, which is the last file. Archives that are read are hostile input: their sizes and the
 * number of files are limited, and names are never used as paths.
 */
public final class SystemArchive {
  /** Largest size of an archive in bytes. */
  public static final int LARGEST = 32 << 20;

  private static final String MANIFEST = "manifest.json";
  private static final int VERSION = 1;
  private static final int MOST_FILES = 200_000;
  private static final int LARGEST_FILE = 8 << 20;
  private static final int LARGEST_CONTENT = 128 << 20;
  private static final JsonMapper MAPPER = new JsonMapper();

  /** The same files give the same archive, whenever it is made. */
  private static final long NO_TIME = 0;

  private SystemArchive() {}

  /**
   * Makes an archive.
   *
   * @param files texts by their names in the archive, in the order in which they are written; not
   *     null
   * @throws StorageException UNSUPPORTED when the archive would be larger than archives that are
   *     read may be
   */
  public static byte[] pack(Map<String, String> files) throws StorageException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ObjectNode manifest = MAPPER.createObjectNode().put("version", VERSION);
    ObjectNode checksums = manifest.putObject("sha256");
    long total = 0;
    try (ZipOutputStream zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        byte[] content = file.getValue().getBytes(StandardCharsets.UTF_8);
        total += content.length;
        checksums.put(file.getKey(), Sha256.of(content));
        add(zip, file.getKey(), content);
      }
      byte[] last = MAPPER.writeValueAsBytes(manifest);
      total += last.length;
      add(zip, MANIFEST, last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (bytes.size() > LARGEST || total > LARGEST_CONTENT || files.size() >= MOST_FILES) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the archive of "
              + files.size()
              + " resources has "
              + bytes.size()
              + " bytes: at most "
              + LARGEST
              + " are possible");
    }
    return bytes.toByteArray();
  }

  private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(NO_TIME);
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }

  /**
   * Reads an archive.
   *
   * @param archive that {@link #pack} made, or anything else; not null
   * @return the texts by their names, in the order of the archive; never null
   * @throws StorageException IO when it is damaged or too large; UNSUPPORTED for the version of a
   *     newer program
   */
  public static Map<String, String> unpack(byte[] archive) throws StorageException {
    Map<String, byte[]> files = files(archive);
    byte[] last = files.remove(MANIFEST);
    if (last == null) {
      throw damaged("it has no " + MANIFEST);
    }
    JsonNode manifest = manifest(last);
    JsonNode checksums = manifest.path("sha256");
    if (checksums.size() != files.size()) {
      throw damaged(
          "it has " + files.size() + " files, and its manifest names " + checksums.size());
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      String checksum = checksums.path(file.getKey()).asText();
      if (!checksum.equals(Sha256.of(file.getValue()))) {
        throw damaged("file " + BackupName.printable(file.getKey()) + " has another checksum");
      }
      texts.put(file.getKey(), new String(file.getValue(), StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static Map<String, byte[]> files(byte[] archive) throws StorageException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    long total = 0;
    try (ZipInputStream zip =
        new ZipInputStream(new ByteArrayInputStream(archive), StandardCharsets.UTF_8)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        byte[] content = zip.readNBytes(LARGEST_FILE + 1);
        total += content.length;
        if (content.length > LARGEST_FILE || total > LARGEST_CONTENT) {
          throw damaged("its files are larger than possible");
        }
        if (files.size() >= MOST_FILES || files.put(entry.getName(), content) != null) {
          throw damaged("it has too many files, or two of one name");
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.IO, "the archive is damaged: " + BackupName.printable(String.valueOf(e)), e);
    }
    return files;
  }

  private static JsonNode manifest(byte[] content) throws StorageException {
    try {
      JsonNode manifest = MAPPER.readTree(new String(content, StandardCharsets.UTF_8));
      int version = manifest.path("version").asInt();
      if (version > VERSION) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "the archive has version " + version + ": this program reads up to " + VERSION);
      }
      return manifest;
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.IO, "the archive is damaged: " + MANIFEST, e);
    }
  }

  private static StorageException damaged(String why) {
    return new StorageException(ErrorCode.IO, "the archive is damaged: " + why);
  }
}
