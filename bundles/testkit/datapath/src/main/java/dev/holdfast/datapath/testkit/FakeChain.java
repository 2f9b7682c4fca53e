package dev.holdfast.datapath.testkit;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The snapshots of one volume in an engine. A removed snapshot is coalesced when it has at most one
 * child other than the live content.
 */
public final class FakeChain {
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private String headParent = "";
  private boolean interrupted;

  private record Entry(
      SnapshotRequest request, String parent, boolean removed, ByteBuffer content) {
    Entry withParent(String newParent) {
      return new Entry(request, newParent, removed, content);
    }
  }

  public synchronized boolean create(SnapshotRequest request, byte[] content) {
    if (entries.containsKey(request.name())) {
      return false;
    }
    entries.put(
        request.name(), new Entry(request, headParent, false, ByteBuffer.wrap(content.clone())));
    headParent = request.name();
    coalesce();
    return true;
  }

  public synchronized List<SnapshotInfo> list() {
    List<SnapshotInfo> infos = new ArrayList<>();
    entries.forEach((name, entry) -> infos.add(info(name, entry)));
    return infos;
  }

  public Optional<SnapshotInfo> find(String name) {
    return list().stream().filter(info -> info.name().equals(name)).findFirst();
  }

  private SnapshotInfo info(String name, Entry entry) {
    return new SnapshotInfo(
        name,
        entry.parent(),
        children(name),
        entry.removed(),
        entry.request().userCreated(),
        entry.request().created(),
        entry.request().labels(),
        4096,
        "");
  }

  private List<String> children(String name) {
    List<String> children = new ArrayList<>();
    entries.forEach(
        (other, entry) -> {
          if (entry.parent().equals(name)) {
            children.add(other);
          }
        });
    if (headParent.equals(name)) {
      children.add(SnapshotInfo.HEAD);
    }
    return children;
  }

  public synchronized void delete(String name) {
    entries.computeIfPresent(name, (n, e) -> new Entry(e.request(), e.parent(), true, e.content()));
    coalesce();
  }

  /** Defers the coalescing of snapshots that are removed from now on until a {@link #purge}. */
  public synchronized void interrupt() {
    interrupted = true;
  }

  synchronized void purge() {
    interrupted = false;
    coalesce();
  }

  private void coalesce() {
    if (interrupted) {
      return;
    }
    Optional<SnapshotInfo> next =
        list().stream()
            .filter(SnapshotInfo::removed)
            .filter(i -> i.children().size() < 2 && !i.children().contains(SnapshotInfo.HEAD))
            .findFirst();
    if (next.isPresent()) {
      entries.remove(next.get().name());
      entries.replaceAll(
          (name, entry) ->
              entry.parent().equals(next.get().name())
                  ? entry.withParent(next.get().parent())
                  : entry);
      coalesce();
    }
  }

  public synchronized byte[] revert(String name) throws StorageException {
    byte[] content = content(name);
    headParent = name;
    return content;
  }

  public synchronized byte[] content(String name) throws StorageException {
    Entry entry = entries.get(name);
    if (entry == null || entry.removed()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "no snapshot " + name);
    }
    return entry.content().array().clone();
  }

  /** Loses data without a report. */
  public synchronized void lose(String name) {
    entries.remove(name);
  }
}
