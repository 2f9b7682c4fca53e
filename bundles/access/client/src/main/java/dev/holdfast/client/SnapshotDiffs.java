package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads the differences between the snapshots of a volume. Thread-safe. */
public final class SnapshotDiffs {
  private final StoreEditor editor;
  private final Snapshots snapshots;

  /** Compares snapshots of volumes in a store. */
  public SnapshotDiffs(ResourceStore store, Clock clock) {
    this.editor = new StoreEditor(store);
    this.snapshots = new Snapshots(store, clock);
  }

  /**
   * Returns the ranges that may differ between two snapshots, in ascending order.
   *
   * @param from an ancestor of the later snapshot, empty for all allocated ranges
   * @param to the later snapshot
   * @param waiting limit of the wait for each page; the volume is attached for the query
   * @throws StorageException NOT_FOUND; INVALID when a snapshot cannot be read or is not an
   *     ancestor; TIMEOUT; IO
   */
  public List<ChangedRange> diff(String volume, Optional<String> from, String to, Waiting waiting)
      throws StorageException {
    Snapshot later = readable(volume, to);
    String earlier = from.isPresent() ? readable(volume, from.get()).nameInVolume() : "";
    List<ChangedRange> ranges = new ArrayList<>();
    try {
      long offset = 0;
      do {
        ChangesPage page = page(later, earlier, offset, waiting);
        ranges.addAll(page.ranges());
        offset = page.nextOffset();
      } while (offset > 0);
      return ranges;
    } finally {
      ask(later, ChangesRequest.NONE);
    }
  }

  private Snapshot readable(String volume, String name) throws StorageException {
    Snapshot snapshot = snapshots.get(volume, name);
    if (!snapshot.status().readyToUse() || snapshot.isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.INVALID, Snapshots.label(snapshot) + " cannot be read now");
    }
    return snapshot;
  }

  private ChangesPage page(Snapshot snapshot, String from, long offset, Waiting waiting)
      throws StorageException {
    String id = UUID.randomUUID().toString();
    Snapshot asked = ask(snapshot, new ChangesRequest(id, from, offset));
    ChangesPage page =
        snapshots
            .await(
                asked,
                waiting,
                s -> Optional.of(s).filter(x -> x.status().changes().requestID().equals(id)))
            .status()
            .changes();
    if (!page.error().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, Snapshots.label(snapshot) + ": " + page.error());
    }
    return page;
  }

  private Snapshot ask(Snapshot snapshot, ChangesRequest request) throws StorageException {
    return editor.edit(
        Snapshot.KIND, snapshot.name(), s -> s.withSpec(s.spec().withChanges(request)));
  }
}
