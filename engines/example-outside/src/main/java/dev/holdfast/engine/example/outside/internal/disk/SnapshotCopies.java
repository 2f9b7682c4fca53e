package dev.holdfast.engine.example.outside.internal.disk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The snapshots of a replica: a full copy each, and one catalogue, which decides what there is. A
 * copy without an entry is removed. Calls do not overlap.
 */
public final class SnapshotCopies {
  private static final String NONE = "";
  private static final Duration COPY = Duration.ofHours(6);

  private final Path catalogue;
  private final Path copies;

  /** The snapshots of a replica. */
  public SnapshotCopies(StoredReplica replica) {
    this.catalogue = replica.folder().resolve("snapshots.json");
    this.copies = replica.folder().resolve("snapshots");
  }

  /**
   * An entry.
   *
   * @param parent of it, or nothing
   */
  private record Entry(String name, String id, String parent, JsonNode details) {}

  /**
   * All entries, the oldest first.
   *
   * @param head the snapshot below the live content, or nothing
   */
  private record Content(String head, List<Entry> entries) {
    Optional<Entry> find(String name) {
      return entries.stream().filter(entry -> entry.name().equals(name)).findFirst();
    }
  }

  private Content read() throws StorageException {
    Optional<JsonNode> json = JsonFile.read(catalogue);
    List<Entry> entries = new ArrayList<>();
    if (json.isEmpty()) {
      return new Content(NONE, entries);
    }
    for (JsonNode entry : json.get().path("snapshots")) {
      entries.add(
          new Entry(
              entry.path("name").asText(),
              entry.path("id").asText(),
              entry.path("parent").asText(),
              entry.path("details")));
    }
    return new Content(json.get().path("head").asText(), entries);
  }

  private void write(Content content) throws StorageException {
    ObjectNode json = JsonFile.object().put("head", content.head());
    ArrayNode entries = json.putArray("snapshots");
    for (Entry entry : content.entries()) {
      ObjectNode written = entries.addObject().put("name", entry.name()).put("id", entry.id());
      written.put("parent", entry.parent()).set("details", entry.details());
    }
    JsonFile.write(catalogue, json);
  }

  /** Returns all, parents before children. */
  public List<SnapshotInfo> list() throws StorageException {
    Content content = read();
    List<SnapshotInfo> infos = new ArrayList<>();
    for (Entry entry : content.entries()) {
      infos.add(info(entry, content));
    }
    return infos;
  }

  /** Returns one, empty when there is none of the name. */
  public Optional<SnapshotInfo> find(String name) throws StorageException {
    return list().stream().filter(info -> info.name().equals(name)).findFirst();
  }

  private SnapshotInfo info(Entry entry, Content content) throws StorageException {
    List<String> children = new ArrayList<>();
    for (Entry other : content.entries()) {
      if (other.parent().equals(entry.name())) {
        children.add(other.name());
      }
    }
    if (content.head().equals(entry.name())) {
      children.add(SnapshotInfo.HEAD);
    }
    Map<String, String> labels = new TreeMap<>();
    for (Map.Entry<String, JsonNode> label : entry.details().path("labels").properties()) {
      labels.put(label.getKey(), label.getValue().asText());
    }
    return new SnapshotInfo(
        entry.name(),
        entry.parent(),
        children,
        false,
        entry.details().path("userCreated").asBoolean(),
        Instant.parse(entry.details().path("created").asText()),
        labels,
        usedBytes(copy(entry.id())),
        "");
  }

  private Path copy(String id) {
    return copies.resolve(id + ".img");
  }

  /** Removes copies that no entry names, which a crash left. */
  public void sweep() throws StorageException {
    Content content = read();
    try (var files = Files.newDirectoryStream(copies)) {
      for (Path file : files) {
        if (content.entries().stream().noneMatch(entry -> copy(entry.id()).equals(file))) {
          Files.delete(file);
        }
      }
    } catch (NoSuchFileException e) {
      return;
    } catch (IOException e) {
      throw StorageException.io(copies.toString(), e);
    }
  }

  /** An action that fills a copy. */
  @FunctionalInterface
  public interface Copy {
    /** Copies the live content into a file of its size that is a hole. */
    void into(Path target) throws StorageException;
  }

  /** Adds a snapshot of the live content; durable when this returns. */
  public SnapshotInfo add(SnapshotRequest request, long sizeBytes, Copy live)
      throws StorageException {
    String id = UUID.randomUUID().toString();
    try {
      Files.createDirectories(copies);
      try (RandomAccessFile file = new RandomAccessFile(copy(id).toFile(), "rw")) {
        file.setLength(sizeBytes);
      }
      live.into(copy(id));
      JsonFile.sync(copy(id));
      JsonFile.sync(copies);
    } catch (IOException e) {
      throw StorageException.io("snapshot " + request.name() + ": " + copies, e);
    }
    Content before = read();
    List<Entry> entries = new ArrayList<>(before.entries());
    entries.add(new Entry(request.name(), id, before.head(), details(request)));
    write(new Content(request.name(), entries));
    return find(request.name()).orElseThrow();
  }

  private static ObjectNode details(SnapshotRequest request) {
    ObjectNode details = JsonFile.object().put("userCreated", request.userCreated());
    ObjectNode labels = details.put("created", request.created().toString()).putObject("labels");
    new TreeMap<>(request.labels()).forEach(labels::put);
    return details;
  }

  /** Removes a snapshot; its children become those of its parent. Succeeds when it is absent. */
  public void remove(String name) throws StorageException {
    Content before = read();
    Optional<Entry> removed = before.find(name);
    if (removed.isEmpty()) {
      return;
    }
    String parent = removed.get().parent();
    List<Entry> entries = new ArrayList<>();
    for (Entry entry : before.entries()) {
      if (entry.parent().equals(name)) {
        entries.add(new Entry(entry.name(), entry.id(), parent, entry.details()));
      } else if (!entry.name().equals(name)) {
        entries.add(entry);
      }
    }
    write(new Content(before.head().equals(name) ? parent : before.head(), entries));
    JsonFile.delete(copy(removed.get().id()));
  }

  /**
   * Returns the file of a snapshot.
   *
   * @throws StorageException NOT_FOUND
   */
  public Path content(String name) throws StorageException {
    return copy(
        read()
            .find(name)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "snapshot " + name + ": there is none: list them"))
            .id());
  }

  /** Copies a snapshot to a file that an entry does not name; durable when this returns. */
  public Path duplicate(String name) throws StorageException {
    Path next = copy("revert");
    HostProgram.check(
        COPY,
        List.of(
            HostProgram.require("cp", "coreutils").toString(),
            "--sparse=always",
            "--reflink=auto",
            content(name).toString(),
            next.toString()));
    try {
      JsonFile.sync(next);
    } catch (IOException e) {
      throw StorageException.io("snapshot " + name + ": " + next, e);
    }
    return next;
  }

  /** Records that the live content is that of a snapshot. */
  public void reverted(String name) throws StorageException {
    write(new Content(name, read().entries()));
  }

  /** Returns whether a snapshot is below another one, or below the live content. */
  public boolean isAncestor(String older, String newer) throws StorageException {
    Content content = read();
    String at = newer.equals(SnapshotInfo.HEAD) ? content.head() : parent(content, newer);
    while (!at.isEmpty() && !at.equals(older)) {
      at = parent(content, at);
    }
    return at.equals(older);
  }

  private static String parent(Content content, String name) {
    return content.find(name).map(Entry::parent).orElse(NONE);
  }

  /** Returns how many bytes of a file are not in holes. */
  static long usedBytes(Path path) throws StorageException {
    try (SparseFile file = SparseFile.openReadOnly(path)) {
      long used = 0;
      for (long at = file.nextData(0); at >= 0; ) {
        long end = file.nextHole(at);
        used += end - at;
        at = file.nextData(end);
      }
      return used;
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
  }
}
