package dev.holdfast.backupstore.internal.packed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The object that makes a backup visible; written last.
 *
 * @param summary of the backup
 * @param image below the volume
 * @param maps the full map and the changes to it, in order; their packs and chunks count
 * @param packs ids of the packs that the backup needs
 * @param chunks how many chunks the backup has
 * @param root SHA-256 of the numbers and hashes of all chunks
 */
record Manifest(
    BackupSummary summary,
    RecordedImage image,
    List<MapName> maps,
    List<String> packs,
    int chunks,
    String root) {
  /** A map can be a full one and at most so many changes. */
  static final int MOST_MAPS = 33;

  private static final int LARGEST = 16 << 20;
  private static final long MOST_LABELS = 1_000;

  /**
   * A map.
   *
   * @param entries how many chunks it lists
   */
  record MapName(String id, int entries, String sha256) {}

  /** Copies the lists. */
  Manifest {
    maps = List.copyOf(maps);
    packs = List.copyOf(packs);
  }

  ByteBuffer text() throws StorageException {
    ObjectNode fields =
        SealedText.create()
            .put("version", PackedFormat.VERSION)
            .put("volume", summary.name().volume())
            .put("name", summary.name().backup())
            .put("snapshot", summary.snapshot())
            .put("snapshotUid", summary.snapshotUid())
            .put("snapshotCreatedAt", summary.snapshotCreatedAt())
            .put("createdAt", summary.createdAt())
            .put("volumeSize", summary.volumeSizeBytes())
            .put("incremental", summary.incremental())
            .put("chunks", chunks)
            .put("root", root);
    ObjectNode labels = fields.putObject("labels");
    summary.labels().forEach(labels::put);
    fields
        .putObject("image")
        .put("name", image.name())
        .put("checksum", image.checksum())
        .put("contentChecksum", image.contentChecksum());
    ArrayNode listed = fields.putArray("maps");
    for (MapName map : maps) {
      listed
          .addObject()
          .put("id", map.id())
          .put("entries", map.entries())
          .put("sha256", map.sha256());
    }
    packs.forEach(fields.putArray("packs")::add);
    return SealedText.seal(fields);
  }

  static Manifest read(ObjectStore store, StoredObject object, BackupName name, PackedFormat format)
      throws StorageException {
    return parse(SealedText.read(store, object, LARGEST, "backup " + name), name, format);
  }

  static Manifest parse(SealedText text, BackupName name, PackedFormat format)
      throws StorageException {
    if (text.number("version", 1, Integer.MAX_VALUE) != PackedFormat.VERSION) {
      throw text.damaged("field version: this version of Holdfast reads version 1");
    }
    if (!text.text("volume").equals(name.volume()) || !text.text("name").equals(name.backup())) {
      throw text.damaged("is that of backup " + text.text("volume") + "/" + text.text("name"));
    }
    long size = text.number("volumeSize", 1, PackedFormat.LARGEST_VOLUME);
    int limit = chunksOf(size, format.chunkSize());
    int chunks = (int) text.number("chunks", 0, limit);
    Map<String, String> labels = labels(text.part("labels"));
    BackupSummary summary =
        new BackupSummary(
            name,
            text.text("snapshot"),
            text.text("snapshotUid"),
            text.time("snapshotCreatedAt"),
            text.time("createdAt"),
            (long) chunks * format.chunkSize(),
            format.chunkSize(),
            size,
            format.compression(),
            text.flag("incremental"),
            labels);
    SealedText image = text.part("image");
    return new Manifest(
        summary,
        image.text("name").isEmpty()
            ? RecordedImage.NONE
            : new RecordedImage(
                image.text("name"), image.text("checksum"), image.text("contentChecksum")),
        maps(text),
        packs(text),
        chunks,
        text.text("root"));
  }

  /** Returns how many chunks a volume can have; more than any map where there are too many. */
  static int chunksOf(long size, int chunkSize) {
    return (int) Math.min(ChunkMap.MOST_CHUNKS + 1L, (size + chunkSize - 1) / chunkSize);
  }

  private static Map<String, String> labels(SealedText part) throws StorageException {
    Map<String, String> labels = new HashMap<>();
    for (String label : part.names()) {
      labels.put(label, part.text(label));
      if (labels.size() > MOST_LABELS) {
        throw part.damaged("has more than " + MOST_LABELS + " labels");
      }
    }
    return labels;
  }

  private static List<MapName> maps(SealedText text) throws StorageException {
    List<MapName> maps = new ArrayList<>();
    for (SealedText map : text.parts("maps")) {
      String id = map.text("id");
      if (!Ulid.isValid(id) || maps.size() == MOST_MAPS) {
        throw text.damaged("field maps is not a list of at most " + MOST_MAPS + " maps");
      }
      int entries = (int) map.number("entries", 0, ChunkMap.MOST_CHUNKS);
      maps.add(new MapName(id, entries, map.text("sha256")));
    }
    if (maps.isEmpty()) {
      throw text.damaged("field maps is empty");
    }
    return maps;
  }

  private static List<String> packs(SealedText text) throws StorageException {
    List<String> packs = text.texts("packs");
    for (String pack : packs) {
      if (!Ulid.isValid(pack)) {
        throw text.damaged("field packs: " + pack + " is not the id of a pack");
      }
    }
    return packs;
  }
}
