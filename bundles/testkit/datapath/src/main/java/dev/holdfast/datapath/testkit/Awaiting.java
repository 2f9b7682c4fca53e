package dev.holdfast.datapath.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Waits for conditions on the content of a store. */
public final class Awaiting {
  private static final long LONGEST_SECONDS = 30;

  private Awaiting() {}

  /** Waits until a resource fulfils a condition and returns it. */
  public static <R extends Resource<R>> R until(
      ResourceStore store, ResourceKind<R> kind, String name, Predicate<R> wanted)
      throws Exception {
    return seen(store, kind, name, found -> found.filter(wanted).isPresent()).orElseThrow();
  }

  /** Waits until a resource is deleted. */
  public static <R extends Resource<R>> void untilGone(
      ResourceStore store, ResourceKind<R> kind, String name) throws Exception {
    if (seen(store, kind, name, Optional::isEmpty).isPresent()) {
      throw new AssertionError(name + " is there");
    }
  }

  /** Waits until a resource fulfils a condition or is deleted. */
  public static <R extends Resource<R>> void untilGoneOr(
      ResourceStore store, ResourceKind<R> kind, String name, Predicate<R> wanted)
      throws Exception {
    var unused = seen(store, kind, name, found -> found.filter(wanted.negate()).isEmpty());
  }

  private static <R extends Resource<R>> Optional<R> seen(
      ResourceStore store, ResourceKind<R> kind, String name, Predicate<Optional<R>> wanted)
      throws Exception {
    ResourceList<R> list = store.list(kind, LabelSelector.ALL);
    Optional<R> last = list.items().stream().filter(r -> r.name().equals(name)).findFirst();
    BlockingQueue<WatchEvent<R>> events = new LinkedBlockingQueue<>();
    try (Watch watch = store.watch(kind, list.resourceVersion(), new Listener<>(events))) {
      while (!wanted.test(last)) {
        WatchEvent<R> event = events.poll(LONGEST_SECONDS, TimeUnit.SECONDS);
        if (event == null) {
          throw new AssertionError("never as wanted, and " + watch + " told nothing new: " + last);
        }
        if (event.resource().name().equals(name)) {
          last =
              event.type() == WatchEvent.Type.DELETED
                  ? Optional.empty()
                  : Optional.of(event.resource());
        }
      }
      return last;
    }
  }

  private record Listener<R extends Resource<R>>(BlockingQueue<WatchEvent<R>> events)
      implements WatchListener<R> {
    @Override
    public void changed(WatchEvent<R> event) {
      events.add(event);
    }

    @Override
    public void ended(StorageException cause) {
      throw new AssertionError("the watch ended", cause);
    }
  }
}
