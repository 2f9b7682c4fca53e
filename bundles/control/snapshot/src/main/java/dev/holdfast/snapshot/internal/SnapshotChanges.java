package dev.holdfast.snapshot.internal;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the differences of snapshots, a page at a time, because a resource cannot hold an
 * unlimited list. The list of the last request is kept for its next page. Thread-safe.
 */
final class SnapshotChanges {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotChanges.class);
  private static final int PAGE = 2_000;

  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final Map<String, Answer> latest = new ConcurrentHashMap<>();

  private record Answer(String from, List<ChangedRange> ranges) {}

  /** Starts a comparison, unless it is running already. */
  void begin(Snapshot snapshot, SnapshotVolume opened, ResourceStore store, Executor threads) {
    String question = snapshot.metadata().uid() + "/" + snapshot.spec().changes().id();
    if (underWay.add(question)) {
      threads.execute(
          () -> {
            try {
              answer(snapshot, opened, store);
            } finally {
              underWay.remove(question);
            }
          });
    }
  }

  /** Drops the lists of snapshots that no client requests. */
  void forget(List<Snapshot> present, String volume) {
    latest
        .keySet()
        .removeIf(
            key ->
                key.startsWith(volume + "/")
                    && present.stream()
                        .noneMatch(s -> key(s).equals(key) && !s.spec().changes().id().isEmpty()));
  }

  private static String key(Snapshot snapshot) {
    return snapshot.spec().volume() + "/" + snapshot.metadata().uid();
  }

  private void answer(Snapshot snapshot, SnapshotVolume opened, ResourceStore store) {
    ChangesRequest asked = snapshot.spec().changes();
    Optional<ChangesPage> page;
    try {
      page = Optional.of(page(asked, ranges(snapshot, opened)));
    } catch (StorageException e) {
      boolean later = e.code() == ErrorCode.BUSY || e.code() == ErrorCode.UNREACHABLE;
      page =
          later
              ? Optional.empty()
              : Optional.of(
                  new ChangesPage(asked.id(), List.of(), 0, String.valueOf(e.getMessage())));
    }
    try {
      if (page.isPresent()) {
        ChangesPage found = page.get();
        SnapshotRecords.change(store, snapshot, status -> status.withChanges(found));
      }
    } catch (StorageException e) {
      LOG.debug("snapshot {}: could not write the result of a comparison", snapshot.name(), e);
    }
  }

  private List<ChangedRange> ranges(Snapshot snapshot, SnapshotVolume opened)
      throws StorageException {
    String from = snapshot.spec().changes().from();
    Answer known = latest.get(key(snapshot));
    if (known != null && known.from().equals(from)) {
      return known.ranges();
    }
    Answer answer = new Answer(from, changed(from, snapshot.nameInVolume(), opened));
    latest.put(key(snapshot), answer);
    return answer.ranges();
  }

  private static List<ChangedRange> changed(String from, String to, SnapshotVolume opened)
      throws StorageException {
    List<ChangedRange> ranges = new ArrayList<>();
    opened.changes(
        from,
        to,
        (offset, length, kind) -> {
          if (kind == ExtentKind.DATA) {
            add(ranges, offset, length);
          }
          return true;
        });
    return ranges;
  }

  private static void add(List<ChangedRange> ranges, long offset, long length) {
    int last = ranges.size() - 1;
    if (last >= 0 && ranges.get(last).offset() + ranges.get(last).length() == offset) {
      ranges.set(
          last, new ChangedRange(ranges.get(last).offset(), ranges.get(last).length() + length));
    } else {
      ranges.add(new ChangedRange(offset, length));
    }
  }

  private static ChangesPage page(ChangesRequest asked, List<ChangedRange> all) {
    List<ChangedRange> rest =
        all.stream().filter(range -> range.offset() >= asked.offset()).limit(PAGE + 1L).toList();
    boolean more = rest.size() > PAGE;
    return new ChangesPage(
        asked.id(), more ? rest.subList(0, PAGE) : rest, more ? rest.get(PAGE).offset() : 0, "");
  }
}
