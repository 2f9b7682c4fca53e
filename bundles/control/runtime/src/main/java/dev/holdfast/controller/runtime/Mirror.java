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
 * Copy of one kind in an informer. It lags behind by the events on their way, but is never older
 * than a write of this runtime. After a write its result is shown at once, and events of that name
 * are passed over until the write's own event comes by: events come in order, so all before it are
 * older. Resource versions are opaque and only compared for equality.
 *
 * <p>Thread-safe. Writes of one name must not overlap; {@link CachedStore} sees to that.
 */
final class Mirror<R extends Resource<R>> {
  private final Map<String, R> items = new TreeMap<>();
  private final Map<String, Awaited> awaited = new HashMap<>();
  private final Map<String, List<Write>> writing = new HashMap<>();
  private long writesDone;
  private boolean synced;

  /**
   * The event that ends the passing over.
   *
   * @param version the written resourceVersion; empty for a removal
   * @param uid of what was removed
   * @param base the resourceVersion that was replaced, empty when there was none
   * @param number of the write
   */
  private record Awaited(String version, String uid, String base, long number) {
    private boolean isRemoval() {
      return version.isEmpty();
    }
  }

  /** Evidence of a list about a write that was done while the list was being read. */
  private enum Evidence {
    /** It was read before the write: the write's event is still to come. */
    BEFORE,
    /** It was read after the write: the write's event will not come. */
    AFTER,
    /** Another writer wrote as well, and the order is unknown. */
    UNCLEAR
  }

  /** A list that is being read. */
  record Listing(long writesDoneBefore) {}

  /** A write on its way to the store. */
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

  /** Notes the moment before a list is read. */
  synchronized Listing beginListing() {
    return new Listing(writesDone);
  }

  /**
   * Takes over a list.
   *
   * @return what may have changed by it; empty when the list cannot be used, because it is not
   *     known whether it was read before or after a write of this runtime
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
   * Takes over an event.
   *
   * @return whether it changed what is shown
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

  /** Notes the moment before a write. */
  synchronized Write beginWrite(String name, String baseVersion) {
    Write write = new Write(name, baseVersion);
    writing.computeIfAbsent(name, n -> new ArrayList<>()).add(write);
    return write;
  }

  /** Forgets a write that failed. */
  synchronized void failed(Write write) {
    end(write);
  }

  /**
   * Shows the result of a write, unless the watch or a list has shown it or something later. A
   * write that changed nothing has no event to wait for.
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

  /** Shows a removal, unless the watch or a list has shown it. */
  synchronized void removed(Write write, String uid) {
    end(write);
    R present = items.get(write.name);
    boolean gone = present == null || !present.metadata().uid().equals(uid);
    if (!write.removalSeen && !(write.listed && gone)) {
      items.remove(write.name);
      awaited.put(write.name, new Awaited("", uid, write.base, writesDone));
    }
  }

  /** A list read during the write shows either what the write replaced, or its result or later. */
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
