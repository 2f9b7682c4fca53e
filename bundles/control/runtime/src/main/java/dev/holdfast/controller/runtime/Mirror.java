package dev.holdfast.controller.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.WatchEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Copy of one kind in an informer. It lags behind by the events in flight, but is never older than
 * a write of this runtime. After a write it shows the result at once, and ignores events of that
 * name until the write's own event arrives: events arrive in order, so all events before it are
 * older. Resource versions are opaque and only compared for equality.
 *
 * <p>Thread-safe. Writes of one name must not overlap; {@link CachedStore} ensures that.
 */
final class Mirror<R extends Resource<R>> {
  private final Map<String, R> items = new TreeMap<>();
  private final Map<String, Awaited> awaited = new HashMap<>();
  private final Map<String, List<Write>> writing = new HashMap<>();
  private long writesDone;
  private boolean synced;

  /**
   * The event up to which events of the name are ignored.
   *
   * @param version the written resourceVersion; empty for a removal
   * @param uid of the removed resource
   * @param base the replaced resourceVersion, empty for none
   * @param number of the write
   */
  private record Awaited(String version, String uid, String base, long number) {
    private boolean isRemoval() {
      return version.isEmpty();
    }
  }

  /** Evidence of a list about a write that completed while the list was being read. */
  private enum Evidence {
    /** The list was read before the write: the write's event will follow. */
    BEFORE,
    /** The list was read after the write: the write's event will not follow. */
    AFTER,
    /** Another client wrote too, and the order is unknown. */
    UNCLEAR
  }

  /** A list that is being read. */
  record Listing(long writesDoneBefore) {}

  /** A write in flight to the store. */
  static final class Write {
    private final String name;
    private final String base;
    private final Set<String> seen = new HashSet<>();
    private boolean removalSeen;
    private boolean listed;

    private Write(String name, String base) {
      this.name = name;
      this.base = base;
    }
  }

  synchronized boolean isSynced() {
    return synced;
  }

  synchronized Optional<R> get(String name) {
    return Optional.ofNullable(items.get(name));
  }

  synchronized List<R> list(LabelSelector selector) {
    return items.values().stream().filter(r -> selector.matches(r.metadata())).toList();
  }

  /** Records the start of a list. */
  synchronized Listing beginListing() {
    return new Listing(writesDone);
  }

  /**
   * Replaces the content with a list.
   *
   * @return the resources that may have changed; empty if the list cannot be used, because it is
   *     unknown whether it was read before or after a write of this runtime
   */
  synchronized Optional<List<R>> replace(List<R> listed, Listing listing) {
    Map<String, R> byName = new HashMap<>();
    listed.forEach(item -> byName.put(item.name(), item));
    Set<String> pending = new HashSet<>();
    for (Map.Entry<String, Awaited> entry : awaited.entrySet()) {
      if (entry.getValue().number() > listing.writesDoneBefore()) {
        switch (evidence(entry.getValue(), Optional.ofNullable(byName.get(entry.getKey())))) {
          case BEFORE -> pending.add(entry.getKey());
          case AFTER -> {}
          case UNCLEAR -> {
            return Optional.empty();
          }
        }
      }
    }
    awaited.keySet().retainAll(pending);
    List<R> touched = new ArrayList<>();
    for (String name : new TreeSet<>(items.keySet())) {
      if (!byName.containsKey(name) && !pending.contains(name)) {
        touched.add(items.remove(name));
      }
    }
    for (R item : listed) {
      if (!pending.contains(item.name())) {
        R before = items.put(item.name(), item);
        if (before == null || !version(before).equals(version(item))) {
          touched.add(item);
        }
      }
    }
    writing.values().forEach(writes -> writes.forEach(write -> write.listed = true));
    synced = true;
    return Optional.of(touched);
  }

  private static Evidence evidence(Awaited write, Optional<? extends Resource<?>> item) {
    if (write.isRemoval()) {
      boolean there = item.filter(r -> r.metadata().uid().equals(write.uid())).isPresent();
      return there ? Evidence.BEFORE : Evidence.AFTER;
    }
    String shown = item.map(Mirror::version).orElse("");
    if (shown.equals(write.version())) {
      return Evidence.AFTER;
    }
    return shown.equals(write.base()) ? Evidence.BEFORE : Evidence.UNCLEAR;
  }

  /**
   * Applies an event.
   *
   * @return whether it changed the shown content
   */
  synchronized boolean apply(WatchEvent<R> event) {
    R resource = event.resource();
    String name = resource.name();
    boolean removal = event.type() == WatchEvent.Type.DELETED;
    for (Write write : writing.getOrDefault(name, List.of())) {
      write.seen.add(version(resource));
      write.removalSeen |= removal;
    }
    Awaited expected = awaited.get(name);
    if (expected != null) {
      boolean arrived =
          expected.isRemoval()
              ? removal && expected.uid().equals(resource.metadata().uid())
              : expected.version().equals(version(resource));
      if (!arrived) {
        return false;
      }
      awaited.remove(name);
    }
    R before = removal ? items.remove(name) : items.put(name, resource);
    return removal ? before != null : before == null || !version(before).equals(version(resource));
  }

  /** Records the start of a write. */
  synchronized Write beginWrite(String name, String baseVersion) {
    Write write = new Write(name, baseVersion);
    writing.computeIfAbsent(name, n -> new ArrayList<>()).add(write);
    return write;
  }

  /** Removes a failed write. */
  synchronized void failed(Write write) {
    end(write);
  }

  /**
   * Shows the result of a write, unless the watch or a list has already shown it or a later state.
   * A write without a change causes no event.
   */
  synchronized void wrote(Write write, R result) {
    end(write);
    boolean shown = write.seen.contains(version(result)) || (write.listed && !showsBase(write));
    boolean changed = !version(result).equals(write.base);
    if (changed && !shown) {
      items.put(write.name, result);
      awaited.put(write.name, new Awaited(version(result), "", write.base, writesDone));
    }
  }

  /** Shows a removal, unless the watch or a list has already shown it. */
  synchronized void removed(Write write, String uid) {
    end(write);
    R present = items.get(write.name);
    boolean gone = present == null || !present.metadata().uid().equals(uid);
    if (!write.removalSeen && !(write.listed && gone)) {
      items.remove(write.name);
      awaited.put(write.name, new Awaited("", uid, write.base, writesDone));
    }
  }

  /**
   * Returns whether a list that was read during the write shows the replaced version, and not the
   * result or a later one.
   */
  private boolean showsBase(Write write) {
    R present = items.get(write.name);
    return (present == null ? "" : version(present)).equals(write.base);
  }

  private void end(Write write) {
    writesDone++;
    List<Write> writes = writing.get(write.name);
    writes.remove(write);
    if (writes.isEmpty()) {
      writing.remove(write.name);
    }
  }

  private static String version(Resource<?> resource) {
    return resource.metadata().resourceVersion();
  }
}
